"""Walks through a finite automaton: how many there are, which, and random ones.

The weight of a walk is the product of its transitions' weights. With n symbols to come in state q, walks to acceptance
weigh

    W(0, q) = 1 if q accepts, else 0        W(n, q) = sum over transitions of weight * W(n - 1, next)

together, and the next transition is chosen in proportion to its term. All of this in integers: the weights are brought
to a common denominator d, and d^n divides the total.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.labeller import previous_values
from marnn_bench.generators.laws import Draws
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.generators.thresholds import EXACT, decimal, thresholds

MAX_THRESHOLDS = 1 << 27
"""Thresholds in a sampler's table, 8 bytes each."""


MAX_MICROSECONDS = 60_000_000


@dataclass(frozen=True, eq=False)
class Walks:
    """The walks of an automaton from its start to acceptance."""

    automaton: DFA

    def total(self, length: int) -> Fraction:
        """The weight of all walks of this length; with weights of 1, their number."""
        return Fraction(self._sums(length)[0], self._denominator**length)

    @cached_property
    def longest(self) -> int:
        """The longest strings that are counted and drawn within a minute."""
        return max(
            (1 << bits) - 1 for bits in range(21) if bits < 4 or self._microseconds(bits) <= MAX_MICROSECONDS
        )

    def _microseconds(self, bits: int) -> int:
        """What the tables of all lengths below 2^bits take, about; their numbers grow with the length."""
        most = max(sum(weight for _, weight, _ in row) for row in self._transitions)
        digits = most.bit_length() << bits
        transitions = sum(map(len, self._transitions))
        return (transitions << bits) * (4 + digits**2 // 3_000_000)

    def weight(self, length: int) -> Decimal:
        """The same to 100 digits, without looking for a common divisor of numbers of thousands of digits."""
        return EXACT.divide(Decimal(self._sums(length)[0]), Decimal(self._denominator**length))

    def enumerate(self, length: int) -> Iterator[tuple[int, ...]]:
        """The symbols of each walk, in the order of the alphabet."""
        if not self._sums(length)[0]:
            return
        walk: list[int] = []
        choices = [
            iter(self._transitions[0])
        ]  # of the symbols so far, and the next: what is still to be tried
        while choices:
            if len(walk) == length:
                yield tuple(walk)
            else:
                left = length - len(walk) - 1
                found = next(((symbol, to) for symbol, _, to in choices[-1] if self._sums(left)[to]), None)
                if found:
                    walk.append(found[0])
                    choices.append(iter(self._transitions[found[1]]))
                    continue
            choices.pop()
            if walk:
                walk.pop()

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        """For each draw a walk of the given length, in proportion to the weights. Some walk must have it."""
        upper_ends, outcomes = _choices(self, int(lengths.max(initial=0)).bit_length())
        offsets = offsets_of(lengths)
        ids = np.empty(offsets[-1], self.automaton.alphabet.dtype)
        kernels.automata.sample_walks(
            key_words(key), draws, self.automaton.moves, upper_ends, outcomes, offsets, ids
        )
        return Strings(ids, offsets)

    def log_weights(self, strings: Strings) -> NDArray[np.float64]:
        """The natural log of the weight of each string's walk; all must be members: [n]."""
        table = np.zeros(self.automaton.moves.shape)
        for state, row in enumerate(self._transitions):
            for symbol, weight, _ in row:
                table[state, symbol] = float(EXACT.ln(decimal(Fraction(weight, self._denominator))))
        before = previous_values(self.automaton.state_numbers(strings), 0, strings)
        logs = table[before, strings.ids]
        return np.asarray(np.bincount(strings.rows, logs, minlength=len(strings)), np.float64)

    @cached_property
    def _denominator(self) -> int:
        return lcm(*(transition.weight.denominator for transition in self.automaton.transitions))

    @cached_property
    def _transitions(self) -> list[list[tuple[int, int, int]]]:
        """For each state its transitions that lead to live ones, (symbol, weight * denominator, next state)."""
        automaton = self.automaton
        weights = {(t.state, t.symbol): int(t.weight * self._denominator) for t in automaton.transitions}
        return [
            [
                (i, weights[state, symbol], int(to))
                for i, (symbol, to) in enumerate(zip(automaton.alphabet, row, strict=True))
                if to < len(automaton.states)
            ]
            for state, row in zip(automaton.states, automaton.moves, strict=False)
        ]

    def _sums(self, length: int) -> list[int]:
        """W(length, q), times denominator^length, for each state."""
        return _layers(self, length.bit_length())[length]


@lru_cache(maxsize=32)
def _layers(walks: Walks, bits: int) -> list[list[int]]:
    """The sums of all lengths below 2^bits."""
    automaton = walks.automaton
    layers = [[int(state in automaton.accepting) for state in automaton.states]]
    for _ in range((1 << bits) - 1):
        after = layers[-1]
        layers.append([sum(weight * after[to] for _, weight, to in row) for row in walks._transitions])
    return layers


@lru_cache(maxsize=8)
def _choices(walks: Walks, bits: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """With fewer than 2^bits symbols to come, how the next one is chosen in each state.

    Thresholds [symbols to come, states, symbols], and how many of these symbols there are to choose among, the last
    of them being possible: [symbols to come, states].
    """
    states, symbols = len(walks.automaton.states), len(walks.automaton.alphabet)
    if states * symbols << bits > MAX_THRESHOLDS:
        raise LanguageError(
            f"Strings of {1 << bits:,} symbols are too long for a sampler with {states:,} states and {symbols:,} "
            f"symbols: the product of the three is at most {MAX_THRESHOLDS:,}."
        )
    upper_ends = np.zeros((1 << bits, states, symbols), np.uint64)
    outcomes = np.zeros((1 << bits, states), np.int64)
    for left, after in enumerate(_layers(walks, bits)[:-1], 1):
        for state, row in enumerate(walks._transitions):
            terms = [0] * symbols
            for symbol, weight, to in row:
                terms[symbol] = weight * after[to]
            if any(terms):
                upper_ends[left, state] = thresholds(terms)
                outcomes[left, state] = max(symbol for symbol, term in enumerate(terms) if term) + 1
    return upper_ends, outcomes
