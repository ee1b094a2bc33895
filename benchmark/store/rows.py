"""Which strings make up a split, and each block of them as a function of the split's key.

A split is a row of segments: one, or one for each size where a task asks for so many strings of every size. A segment
is a list of draws, and behind them strings that are spelt out.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.errors import UsageError
from marnn_bench.generators.keys import Key
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Draws, Law
from marnn_bench.generators.sampling.distinct import MAX_KEPT_SYMBOLS, select_distinct
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window
from marnn_bench.task import Task


@dataclass(frozen=True, eq=False)
class Segment:
    """Rows that one law gives under one key.

    draws:       the numbers of the draws that are kept, in order; None if row i is draw i
    enumerated:  the strings behind them
    kept:        the first of these strings, which need not be drawn again
    """

    law: Law
    window: Window
    key: Key
    rows: int
    draws: Draws | None = None
    enumerated: Strings | None = None
    kept: Strings | None = None

    def strings(self, first: int, last: int) -> Strings:
        """Rows first..last-1."""
        if self.kept is not None and last <= len(self.kept):
            return self.kept.slice(first, last)
        if self.draws is None:
            return self.law.draw(self.window, self.key, np.arange(first, last, dtype=np.uint64))
        drawn = self.law.draw(self.window, self.key, self.draws[first:last])
        missing = last - first - len(drawn)
        if not missing or self.enumerated is None:
            return drawn
        start = max(first - len(self.draws), 0)
        return Strings.concatenate([drawn, self.enumerated.take(np.arange(start, start + missing))])


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a split; `repetition_rate` is the share of its draws that gave a string already there, if drawn."""

    segments: tuple[Segment, ...]
    repetition_rate: float | None

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """Behind which row each segment ends: [segments]."""
        return np.cumsum([segment.rows for segment in self.segments])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def strings(self, first: int, last: int) -> Strings:
        """Rows first..last-1."""
        parts = []
        for segment, end in zip(self.segments, self.ends.tolist(), strict=True):
            start = end - segment.rows
            if first < end and start < last:
                parts.append(segment.strings(max(first, start) - start, min(last, end) - start))
        return Strings.concatenate(parts) if len(parts) > 1 else parts[0]


def choose_rows(task: Task, split: str, earlier: Sequence[Strings], workers: int = 1) -> Rows:
    """The rows of a split whose strings are members, without those that earlier splits have."""
    wanted, law, language = task.split(split), task.law(split), task.language
    sizes = language.sizes(wanted.window)
    if wanted.rows == "all":
        return Rows((_everything(language, law, wanted.window, task.key(split), earlier),), None)
    rows = task.row_count(split)
    if not wanted.distinct:
        return Rows((Segment(law, wanted.window, task.key(split), rows),), 0.0)
    if not wanted.per_size:
        return _distinct([(wanted.window, task.key(split), rows)], language, law, earlier, workers)
    taken = Counter(int(n) for strings in earlier for n in language.sizes_of(strings))
    left = {n: min(rows, language.count(n) - taken[n]) for n in sizes}
    each = [(Window(n, n), task.key(split, size=n), number) for n, number in left.items() if number]
    return _distinct(each, language, law, earlier, workers)


def _distinct(
    asked: list[tuple[Window, Key, int]],
    language: Language,
    law: Law,
    earlier: Sequence[Strings],
    workers: int,
) -> Rows:
    if not asked:
        raise UsageError(
            f"{language.name}: earlier splits have all strings of the window; ask for a wider one."
        )
    segments, tried, drawn, room = [], 0, 0, MAX_KEPT_SYMBOLS
    for window, key, rows in asked:
        chosen = select_distinct(language, law, window, key, rows, earlier, workers, room)
        room -= len(chosen.strings.ids)
        segments.append(Segment(law, window, key, rows, chosen.draws, chosen.enumerated, chosen.strings))
        tried, drawn = tried + chosen.tried, drawn + len(chosen.draws)
    return Rows(tuple(segments), 1 - drawn / tried)


def _everything(
    language: Language, law: Law, window: Window, key: Key, earlier: Sequence[Strings]
) -> Segment:
    """Every string of the window, in the order of the enumeration, but those of earlier splits."""
    known = {tuple(string.tolist()) for strings in earlier for string in strings}
    members = (string for size in window for string in language.enumerate(size) if string not in known)
    listed = Strings.from_ids(language.alphabet, members)
    if not len(listed):
        raise UsageError(
            f"{language.name}: earlier splits have all strings of the window {window}; ask for a wider one."
        )
    return Segment(law, window, key, len(listed), np.empty(0, np.uint64), listed)
