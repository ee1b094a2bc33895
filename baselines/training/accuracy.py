"""How much of its train split a model has right, asked as the evaluator asks it."""

from typing import Final

import numpy as np

from marnn_bench.asking.protocol import ModelTask
from marnn_bench.baselines.training.trained_model import TrainedModel
from marnn_bench.examples import SetExamples

STREAMS: Final = 1024
"""Strings that are asked together."""

THRESHOLD: Final = 0.5
"""A score of this or more puts its symbol into the set."""


def sequence_accuracy(model: TrainedModel, examples: SetExamples, run: int) -> float:
    """The share of the strings after every symbol of which a run gives the right set."""
    task = examples.task
    model.load(ModelTask(task.name, tuple(task.language.alphabet), task.columns, task.view.name, run))
    shortest_first = np.argsort(examples.strings.lengths, kind="stable")  # so that few wait for longer ones
    waves = (shortest_first[first : first + STREAMS] for first in range(0, len(examples), STREAMS))
    return sum(_right(model, examples.take(rows)) for rows in waves) / len(examples)


def _right(model: TrainedModel, examples: SetExamples) -> int:
    """How many of these strings are all right."""
    lengths, offsets = examples.strings.lengths, examples.strings.offsets[:-1]
    bits = np.uint64(1) << np.arange(len(examples.task.columns), dtype=np.uint64)
    right = np.ones(len(examples), bool)
    model.reset(len(examples))
    for position in range(int(lengths.max())):
        asked = lengths > position
        at = offsets[asked] + position
        ids = np.zeros(len(examples), np.int64)
        ids[asked] = examples.strings.ids[at]
        sets = ((model.step(ids) >= THRESHOLD) * bits).sum(1, dtype=np.uint64)
        right[asked] &= sets[asked] == examples.answers[at]
    return int(right.sum())
