"""Regular languages: the strings that a finite automaton accepts.

Labelled by the automaton as written, its states that cannot reach acceptance aside; drawn uniformly from the numbers
of walks through the smallest automaton.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.devices.walks import Walks
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Draws, Law, TwoStageLaw
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.thresholds import EXACT, Weight, total
from marnn_bench.generators.window import Window


@dataclass(frozen=True)
class Regular(Language):
    """The strings that an automaton accepts. Its depth is 0 throughout: finite memory is enough.

    >>> fibonacci = Regular.parse("no-two-ones-in-a-row", '''
    ...     start apart
    ...     accept apart one
    ...     apart 0 -> apart
    ...     apart 1 -> one
    ...     one   0 -> apart
    ... ''')
    >>> [fibonacci.count(length) for length in range(8)]
    [1, 2, 3, 5, 8, 13, 21, 34]
    >>> fibonacci.show_next("0 1 0")
    '0/1/END 0/END 0/1/END'
    """

    name: str
    dfa: DFA
    law_names = ("uniform", "weighted")

    @property
    def automaton(self) -> DFA:
        return self.dfa

    @classmethod
    def parse(cls, name: str, text: str) -> "Regular":
        """The language of an automaton's text."""
        return cls(name, DFA.parse(text))

    @property
    def alphabet(self) -> Alphabet:
        return self.automaton.alphabet

    @property
    def largest(self) -> int:
        return min(super().largest, self._strings.longest)

    def count(self, length: int) -> int:
        return int(self._strings.total(length))

    def enumerate(self, length: int) -> Iterator[tuple[int, ...]]:
        return self._strings.enumerate(length)

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return self._strings.sample(lengths, key, draws)

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        return np.zeros(len(strings.ids), np.int64)

    def law(self, spec: str) -> Law:
        return WeightedLaw(self) if spec == "weighted" else super().law(spec)

    @cached_property
    def _strings(self) -> Walks:
        return Walks(self.automaton.minimal())

    @cached_property
    def walks(self) -> Walks:
        """The walks through the automaton as written, with its weights."""
        return Walks(self.automaton)


@dataclass(frozen=True)
class WeightedLaw(TwoStageLaw):
    """Every string in proportion to the product of its transitions' weights, among the strings of the window."""

    language: Regular
    spec = "weighted"

    def size_weights(self, window: Window) -> Mapping[int, Weight]:
        if window.high > self.language.walks.longest:
            raise LanguageError(
                f"Window {window} is too wide: products of these weights reach up to {self.language.walks.longest:,} "
                "symbols, beyond which they take minutes. Try shorter strings, or weights with fewer digits."
            )
        return {n: self.language.walks.weight(n) for n in self.language.sizes(window)}

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return self.language.walks.sample(sizes, key, draws)

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        inside = (window.low <= strings.lengths) & (strings.lengths <= window.high)
        normaliser = float(EXACT.ln(total(self.size_weights(window).values())))
        log_prob = self.language.walks.log_weights(strings) - normaliser
        return np.where(inside & self.language.accepts(strings), log_prob, -np.inf)
