"""Shuffles of Dyck-1: strings over several kinds of brackets, each kind well nested for itself.

`( [ ) ]` is one: the brackets of one kind count, and those of the others may lie between them (Suzgun et al. 2019b).

Drawn uniformly: how many brackets are of each kind, by exact counts, then a random interleaving of random well-nested
strings. Labelled by a counter machine with a counter for each kind.

>>> Shuffle(2).show_next("( [ ) ]")
'(/)/[ (/)/[/] (/[/] (/[/END'
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.counter_machine import MAX_COUNTERS, CounterMachine
from marnn_bench.generators.devices.counter_rules import Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.laws import Draws
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.generators.thresholds import thresholds

LONGEST = 1_000
"""Symbols of a string that can be drawn: the table of shares grows with the square of the length."""


@dataclass(frozen=True)
class Shuffle(Language):
    """The shuffles of `pairs` kinds of brackets, those of the Dyck language; the empty string is one of them.

    Depth: how many brackets of all kinds are open.

    >>> [Shuffle(2).count(length) for length in range(0, 10, 2)]
    [1, 2, 10, 70, 588]
    """

    pairs: int

    def __post_init__(self) -> None:
        if not 1 <= self.pairs <= MAX_COUNTERS:
            raise LanguageError(f"A shuffle has 1 to {MAX_COUNTERS} kinds of brackets, not {self.pairs}.")

    @property
    def name(self) -> str:
        return f"shuffle{self.pairs}"

    @cached_property
    def alphabet(self) -> Alphabet:
        return Dyck(self.pairs).alphabet

    @cached_property
    def automaton(self) -> CounterMachine:
        rules = []
        for opening, closing in Dyck(self.pairs).brackets:
            rules += [Rule("q", opening, "q", increment=frozenset([opening]))]
            rules += [Rule("q", closing, "q", decrement=frozenset([opening]))]
        return CounterMachine(self.alphabet, "q", frozenset("q"), tuple(rules))

    @property
    def largest(self) -> int:
        return LONGEST

    def count(self, length: int) -> int:
        return 0 if length % 2 else _count(self.pairs, length // 2)

    def enumerate(self, length: int) -> Iterator[tuple[int, ...]]:
        return _continuations((0,) * self.pairs, length)

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        longest = int(lengths.max(initial=0))
        if longest > LONGEST:
            raise LanguageError(f"Shuffles are drawn up to {LONGEST:,} symbols, not {longest:,}.")
        offsets = offsets_of(lengths)
        ids = np.empty(offsets[-1], self.alphabet.dtype)
        shares = _shares(self.pairs, (longest // 2).bit_length())
        kernels.shuffles.sample_shuffles(key_words(key), draws, self.pairs, shares, offsets, ids)
        return Strings(ids, offsets)

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        # Every member has as many opening as closing brackets, so that the sum starts anew at each string.
        return np.cumsum(np.where(strings.ids % 2 == 0, 1, -1))


def _continuations(heights: tuple[int, ...], length: int) -> Iterator[tuple[int, ...]]:
    """The ways to go on for so many symbols when so many brackets of each kind are open."""
    if length == 0:
        yield ()
    for kind, height in enumerate(heights):
        for symbol, after in ((2 * kind, height + 1), (2 * kind + 1, height - 1)):
            changed = (*heights[:kind], after, *heights[kind + 1 :])
            if after >= 0 and sum(changed) < length:
                for rest in _continuations(changed, length - 1):
                    yield (symbol, *rest)


@lru_cache(maxsize=LONGEST)
def _firsts(half: int) -> list[int]:
    """For i = 0, 1, ...: in how many ways i pairs of one kind are placed among 2 * half symbols, C(2 half, 2i) Catalan(i)."""
    return [comb(2 * half, 2 * i) * (comb(2 * i, i) // (i + 1)) for i in range(half + 1)]


def _ways(kinds: int, half: int) -> list[int]:
    """For i = 0, 1, ...: how many shuffles with `half` pairs of brackets of so many kinds have i of the first kind."""
    return [placed * _count(kinds - 1, half - i) for i, placed in enumerate(_firsts(half))]


@lru_cache(maxsize=8 * LONGEST)
def _count(kinds: int, half: int) -> int:
    """How many shuffles there are of so many kinds with `half` pairs of brackets."""
    return _firsts(half)[half] if kinds == 1 else sum(_ways(kinds, half))


@lru_cache(maxsize=8)
def _shares(pairs: int, bits: int) -> NDArray[np.uint64]:
    """For fewer than 2^bits pairs of brackets, thresholds of how many are of one kind: [later kinds, pairs, pairs]."""
    table = np.zeros((pairs, 1 << bits, 1 << bits), np.uint64)
    for later in range(1, pairs):
        for half in range(1 << bits):
            table[later, half, : half + 1] = thresholds(_ways(later + 1, half))
    return table
