"""Any next-symbol task asked as recognition: the same strings, and others that are none of the language."""

from dataclasses import replace

from marnn_bench.errors import UsageError
from marnn_bench.generators.alphabet import MASK_SYMBOLS
from marnn_bench.generators.language import Language
from marnn_bench.generators.sampling.negatives import KINDS
from marnn_bench.task import Split, Task
from marnn_bench.views import NextSymbol, Recognition


def as_recognition(task: Task) -> Task:
    """The task `<task>--recognition`: is it a member? Language, windows and rows (half of them members) stay.

    A split with so many rows of each size becomes one with as many rows in all; a split of all strings gets as many
    negatives as it has members. Guided negatives need next-symbol sets.
    """
    if not isinstance(task.view, NextSymbol):
        raise UsageError(
            f"{task.name} is asked by {task.view.name}; only next-symbol tasks can be asked as recognition."
        )
    has_masks = len(task.language.alphabet) <= MASK_SYMBOLS
    return replace(
        task,
        name=f"{task.name}--recognition",
        view=Recognition(tuple(kind for kind in KINDS if has_masks or kind != "guided")),
        splits={name: _recognition_split(task.language, split) for name, split in task.splits.items()},
    )


def _recognition_split(language: Language, split: Split) -> Split:
    sizes = language.sizes(split.window)
    if split.rows == "all":
        return replace(split, rows=2 * sum(map(language.count, sizes)))
    if isinstance(split.rows, int) and split.per_size:
        return replace(split, rows=split.rows * len(sizes), per_size=False)
    return split
