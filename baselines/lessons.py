"""What is learned from: strings as a model is given them, and what is right after each of their symbols.

Asked is, by the view of the task:

    next-symbol        after each symbol: the right set or, if next symbols are learned, the symbol that comes, then END if
                       it is a column
    synchronous        after each symbol: the output of this step
    transduction       after the separator and each symbol of the target: the next one, then END
    recognition        after the last symbol: member or not; if labels are learned at every step, that after START and each symbol
    language modelling after START and each symbol: the next one, then END
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.joint import START
from marnn_bench.baselines.recipes import Learns
from marnn_bench.errors import UsageError
from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.views import NextSymbol

UNASKED: Final = -1
"""The choice where nothing is asked."""


@dataclass(frozen=True)
class Lessons:
    """Strings one behind another, none of them empty, with their right answers.

    ids:      [symbols]      int32, places in `input_symbols`
    answers:  [symbols]      uint64, sets, a bit for each column; or int32, choices: the right column, UNASKED where nothing
                             is asked, or as many as there are columns where none is right
    offsets:  [strings + 1]  int64, where each string begins
    """

    ids: NDArray[np.int32]
    answers: NDArray[np.uint64] | NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def longest(self) -> int:
        """The length of the longest string."""
        return int(np.diff(self.offsets).max())

    @property
    def are_sets(self) -> bool:
        """Whether the answers are sets."""
        return self.answers.dtype == np.uint64

    @cached_property
    def asked(self) -> NDArray[np.int64]:
        """How many positions are asked before each symbol, and in all: [symbols + 1]"""
        return offsets_of(np.ones(len(self.ids)) if self.are_sets else self.answers != UNASKED)

    def rows(self, first: int, last: int) -> "Lessons":
        """Strings first to last - 1."""
        begin, end = self.offsets[first], self.offsets[last]
        return Lessons(self.ids[begin:end], self.answers[begin:end], self.offsets[first : last + 1] - begin)

    def right(self, columns: int) -> NDArray[np.float64]:
        """1 in the right columns, else 0: [symbols, columns]"""
        numbers = np.arange(columns)
        if self.are_sets:
            bits = self.answers[:, None].astype(np.uint64) >> numbers.astype(np.uint64) & np.uint64(1)
            return np.asarray(bits, np.float64)
        return np.asarray(self.answers[:, None] == numbers, np.float64)


def joined(lessons: Sequence[Lessons]) -> Lessons:
    """All of these, one behind another; their answers are of one kind."""
    ids, answers = (np.concatenate([getattr(one, name) for one in lessons]) for name in ("ids", "answers"))
    return Lessons(ids, answers, offsets_of(np.concatenate([np.diff(one.offsets) for one in lessons])))


def lessons_of(examples: Examples, learns: Learns = "sets") -> Lessons:
    """What is learned from these examples; the empty string is left out where it asks nothing.

    UsageError if nothing is left.

    >>> from marnn_bench.tasks.registry import find_task
    >>> task = find_task("dyck2--lm")
    >>> strings = Strings.from_texts(task.language.alphabet, ["( )", ""])
    >>> lessons = lessons_of(LanguageModellingExamples(task, "train", strings, np.zeros(2), ""))
    >>> lessons.ids.tolist(), lessons.answers.tolist()  # START ( ) START; ( ) END END
    ([0, 1, 2, 0], [0, 1, 4, 4])
    """
    match examples:
        case SetExamples():
            lessons = _of_sets(examples, learns)
        case TransductionExamples():
            lessons = _of_transduction(examples)
        case RecognitionExamples():
            member = np.where(examples.label, 0, len(examples.task.columns))
            lengths = examples.strings.lengths
            every = learns == "labels at every step"
            before = np.repeat(member if every else np.full_like(member, UNASKED), lengths)
            lessons = _lessons(_begun(examples.strings), [Part(before, lengths), _ones(member)])
        case LanguageModellingExamples():
            end = _each(len(examples.task.columns) - 1, examples)
            lessons = _lessons(_begun(examples.strings), [_of(examples.strings), end])
        case _:
            raise TypeError(
                f"{examples.task.name}: nothing is learned from the view {examples.task.view.name}."
            )
    if not len(lessons):
        raise UsageError(f"{examples.task.name} {examples.split} has nothing to learn from; use more rows.")
    return lessons


def _of_sets(examples: SetExamples, learns: Learns) -> Lessons:
    examples = examples.take(examples.strings.lengths > 0)
    strings, view = examples.strings, examples.task.view
    answers: NDArray[np.uint64] | NDArray[np.int32] = examples.answers.astype(np.uint64)
    if learns != "sets" and isinstance(view, NextSymbol):
        answers = np.append(strings.ids[1:], 0).astype(np.int32)
        answers[strings.offsets[1:] - 1] = len(examples.task.columns) - 1 if view.end else UNASKED
    elif learns != "sets":  # sets of one output, whose number is how many bits are below it
        answers = np.bitwise_count(examples.answers - np.uint64(1)).astype(np.int32)
    return Lessons(strings.ids.astype(np.int32), answers, strings.offsets.astype(np.int64))


def _of_transduction(examples: TransductionExamples) -> Lessons:
    """START source ||| target, asked from ||| on."""
    task, target = examples.task, _of(examples.targets)
    begun, separator = _begun(examples.strings), 1 + len(task.language.alphabet)
    unasked = _all(UNASKED, 1 + examples.strings.lengths)
    end = _each(len(task.columns) - 1, examples)
    inputs = [*begun, _each(separator, examples), Part(separator + 1 + target.values, target.lengths)]
    return _lessons(inputs, [unasked, target, end])


class Part(NamedTuple):
    """A part of each string: values one behind another, and how many of them each string has."""

    values: NDArray[np.int64]
    lengths: NDArray[np.int64]


def _of(strings: Strings) -> Part:
    return Part(strings.ids.astype(np.int64), strings.lengths)


def _all(value: int, lengths: NDArray[np.int64]) -> Part:
    """The same value everywhere."""
    return Part(np.full(lengths.sum(), value), lengths)


def _ones(values: NDArray[np.int64]) -> Part:
    """One value in each string."""
    return Part(values, np.ones(len(values), np.int64))


def _each(value: int, examples: Examples) -> Part:
    """The same one value in each string."""
    return _ones(np.full(len(examples), value))


def _begun(strings: Strings) -> list[Part]:
    """START, then the symbols."""
    symbols = _of(strings)
    return [_ones(np.full(len(strings), START)), Part(START + 1 + symbols.values, symbols.lengths)]


def _lessons(inputs: Sequence[Part], choices: Sequence[Part]) -> Lessons:
    offsets = offsets_of(np.sum([part.lengths for part in inputs], 0))
    return Lessons(_joined(inputs), _joined(choices), offsets)


def _joined(parts: Sequence[Part]) -> NDArray[np.int32]:
    """The first part of the first string, its second one, ..., then those of the next string."""
    rows = [np.repeat(np.arange(len(part.lengths)), part.lengths) for part in parts]
    order = np.argsort(np.concatenate(rows), kind="stable")
    return np.concatenate([part.values for part in parts])[order].astype(np.int32)
