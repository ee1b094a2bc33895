"""Some updates of some runs by a compiled program, and all that comes out of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.noise import noise_key
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.course import Exam
from marnn_bench.baselines.engine.codegen.source import THREADS
from marnn_bench.baselines.engine.gpu import ThreadedProgram
from marnn_bench.baselines.engine.program import Block, Program, updates_of
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.recipes import Recipe

RUNS, UPDATES = THREADS + 5, 12


def some_strings(cell: Cell, lengths: Sequence[int]) -> Lessons:
    draw = np.random.default_rng(0)
    ids = draw.integers(0, cell.symbols, sum(lengths)).astype(np.int32)
    answers = draw.integers(0, 2**cell.columns, sum(lengths)).astype(np.uint64)
    return Lessons(ids, answers, np.cumsum([0, *lengths]).astype(np.int64))


def trained(program: Program | ThreadedProgram, cell: Cell, recipe: Recipe) -> dict[str, np.ndarray]:
    """After some updates: parameters, losses [update, run], and how other strings are answered, [run]."""
    strings, short = some_strings(cell, [7, 1, 30, 12, 2, 21]), some_strings(cell, [1, 2] * 200)
    if recipe.learns != "sets":
        strings, short = (
            replace(lessons, answers=(lessons.answers % (cell.columns + 1)).astype(np.int32) - 1)
            for lessons in (strings, short)
        )
    drawn = initialise(cell.shapes, 0, range(RUNS)).tensors
    parameters = program.packed({name: tensor.detach().numpy() for name, tensor in drawn.items()})
    keys = [noise_key("training noise", 0, run) for run in range(len(parameters) * program.lanes)]
    factors = np.arange(len(keys)) % 5 / 4  # 0 among them
    by_lane = (array.reshape(len(parameters), -1) for array in (np.array(keys, np.uint64), factors))
    blocks = [
        Block(numbers, program.zeros(1)[0], program.zeros(1)[0], *of_lanes)
        for numbers, *of_lanes in zip(parameters, *by_lane, strict=True)
    ]
    updates = updates_of(recipe, 1, UPDATES, strings)
    losses = program.train_blocks(blocks, strings, recipe, updates, threads=1)[:, :RUNS]
    exam = Exam(short, np.ones(cell.columns, np.bool_))
    threshold = 1 / cell.columns if cell.distribution else 0.5
    counts = program.measure_blocks(blocks, exam, recipe, 0.7, threshold, threads=1)
    parameters = program.unpacked(np.stack([block.parameters for block in blocks]), RUNS)
    answered = {name: array[:RUNS] for name, array in counts._asdict().items()}
    return {"losses": losses, **answered, **parameters}


def assert_equal(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> None:
    for name, array in one.items():
        assert np.array_equal(array, other[name]), name
