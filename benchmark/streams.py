"""The stream of Joulin & Mikolov 2015: strings one behind the other, nothing between them.

A model is fed one symbol after the other and asked for the next one. It never sees where a string ends: on the last
symbol of one the first of the next is asked for. Its memory is not emptied for each string, only every so many, before
their first symbol is asked for. As in the authors' program the symbol fed first is the last of the alphabet; behind the
last string the first begins again (our choice; the authors do not score the last string).

    strings   a b   a a b b             resets every 2 strings
    fed       b  a  b  a  a  b  b
    next      a  b  a  a  a  b  b ...

This is for models that go on from symbol to symbol, with `reset` and `step`; `eval` asks for each string by itself.
What lies between two resets is a segment: memory carries nothing from one to another, so that a model may be asked all
of them side by side.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from marnn_bench.errors import UsageError
from marnn_bench.examples import SetExamples
from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.strings import Strings
from marnn_bench.task import Task
from marnn_bench.views import NextSymbol

RESET_EVERY = {"memorization": 100, "binary-addition": 10}
DEFAULT_RESET = 1_000
"""Strings between two resets in the authors' program, in training. In its tests only addition is reset, every 10."""

NO_ROW = -1


@dataclass(frozen=True, eq=False)
class Stream:
    """What is fed and asked, one place for each symbol and one before the first: [places].

    inputs:   symbol ids
    targets:  the symbol that comes next
    scored:   whether that counts: only one symbol could come
    resets:   whether memory is emptied before this symbol is fed
    rows:     the string whose answer it is, by which what follows on its last symbol is meant too; -1 before the first
    """

    inputs: Ids
    targets: Ids
    scored: NDArray[np.bool_]
    resets: NDArray[np.bool_]
    rows: NDArray[np.int64]

    @property
    def segments(self) -> Strings:
        """What is fed from one reset to the next: [segments].

        Answers after each symbol of these, in their order, are one for each place, as `correct` takes them. The first of
        a segment belongs to the string before it, whose last symbol is fed there.
        """
        return Strings(self.inputs, np.append(np.flatnonzero(self.resets), len(self.inputs)))

    def __iter__(self) -> Iterator[tuple[int, int, bool, bool]]:
        """Place by place: fed, wanted, scored, reset."""
        columns = (self.inputs, self.targets, self.scored, self.resets)
        return zip(*(column.tolist() for column in columns), strict=True)

    def correct(self, answers: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether each string has all its scored symbols right, given one id for each place: [strings]."""
        wrong = self.scored & (answers != self.targets)
        return np.asarray(np.bincount(self.rows[1:], wrong[1:]) == 0)


def default_reset(task: Task) -> int:
    """How many strings of this task the authors' program has between two resets."""
    return RESET_EVERY.get(task.name, DEFAULT_RESET)


def as_stream(examples: SetExamples, reset_every: int | None = None) -> Stream:
    """The rows of a split as one stream, in their order.

    UsageError if the task does not ask for single symbols, END among them.
    """
    task, strings = examples.task, examples.strings
    view, every = task.view, default_reset(task) if reset_every is None else reset_every
    if not isinstance(view, NextSymbol) or not view.end or view.scored == "all":
        raise UsageError(
            f"{task.name} does not score single symbols, so that it cannot be asked as a stream."
        )
    if not len(strings) or not strings.lengths.all() or every < 1:
        raise UsageError("A stream needs strings, none of them empty, and at least one between two resets.")
    last_letter = np.array([len(task.language.alphabet) - 1], strings.ids.dtype)
    resets = np.zeros(len(strings.ids) + 1, np.bool_)
    resets[strings.offsets[:-1:every]] = True
    return Stream(
        inputs=np.concatenate([last_letter, strings.ids]),
        targets=np.append(strings.ids, strings.ids[0]),
        scored=np.concatenate([[False], view.scored_mask(task.language, examples.answers)]),
        resets=resets,
        rows=np.concatenate([[NO_ROW], strings.rows]),
    )
