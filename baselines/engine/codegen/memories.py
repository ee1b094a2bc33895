"""Memories: the C text of each, a forward and a backward pair, and the numbers that it is compiled with.

A memory that is not in the table is not compiled. To add one, write its text: the functions of its contents, as rows.c has
them; or, if it is in superposition, those of a row, as stack.c has them.
"""

from collections.abc import Mapping
from typing import Any, Final

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.intervals import NeuralDeQue, NeuralMemory, NeuralQueue, NeuralStack
from marnn_bench.baselines.cells.memories import List, Memory, Ring, Stack, Superposition
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.codegen.views import literal

TEXTS: Final[Mapping[type[Memory[Any]], tuple[str, ...]]] = {
    Stack: ("superpose.c", "stack.c", "rows.c"),
    Ring: ("superpose.c", "ring.c", "rows.c"),
    List: ("superpose.c", "list.c", "rows.c"),
    **dict.fromkeys((NeuralStack, NeuralQueue, NeuralDeQue), ("intervals.c",)),
}
"""The files of each."""


def compiled_memory(cell: Cell) -> Memory[Any] | None:
    """The memory of a cell, if it has one. NotCompiledError if that has no text."""
    memory = getattr(cell, "memory", None)
    if not isinstance(memory, Memory):
        return None
    if type(memory) not in TEXTS:
        raise NotCompiledError(f"The memory {type(memory).__name__} is not compiled.")
    return memory


def memory_texts(memory: Memory[Any] | None) -> tuple[str, ...]:
    """The files of a memory's C text."""
    return TEXTS[type(memory)] if memory else ()


def memory_constants(memory: Memory[Any] | None) -> dict[str, object]:
    """What the text and the program know of a memory."""
    if isinstance(memory, NeuralMemory):
        return {
            "MEMORY": 1,
            "SUPERPOSED": 0,
            "WIDTH": memory.width,
            "ENDS": len(memory.pushes),
            "POP_TOP": memory.pops.index("top") if "top" in memory.pops else -1,
            "POP_BOTTOM": memory.pops.index("bottom") if "bottom" in memory.pops else -1,
        }
    if not isinstance(memory, Superposition):
        return {"MEMORY": 0, "contents_space(n)": 0, "endless_space(steps)": 0}
    return {
        "MEMORY": 1,
        "SUPERPOSED": 1,
        "WIDTH": memory.width,
        "COUNT": memory.count,
        "CELLS": memory.cells,
        "DEPTH": memory.depth,
        "HEAD": memory.head,
        "ACTIONS": len(memory.actions),
        "FILL": literal(memory.fill),
        "READ_SIZE": memory.read_size,
    }
