"""Deterministic finite automata, written as a list of transitions.

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
"""

import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import MASK_SYMBOLS, Alphabet
from marnn_bench.generators.devices.automaton_text import ACCEPT_ANY, Line, parse_automaton
from marnn_bench.generators.devices.text_lines import shorten
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.number_text import read_number
from marnn_bench.generators.strings import Strings

MAX_MOVES = 1 << 24
"""States times symbols, of which a table is made."""


@dataclass(frozen=True)
class Transition:
    """In `state`, on `symbol`, go `to`; `weight` is what a walk through here is multiplied by."""

    state: str
    symbol: str
    to: str
    weight: Fraction = Fraction(1)
    line: Line | None = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return str(self.line or f"`{self.state} {self.symbol} -> {self.to}`")

    @classmethod
    def parse(cls, line: Line) -> "Transition":
        """The transition of a line. LanguageError says how one is written."""
        left, right = (
            re.fullmatch(r"(\S+) (\S+)", line.left),
            re.fullmatch(r"(\S+)(?: \[(\S+)\])?", line.right),
        )
        if not left or not right:
            raise line.error("a transition reads `STATE SYMBOL -> STATE` or `STATE SYMBOL -> STATE [1/3]`.")
        try:
            return cls(left[1], left[2], right[1], read_number(right[2] or "1"), line)
        except ValueError as error:
            raise line.error(f"the weight {shorten(right[2])} {error}; write it like [1/3].") from None


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
        if len(self.states) * len(self.alphabet) > MAX_MOVES:
            raise LanguageError(
                f"An automaton of {len(self.states):,} states and {len(self.alphabet):,} symbols is too large: "
                f"the product is at most {MAX_MOVES:,}."
            )
        known: dict[tuple[str, str], Transition] = {}
        for transition in self.transitions:
            self.alphabet.id(transition.symbol)
            if transition.weight <= 0:
                raise LanguageError(
                    f"Transition {transition} needs a weight above 0, not {transition.weight}."
                )
            other = known.setdefault((transition.state, transition.symbol), transition)
            if other is not transition:
                raise LanguageError(
                    f"Transitions {other} and {transition}: the automaton must be deterministic."
                )
        if unknown := self.accepting - set(self.states):
            raise LanguageError(f"No transition names the accepting state {min(unknown)}.")
        if self.start not in self.live:
            raise LanguageError(f"The automaton accepts no string: {self.start} leads to no accepting state.")

    @classmethod
    def parse(cls, text: str) -> "DFA":
        """The automaton of a text as at the head of this file. LanguageError names a line that cannot be read."""
        parsed = parse_automaton(text)
        if parsed.accepting_any:
            raise parsed.lines[ACCEPT_ANY].error("a finite automaton has no memory; write `accept STATES`.")
        transitions = tuple(map(Transition.parse, parsed.rules))
        alphabet = parsed.alphabet([transition.symbol for transition in transitions])
        parsed.check_states([(transition.state, transition.to) for transition in transitions])
        return cls(alphabet, parsed.start, parsed.accepting, transitions)

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
        last[filled] = self.state_numbers(strings)[strings.offsets[1:][filled] - 1]
        return self._accepting[last]

    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        return self._masks[self.state_numbers(strings)]

    def first_symbols(self) -> int:
        return int(self._masks[0])

    def trace(self, strings: Strings) -> list[str]:
        """The state after each symbol; `dead` where no string of the language goes on."""
        names = (*self.states, "dead")
        return [names[state] for state in self.state_numbers(strings)]

    def minimal(self) -> "DFA":
        """The smallest automaton of the language: states that the same strings lead on from become one, weights 1.

        Moore's algorithm: states are told apart by acceptance, then by what their symbols lead to, until no more are.
        """
        classes, refined = np.zeros(len(self._accepting), np.int64), self._accepting.astype(np.int64)
        while refined.max() > classes.max():
            classes = refined
            for following in classes[self.moves].T:
                pairs = refined * len(classes) + following
                refined = np.unique(pairs, return_inverse=True)[1].reshape(-1)
        first = {c: i for i, c in reversed([*enumerate(classes.tolist())])}
        kept, known, transitions = [0], {0}, []
        for here in kept:
            for symbol, after in zip(self.alphabet, self.moves[here].tolist(), strict=True):
                if after < len(self.states):
                    to = first[int(classes[after])]
                    transitions.append(Transition(self.states[here], symbol, self.states[to]))
                    if to not in known:
                        known.add(to)
                        kept.append(to)
        accepting = frozenset(self.states[i] for i in kept if self._accepting[i])
        return DFA(self.alphabet, self.start, accepting, tuple(transitions))

    def state_numbers(self, strings: Strings) -> NDArray[np.int32]:
        """The number of the state after each symbol; one more than there are where no string goes on: [symbols]."""
        return kernels.automata.trace_states(strings.ids, strings.offsets, self.moves, 0)

    @cached_property
    def _accepting(self) -> NDArray[np.bool_]:
        return np.array([*(state in self.accepting for state in self.states), False])

    @cached_property
    def _masks(self) -> NDArray[np.uint64]:
        if len(self.alphabet) > MASK_SYMBOLS:
            raise LanguageError(f"Next-symbol sets are for alphabets of up to {MASK_SYMBOLS} symbols.")
        can_follow = np.column_stack([self.moves < len(self.states), self._accepting])
        bits = np.uint64(1) << np.arange(len(self.alphabet) + 1, dtype=np.uint64)
        return np.asarray(np.where(can_follow, bits, np.uint64(0)).sum(axis=1, dtype=np.uint64))
