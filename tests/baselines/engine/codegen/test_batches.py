"""Strings of a batch that are computed at once: each gives its share of the gradient, whatever their lengths."""

from dataclasses import replace

import pytest

from helpers.gradients import by_batch, farthest
from marnn_bench.baselines.engine.codegen.printer import SIDE
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.tasks.registry import find_task

LENGTHS = (3, 9, 1, 30, 9, 17, 2, 9)
"""Of one group of strings and a part of another, in no order."""

SIZES = {
    "lstm": {"hidden": 45},
    "stack-rnn": {"hidden": 45},
    "baby-ntm": {"hidden": 45},
    "joulin-list-rnn": {},
    "deep-lstm-2": {"hidden": 19, "embedding": 5},
    "neural-stack-lstm": {"hidden": 19, "memory_width": 9, "embedding": 5},
    "neural-queue-lstm": {"hidden": 19, "memory_width": 9, "embedding": 5},
    "neural-deque-lstm": {"hidden": 19, "memory_width": 9, "embedding": 5},
}


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("name", SIZES)
def test_each_string_has_its_share(name, precision):
    baseline, task = find_baseline(name), find_task("dyck2")
    cell = baseline.cell(task, replace(baseline.sizes_for(task), **SIZES[name]))
    program = Program(cell, precision)
    assert program.lanes == 1 and SIDE < len(LENGTHS) < 2 * SIDE
    at_once, one_by_one = by_batch(program, cell, LENGTHS, runs=2)
    assert farthest(at_once, one_by_one) < (1e-12 if precision == "float64" else 1e-5)
