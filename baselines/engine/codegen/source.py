"""The C text of a cell: maths, constants, the memory, the printed functions, the program."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import tensor_shapes
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.codegen.memories import compiled_memory, memory_constants, memory_texts
from marnn_bench.baselines.engine.codegen.printer import SIDE, Printer
from marnn_bench.baselines.engine.codegen.trace import trace
from marnn_bench.baselines.engines import Precision

LANES: Final = 8
"""Runs side by side of a small cell: doubles of the widest vectors."""

SMALL: Final = 1_200
"""Parameters up to which a cell is small: those of so many runs, with gradients and moments, stay in a core's cache."""

THREADS: Final = 32
"""Runs whose numbers lie side by side on a GPU: its threads that do the same at the same time."""


def lanes_of(cell: Cell) -> int:
    """How many runs are computed side by side. It follows the cell alone, so that no run depends on how many there are."""
    return LANES if cell.num_parameters <= SMALL else 1


def source_of(cell: Cell, precision: Precision = "float64") -> str:
    """The program that trains a cell and answers. NotCompiledError if it cannot be traced or printed."""
    return "\n".join(
        [
            _source(
                cell,
                precision,
                lanes_of(cell),
                {"W": lanes_of(cell), "SIDE": 1 if lanes_of(cell) > 1 else SIDE},
            ),
            *map(_text, ("streams.c", "stream.c")),
        ]
    )


def source_for_gpu(cell: Cell, precision: Precision = "float64") -> str:
    """The same program as CUDA, a thread for each run: printed for lanes, of which a thread is one."""
    return _source(cell, precision, LANES, {"W": 1, "STRIDE": THREADS}) + _text("threads.c")


def _source(cell: Cell, precision: Precision, lanes: int, layout: Mapping[str, object]) -> str:
    try:
        return _text_of(cell, precision, lanes, layout)
    except NotCompiledError:
        raise
    except Exception as error:  # whatever a cell's own code raises, or makes torch raise
        lines = f"{error}".strip().splitlines() or [""]
        raise NotCompiledError(
            f"{type(cell).__name__} cannot be compiled ({type(error).__name__}: {lines[0]})."
        ) from error


def _text_of(cell: Cell, precision: Precision, lanes: int, layout: Mapping[str, object]) -> str:
    memory = compiled_memory(cell)
    shapes = {name: (1, *shape.shape) for name, shape in tensor_shapes(cell.shapes).items()}
    printer = Printer(trace(cell), shapes, lanes)
    functions = printer.functions()
    parts = [
        _defined({**layout, **({"SINGLE": 1} if precision == "float32" else {})}),
        *map(_text, ("maths.h", "philox.h", "lanes.h")),
        _defined(_constants(cell, printer) | memory_constants(memory)),
        *map(_text, memory_texts(memory)),
        functions,
        _text("program.c"),
    ]
    return "\n".join(parts)


def _constants(cell: Cell, printer: Printer) -> dict[str, object]:
    """What the program knows of a cell: sizes, and where tensors lie."""
    record, parameters = printer.record, printer.parameters
    places = {
        name.upper(): record.offset(name) for name in ("x", "read", "reread", "y", "weights", "written")
    }
    cotangents = {
        f"C_{name.upper()}": printer.cotangents.offset(name) for name in ("y", "weights", "written")
    }
    inputs = {f"D_{name.upper()}": printer.inputs.offset(name) for name in ("x", "read", "reread")}
    return {
        "PARAMETERS": parameters.size,
        "SYMBOLS": cell.symbols,
        "COLUMNS": cell.columns,
        "NOISE": cell.noise,
        "NOISY_ANSWERS": int(printer.noisy_answers),
        "GUMBEL": record.offset("noise"),
        "REREADS": int(printer.rereads),
        "STATES": sum(
            view.size for name, view in printer.inputs.views.items() if name not in ("read", "reread")
        ),
        "WEIGHTS_SIZE": record.views["weights"].size if "weights" in record.views else 0,
        "X_SIZE": record.views["x"].size,
        "RECORD": -(-record.size // 8) * 8,
        "CARRIED": printer.carried,
        "COTANGENTS": max(printer.cotangents.size, printer.inputs.size),
        **places,
        **cotangents,
        **inputs,
    }


def _defined(constants: Mapping[str, object]) -> str:
    return "\n".join(f"#define {name} {value}" for name, value in constants.items()) + "\n"


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
