"""Distinct splits: the first occurrences among the draws of a law, in their order.

This is the law without replacement, which is not the law: of Dyck-2's strings in [2, 50] the grammar has mean length
10.6, the first 5,000 different ones 23. Repetitions are all that is dropped.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Draws, Law
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

MAX_DISTINCT_ROWS = 10_000_000
"""Rows of the largest distinct split: the fingerprints of all of them are kept in memory, 32 bytes each or more."""

MAX_KEPT_SYMBOLS = 1 << 28
"""So many symbols, about, are kept once they are drawn; strings beyond are drawn again when they are wanted."""

BLOCK = 65_536
MAX_DRAWS_PER_STRING = 16
"""So often may each string of a small set be drawn, on average, before the rest of the set is enumerated."""
MAX_DRAWS_PER_ROW = 1_000


@dataclass(frozen=True, eq=False)
class Selection:
    """Which strings make up a distinct split.

    draws:       the draws that gave a new string, in order
    enumerated:  the strings behind them that hardly any draw gives, in the order of `Language.enumerate`
    strings:     the first of them, as many as are kept
    tried:       how many draws were made
    """

    draws: Draws
    enumerated: Strings
    strings: Strings
    tried: int


def select_distinct(
    language: Language,
    law: Law,
    window: Window,
    key: Key,
    rows: int,
    exclude: Sequence[Strings] = (),
    workers: int = 1,
    keep: int = MAX_KEPT_SYMBOLS,
) -> Selection:
    """The first `rows` different strings among the draws of the law, without those in `exclude`.

    Strings are drawn by so many threads; which of them are new is found out in one, in the order of the draws. About
    `keep` symbols of them are kept.
    """
    if rows > MAX_DISTINCT_ROWS:
        raise LanguageError(
            f"A distinct split has at most {MAX_DISTINCT_ROWS:,} rows, not {rows:,}; ask for independent draws."
        )
    existing = sum(language.count(size) for size in language.sizes(window))
    taken = sum(_inside(window, language.sizes_of(strings)) for strings in exclude)
    if rows > existing - taken:
        elsewhere = f" that are in no other split ({existing:,} in all)" if taken else ""
        raise LanguageError(
            f"{language.name} has {existing - taken:,} strings in the window {window}{elsewhere}, not {rows:,}: "
            "ask for fewer rows or a wider window."
        )
    known = StringSet(rows + workers * BLOCK + sum(map(len, exclude)))
    for strings in exclude:
        known.add(strings)
    found: list[Draws] = []
    kept, room = [Strings.from_ids(language.alphabet, [])], keep
    missing, tried = rows, 0
    most = min(MAX_DRAWS_PER_STRING * existing, MAX_DRAWS_PER_ROW * rows)
    with ThreadPoolExecutor(workers) as pool:
        while missing and tried < most:
            last = min(tried + min(workers * BLOCK, 2 * missing + 1024), most)
            blocks = [
                np.arange(first, min(first + BLOCK, last), dtype=np.uint64)
                for first in range(tried, last, BLOCK)
            ]
            for draws, (strings, prints) in zip(
                blocks, pool.map(partial(_draw, law, window, key), blocks), strict=True
            ):
                new = np.flatnonzero(known.add_fingerprints(prints))[:missing]
                found.append(draws[new])
                if room > 0:
                    kept.append(strings.take(new))
                    room -= len(kept[-1].ids)
                missing -= len(new)
            tried = last
    if missing and tried < MAX_DRAWS_PER_STRING * existing:
        raise LanguageError(
            f"{tried:,} draws of {law.spec} in the window {window} gave {rows - missing:,} different strings of "
            f"{language.name}, not {rows:,}: ask for fewer rows, or a law that spreads wider."
        )
    rest = _first_new(law, language, window, known, missing)
    del known  # hundreds of megabytes, where rows are millions
    if room > 0:
        kept.append(rest)
    chosen = np.concatenate(found)
    return Selection(chosen, rest, Strings.concatenate(kept), tried if missing else int(chosen[-1]) + 1)


def _draw(law: Law, window: Window, key: Key, draws: Draws) -> tuple[Strings, NDArray[np.uint64]]:
    """The strings of some draws, and their fingerprints."""
    strings = law.draw(window, key, draws)
    return strings, fingerprints(strings)


def _inside(window: Window, sizes: NDArray[np.int64]) -> int:
    return int(((window.low <= sizes) & (sizes <= window.high)).sum())


def fingerprints(strings: Strings) -> NDArray[np.uint64]:
    """127 bits for each string, the same for equal strings: [n, 2]."""
    return kernels.distinct.fingerprints(strings.ids, strings.offsets)


class StringSet:
    """A hash table of the 127-bit fingerprints of at most so many strings."""

    def __init__(self, rows: int) -> None:
        slots = 1 << (4 * (rows + BLOCK) // 3).bit_length()  # three quarters of them are filled at most
        self._slots = np.zeros((slots, 2), np.uint64)

    def add(self, strings: Strings) -> NDArray[np.bool_]:
        """Whether each string is met for the first time: [n]."""
        return self.add_fingerprints(fingerprints(strings))

    def add_fingerprints(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each fingerprint [n, 2] is met for the first time: [n]."""
        return kernels.distinct.mark_new(self._slots, fingerprints, True)

    def contains_fingerprints(self, fingerprints: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether each fingerprint [n, 2] is in the table: [n]."""
        return ~kernels.distinct.mark_new(self._slots, fingerprints, False)


def first_occurrences(strings: Strings) -> NDArray[np.bool_]:
    """Whether each string is the first of its equals: [n]."""
    return StringSet(len(strings)).add(strings)


def _first_new(law: Law, language: Language, window: Window, known: StringSet, rows: int) -> Strings:
    """The first `rows` strings of the enumeration that the law can draw and that are not yet known."""
    remaining = (string for size in window for string in language.enumerate(size))
    chosen = [Strings.from_ids(language.alphabet, [])]
    while rows:
        batch = Strings.from_ids(language.alphabet, islice(remaining, BLOCK))
        if not len(batch):
            raise LanguageError(
                f"{law.spec} draws too few strings of {language.name} in the window {window}: ask for {rows:,} rows less."
            )
        batch = batch.take(law.can_draw(batch, window))
        new = batch.take(np.flatnonzero(known.add(batch))[:rows])
        chosen.append(new)
        rows -= len(new)
    return Strings.concatenate(chosen)
