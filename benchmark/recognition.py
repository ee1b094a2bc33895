"""Any next-symbol task asked as recognition: the same strings, and others that are none of the language."""

from dataclasses import replace

from marnn_bench.errors import UsageError
from marnn_bench.generators.language import Language
from marnn_bench.generators.sampling.negatives import kinds_of
from marnn_bench.task import Split, Task
from marnn_bench.views import NextSymbol, Recognition


def as_recognition(task: Task) -> Task:
    """The task `<task>--recognition`: is it a member? Language, windows and rows (half of them members) stay.

    A split with so many rows of each size becomes one with as many rows in all; a split of all strings gets as many
    negatives as it has members. The negatives are of all kinds that the language has.
    """
    if not isinstance(task.view, NextSymbol):
        raise UsageError(
            f"{task.name} is asked by {task.view.name}; only next-symbol tasks can be asked as recognition."
        )
    kinds = kinds_of(task.language)
    return replace(
        task,
        name=f"{task.name}--recognition",
        version=_next_major(task.version) if "blocks" in kinds else task.version,
        view=Recognition(kinds),
        splits={name: _recognition_split(task.language, split) for name, split in task.splits.items()},
    )


def _next_major(version: str) -> str:
    """The version of tasks whose first had no negatives of the kind `blocks`."""
    major, _, minor = version.partition(".")
    return f"{int(major) + 1}.{minor}"


def _recognition_split(language: Language, split: Split) -> Split:
    sizes = language.sizes(split.window)
    if split.rows == "all":
        return replace(split, rows=2 * sum(map(language.count, sizes)))
    if isinstance(split.rows, int) and split.per_size:
        return replace(split, rows=split.rows * len(sizes), per_size=False)
    return split
