"""Any next-symbol task asked as language modelling: independent draws, each with its exact probability."""

from dataclasses import replace
from typing import Literal

from marnn_bench.errors import UsageError
from marnn_bench.generators.language import Language
from marnn_bench.task import Split, Task
from marnn_bench.views import LanguageModelling, NextSymbol

INDEPENDENT = "Draws are independent: a split may hold a string twice, and strings that an earlier split has, whatever its name."


def as_language_modelling(task: Task) -> Task:
    """The task `<task>--lm`: how likely is each next symbol? Language, windows and laws stay.

    Every split is independent draws from its law, which is what its bound holds for: nothing is left out because it was
    there before. There are as many as the split has rows; for one of all strings as many as its window has, and for one
    of so many rows of each size as many as these are together. Endless splits stay endless.

    UsageError if the task is of another view, or if a split's law has no exact probabilities.

    >>> from marnn_bench.tasks.registry import find_task
    >>> task = as_language_modelling(find_task("memorization"))
    >>> task.columns, task.split("test").rows  # 2 + 4 + ... + 128, then 200 for each n in 8-60
    (('a', 'b', '#', 'END'), 10854)
    """
    if not isinstance(task.view, NextSymbol):
        raise UsageError(
            f"{task.name} is asked by {task.view.name}; only next-symbol tasks can be asked as language modelling."
        )
    return replace(
        task,
        name=f"{task.name}--lm",
        view=LanguageModelling(),
        splits={name: _independent(task.language, split) for name, split in task.splits.items()},
        notes=(*task.notes, INDEPENDENT),
    )


def _independent(language: Language, split: Split) -> Split:
    return replace(split, rows=_rows(language, split), distinct=False, per_size=False, overlaps="")


def _rows(language: Language, split: Split) -> int | Literal["all", "fresh"]:
    counts = [language.count(size) for size in language.sizes(split.window)]
    if split.rows == "all":
        return sum(counts)
    if isinstance(split.rows, int) and split.per_size:
        return sum(min(split.rows, count) for count in counts)
    return split.rows
