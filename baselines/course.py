"""The strings of a training: of each epoch, for validation, and of the test where a recipe selects by it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.lessons import UNASKED, Lessons, joined, lessons_of
from marnn_bench.baselines.orders import rows_of_epoch
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples, RecognitionExamples, SetExamples
from marnn_bench.fresh import EPOCHS, fresh_examples
from marnn_bench.generators.window import Window
from marnn_bench.task import Task
from marnn_bench.views import LanguageModelling, NextSymbol, SetView

VALIDATED: Final = 1_024
"""Strings of a validation, at most."""

SHARE: Final = 10
"""Of a finite split at most one in so many is held out for validation."""


@dataclass(frozen=True, eq=False)
class Exam:
    """Strings of which the share of right answers is taken: those whose score is above that of all other columns looked at.

    columns:  [columns]  which are looked at
    """

    lessons: Lessons
    columns: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Course:
    """What a training is given.

    columns:     of an answer
    epoch:       from the number of an epoch, counted from 0, to its strings
    strings:     how many each epoch has
    validation:  strings that no epoch has
    exam:        those of the test splits
    graded:      whether an evaluation finds whole strings right or wrong by what is learned
    empty:       strings that were left out since they ask nothing
    """

    columns: int
    epoch: Callable[[int], Lessons]
    strings: int
    validation: Lessons | None = None
    exam: Exam | None = None
    graded: bool = True
    empty: int = 0

    def all_columns(self, lessons: Lessons) -> Exam:
        """These strings, asked about all columns."""
        return Exam(lessons, np.ones(self.columns, np.bool_))


def finite_course(examples: Examples, recipe: Recipe, exam: Exam | None = None) -> Course:
    """The same strings in every epoch. Where the recipe validates, the last ones are held out: a tenth, at most VALIDATED."""
    if recipe.curriculum:
        raise UsageError(
            f"The sizes of {recipe.name}'s curriculum are drawn, and {examples.task.name} {examples.split} has fixed rows: "
            "choose a task whose train split is endless."
        )
    validation = None
    if recipe.validates:
        held_out = min(VALIDATED, len(examples) // SHARE)
        if not held_out:
            raise UsageError(
                f"{examples.task.name} {examples.split} has {len(examples)} strings, of which none can be held out for validation: "
                f"use {SHARE} or more."
            )
        validation = lessons_of(examples.take(range(len(examples) - held_out, len(examples))), recipe.learns)
        examples = examples.take(range(len(examples) - held_out))
    if recipe.balanced and isinstance(examples, RecognitionExamples):
        examples = examples.take(balanced(examples.label))
    asking = examples.take(examples.strings.lengths > 0) if isinstance(examples, SetExamples) else examples

    @lru_cache(maxsize=1)
    def epoch(number: int) -> Lessons:
        rows = rows_of_epoch(asking.strings.lengths, recipe.order, number, recipe.epochs)
        return lessons_of(asking.take(rows), recipe.learns)

    lessons = lessons_of(examples, recipe.learns)
    return Course(
        len(examples.task.columns),
        (lambda number: lessons) if recipe.order == "given" else epoch,
        len(lessons),
        validation,
        exam,
        _is_graded(examples.task, recipe),
        len(examples) - len(lessons),
    )


def balanced(label: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Rows in their order, of which those of the rarer label come again, evenly spread, until both come equally often.

    >>> balanced(np.array([False, True, False, False, False])).tolist()
    [0, 1, 2, 1, 3, 1, 4, 1]
    """
    few, many = sorted((np.flatnonzero(label), np.flatnonzero(~label)), key=len)
    if not len(few) or len(few) == len(many):
        return np.arange(len(label))
    return np.stack([many, np.resize(few, len(many))], axis=1).reshape(-1)


def fresh_course(task: Task, recipe: Recipe, rows: int, exam: Exam | None = None) -> Course:
    """An endless train split: so many new strings in every epoch, of the sizes of the recipe's curriculum.

    Those of the validation are the draws of an epoch that no training comes to.
    """

    def drawn(epoch: int, rows: int, sizes: range | None) -> Lessons:
        asked = task.with_splits(windows={"train": Window(sizes[0], sizes[-1])}) if sizes else task
        lessons = lessons_of(fresh_examples(asked, "train", rows, epoch), recipe.learns)
        if len(lessons) < rows:
            raise UsageError(
                f"{task.name} train has the empty string, which asks nothing: choose another window."
            )
        return lessons

    @lru_cache(maxsize=1)
    def epoch(number: int) -> Lessons:
        return drawn(number, rows, recipe.curriculum.sizes(number) if recipe.curriculum else None)

    validation = drawn(EPOCHS - 1, VALIDATED, None) if recipe.validates else None
    return Course(len(task.columns), epoch, rows, validation, exam, _is_graded(task, recipe))


def _is_graded(task: Task, recipe: Recipe) -> bool:
    sets_of_distributions = isinstance(task.view, SetView) and recipe.learns != "sets"  # by a threshold
    in_part = recipe.learns == "labels at every step"  # a prefix need not be what the string is
    return not (sets_of_distributions or in_part or isinstance(task.view, LanguageModelling))


def exam_of(splits: Sequence[Examples]) -> Exam:
    """The strings of test splits. Where closing brackets are looked at, they alone are asked, and compared with each other."""
    task = splits[0].task
    lessons = joined([lessons_of(examples, "next symbols") for examples in splits])
    if not isinstance(task.view, NextSymbol) or not task.view.closing:
        return Exam(lessons, np.ones(len(task.columns), np.bool_))
    closing = np.array([column in task.view.closing for column in task.columns])
    asked = np.append(closing, False)[lessons.answers]  # False for UNASKED, which is -1
    choices = np.where(asked, lessons.answers, UNASKED).astype(np.int32)
    return Exam(Lessons(lessons.ids, choices, lessons.offsets), closing)
