"""How much of a split a trained model has right, asked symbol by symbol as the evaluator does."""

from typing import Final

import numpy as np

from marnn_bench.asking.protocol import ModelTask
from marnn_bench.baselines.training.trained_model import TrainedModel
from marnn_bench.examples import SetExamples
from marnn_bench.views import NextSymbol

STREAMS: Final = 1024
"""Strings that are asked together."""

THRESHOLD: Final = 0.5
"""A score of this or more puts its symbol into the set."""


def sequence_accuracy(model: TrainedModel, examples: SetExamples, run: int) -> float:
    """The share of the strings after every symbol of which a run gives the right set; or, where one symbol alone is asked
    for, its highest score to that.
    """
    task = examples.task
    model.load(ModelTask.of(task, run))
    shortest_first = np.argsort(examples.strings.lengths, kind="stable")  # so that few wait for longer ones
    waves = (shortest_first[first : first + STREAMS] for first in range(0, len(examples), STREAMS))
    return sum(_right(model, examples.take(rows)) for rows in waves) / len(examples)


def _right(model: TrainedModel, examples: SetExamples) -> int:
    """How many of these strings are all right."""
    lengths, offsets = examples.strings.lengths, examples.strings.offsets[:-1]
    task = examples.task
    bits = np.uint64(1) << np.arange(len(task.columns), dtype=np.uint64)
    counted = (
        task.view.scored_mask(task.language, examples.answers) if isinstance(task.view, NextSymbol) else None
    )
    right = np.ones(len(examples), bool)
    model.reset(len(examples))
    for position in range(int(lengths.max())):
        asked = lengths > position
        at = offsets[asked] + position
        ids = np.zeros(len(examples), np.int64)
        ids[asked] = examples.strings.ids[at]
        scores = model.step(ids)
        sets = (
            ((scores >= THRESHOLD) * bits).sum(1, dtype=np.uint64)
            if task.asks_sets
            else bits[scores.argmax(1)]
        )
        right[asked] &= (sets[asked] == examples.answers[at]) | (False if counted is None else ~counted[at])
    return int(right.sum())
