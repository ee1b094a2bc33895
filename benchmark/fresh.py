"""Endless splits, to train on: the strings of an epoch are draws that no other epoch has.

Block after block, in any sizes, gives the same strings; epoch 0 is what `generate --rows train=N` writes.
"""

from collections.abc import Iterator

import numpy as np

from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples, LanguageModellingExamples, SetExamples, TransductionExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.task import Task
from marnn_bench.views import LanguageModelling, NextSymbol, Synchronous, Transduce

EPOCH_DRAWS = 1 << 40
"""Draws that are set apart for each epoch."""

EPOCHS = 1 << 24
"""How many there are."""


def fresh_strings(task: Task, split: str, epoch: int, first: int, rows: int) -> Strings:
    """Rows first..first+rows-1 of an epoch of an endless split.

    >>> from marnn_bench.tasks.registry import find_task
    >>> task = find_task("anbn")
    >>> fresh_strings(task, "train", epoch=0, first=0, rows=1).texts(task.language.alphabet)
    ['a a b b']
    """
    if task.split(split).rows != "fresh":
        raise UsageError(
            f"{task.name} {split} is not endless: read its rows from the files that `generate` writes."
        )
    if min(epoch, first, rows) < 0 or epoch >= EPOCHS or first + rows > EPOCH_DRAWS:
        raise UsageError(
            f"Epochs are numbered from 0 to 2^24 - 1 and have 2^40 rows each, not {epoch}, {first + rows}."
        )
    draws = np.arange(first, first + rows, dtype=np.uint64) + np.uint64(epoch * EPOCH_DRAWS)
    return task.law(split).draw(task.split(split).window, task.key(split), draws)


def fresh_blocks(task: Task, split: str, epoch: int, rows: int) -> Iterator[Strings]:
    """The blocks of an epoch, of so many rows each, without end."""
    for first in range(0, EPOCH_DRAWS, rows):
        yield fresh_strings(task, split, epoch, first, rows)


def fresh_examples(task: Task, split: str, rows: int, epoch: int = 0) -> Examples:
    """The first rows of an epoch with their answers. UsageError for a view whose rows are not drawn one by one."""
    strings = fresh_strings(task, split, epoch, 0, rows)
    match task.view:
        case NextSymbol() | Synchronous():
            return SetExamples(task, split, strings, task.view.answers(task.language, strings), "")
        case Transduce():
            return TransductionExamples(task, split, strings, task.view.targets(task.language, strings), "")
        case LanguageModelling():
            log_probs = task.law(split).log_prob(strings, task.split(split).window)
            return LanguageModellingExamples(task, split, strings, log_probs, "")
    raise UsageError(f"{task.name}: the {task.view.name} view has no endless examples.")
