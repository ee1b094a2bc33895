"""Memories: the C text of each, a forward and a backward pair, and the numbers that it is compiled with.

A memory that is not in the table is not compiled. To add one, write its text: memory_slots, memory_head, memory_begin,
memory_forward and memory_backward, as stack.c has them.
"""

from collections.abc import Mapping
from typing import Final

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.memories import List, Memory, Ring, Stack, Superposition
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.codegen.views import literal

TEXTS: Final[Mapping[type[Superposition], tuple[str, ...]]] = {
    Stack: ("superpose.c", "stack.c"),
    Ring: ("superpose.c", "ring.c"),
    List: ("superpose.c", "list.c"),
}
"""The files of each."""


def compiled_memory(cell: Cell) -> Superposition | None:
    """The memory of a cell, if it has one. NotCompiledError if that has no text."""
    memory = getattr(cell, "memory", None)
    if not isinstance(memory, Memory):
        return None
    if not isinstance(memory, Superposition) or type(memory) not in TEXTS:
        raise NotCompiledError(f"The memory {type(memory).__name__} is not compiled.")
    return memory


def memory_texts(memory: Superposition | None) -> tuple[str, ...]:
    """The files of a memory's C text."""
    return TEXTS[type(memory)] if memory else ()


def memory_constants(memory: Superposition | None) -> dict[str, object]:
    """What the text and the program know of a memory."""
    if memory is None:
        return {"MEMORY": 0, "READ_SIZE": 0, "ROW(longest)": 0}
    return {
        "MEMORY": 1,
        "WIDTH": memory.width,
        "COUNT": memory.count,
        "CELLS": memory.cells,
        "DEPTH": memory.depth,
        "HEAD": memory.head,
        "ACTIONS": len(memory.actions),
        "FILL": literal(memory.fill),
        "READ_SIZE": memory.read_size,
        "ROW(longest)": "(memory_slots(longest) * CELL)",
    }
