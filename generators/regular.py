"""Regular languages: deterministic finite automata, written as a list of transitions.

    # an even number of zeros and an even number of ones (Tomita's fifth language)
    start ee
    accept ee
    ee 0 -> oe
    oe 0 -> ee
    eo 0 -> oo
    oo 0 -> eo
    ee 1 -> eo
    eo 1 -> ee
    oe 1 -> oo
    oo 1 -> oe

A transition that is not written leads to where no string is accepted. `odd 0 -> odd [1/3]` gives a transition a weight
for the law `weighted`; without one it is 1.

Labelled by the automaton as written, its states that cannot reach acceptance aside; drawn uniformly from the numbers
of walks through the smallest automaton.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import MASK_SYMBOLS, Alphabet
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Draws, Law, SizeFirst
from marnn_bench.generators.notation import Line, read_sheet
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.generators.thresholds import EXACT, Weight, decimal, thresholds
from marnn_bench.generators.window import Window

LARGEST_TABLE = 1 << 27
"""Thresholds in the table of a sampler, 8 bytes each."""


@dataclass(frozen=True)
class Transition:
    """In `state`, on `symbol`, go `to`; `weight` is what a walk through here is multiplied by."""

    state: str
    symbol: str
    to: str
    weight: Fraction = Fraction(1)

    def __str__(self) -> str:
        return f"`{self.state} {self.symbol} -> {self.to}`"


@dataclass(frozen=True)
class DFA(Labeller):
    """A deterministic finite automaton that accepts at least one string.

    >>> even_ones = DFA.parse('''
    ...     start even
    ...     accept even
    ...     even 0 -> even
    ...     even 1 -> odd
    ...     odd  0 -> odd
    ...     odd  1 -> even
    ... ''')
    >>> strings = Strings.from_texts(even_ones.alphabet, ["1 0 1", "1 0"])
    >>> even_ones.accepts(strings).tolist(), even_ones.trace(strings)
    ([True, False], ['odd', 'odd', 'even', 'odd', 'odd'])
    """

    alphabet: Alphabet
    start: str
    accepting: frozenset[str]
    transitions: tuple[Transition, ...]

    def __post_init__(self) -> None:
        known: dict[tuple[str, str], Transition] = {}
        for transition in self.transitions:
            self.alphabet.id(transition.symbol)
            if transition.weight <= 0:
                raise LanguageError(f"Transition {transition} needs a weight above 0, not {transition.weight}.")
            other = known.setdefault((transition.state, transition.symbol), transition)
            if other is not transition:
                raise LanguageError(f"Transitions {other} and {transition}: the automaton must be deterministic.")
        if unknown := self.accepting - set(self.states):
            raise LanguageError(f"No transition names the accepting state {min(unknown)}.")
        if self.start not in self.live:
            raise LanguageError(f"The automaton accepts no string: {self.start} leads to no accepting state.")

    @classmethod
    def parse(cls, text: str) -> "DFA":
        """The automaton of a text as at the head of this file. LanguageError names a line that cannot be read."""
        sheet = read_sheet(text)
        transitions = tuple(map(_read_transition, sheet.rules))
        alphabet = sheet.alphabet([transition.symbol for transition in transitions])
        return cls(alphabet, sheet.start, sheet.accepting, transitions)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The start first, then in the order in which the transitions name them."""
        named = (state for t in self.transitions for state in (t.state, t.to))
        return tuple(dict.fromkeys((self.start, *named)))

    @cached_property
    def live(self) -> frozenset[str]:
        """The states from which acceptance can be reached."""
        live, todo = set(self.accepting), list(self.accepting)
        sources: dict[str, list[str]] = {}
        for transition in self.transitions:
            sources.setdefault(transition.to, []).append(transition.state)
        while todo:
            new = set(sources.get(todo.pop(), ())) - live
            live |= new
            todo += new
        return frozenset(live)

    @cached_property
    def moves(self) -> NDArray[np.int32]:
        """The next state by number; those that are not live are the last one, which nothing leaves: [states + 1, symbols]."""
        place, dead = {state: i for i, state in enumerate(self.states)}, len(self.states)
        moves = np.full((dead + 1, len(self.alphabet)), dead, np.int32)
        for transition in self.transitions:
            if transition.to in self.live:
                moves[place[transition.state], self.alphabet.id(transition.symbol)] = place[transition.to]
        return moves

    # -- what it answers

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        last = np.zeros(len(strings), np.int32)
        filled = strings.lengths > 0
        last[filled] = self._trace(strings)[strings.offsets[1:][filled] - 1]
        return self._accepting[last]

    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        return self._masks[self._trace(strings)]

    def first_symbols(self) -> int:
        return int(self._masks[0])

    def trace(self, strings: Strings) -> list[str]:
        """The state after each symbol; `dead` where no string of the language goes on."""
        names = (*self.states, "dead")
        return [names[state] for state in self._trace(strings)]

    def minimal(self) -> "DFA":
        """The smallest automaton of the language: states that the same strings lead on from are one. Weights are lost.

        Moore's algorithm: states are told apart by acceptance, then by what their transitions lead to, until no more are.
        """
        classes, found = self._accepting.astype(np.int64), 0
        while found < (found := len(np.unique(classes))):
            ...
        return self

    def _trace(self, strings: Strings) -> NDArray[np.int32]:
        return kernels.automata.trace_states(strings.ids, strings.offsets, self.moves, 0)
