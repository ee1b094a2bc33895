"""Deterministic real-time pushdown automata: membership, next-symbol sets and transduction, one step a symbol.

    # w # w^R over a b
    start first
    accept second
    first a -> first, push a
    first b -> first, push b
    first # -> second
    second a -> second, pop a
    second b -> second, pop b

A rule reads one symbol in a state. It may push one stack symbol, pop one if it is on top, or leave the stack alone, and
may write one output symbol (`first a -> first, push a, write x`). At most one rule may apply at a time. A string is accepted if it ends in an accepting state with an empty stack.

Next-symbol sets are of live prefixes only: a symbol is in the set exactly if some string of the language goes on with
it. Whether a configuration is live depends on its whole stack. So when a stack symbol is pushed it is annotated with
the states from which the stack beneath it can still be accepted: finitely many annotations, found once, and from
then on the top of the stack decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import MASK_SYMBOLS, Alphabet
from marnn_bench.generators.devices.automaton_text import Line, parse_automaton
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.strings import Strings

MAX_CONFIGURATIONS = 1 << 15
"""Configurations, as far as the top of the stack tells them, that the tables of an automaton can hold."""

ACTIONS = ("push", "pop", "write")

BOTTOM = None
States = frozenset[str]
Top = tuple[str | None, States]
"""A stack symbol and the states that can accept what lies beneath it; BOTTOM for the empty stack."""


@dataclass(frozen=True)
class Rule:
    """In `state`, on `symbol` (and, where `pop` is given, with that on top): push or pop, go `to`, write."""

    state: str
    symbol: str
    push: str | None = None
    pop: str | None = None
    to: str | None = None
    write: str | None = None

    @classmethod
    def parse(cls, line: Line) -> "Rule":
        """The rule of a line. LanguageError says how one is written."""
        left, (target, *actions) = line.left.split(), line.right.split(", ")
        words = [action.split() for action in actions]
        if (
            len(left) != 2
            or len(target.split()) != 1
            or any(len(w) != 2 or w[0] not in ACTIONS for w in words)
            or len({w[0] for w in words}) < len(words)
        ):
            raise line.error(
                "a rule reads `STATE SYMBOL -> STATE`, then `, push X`, `, pop X` or `, write X`."
            )
        state, symbol = left
        return cls(state, symbol, to=target, **{action: stack for action, stack in words})

    @property
    def target(self) -> str:
        """The state afterwards."""
        return self.state if self.to is None else self.to

    def __str__(self) -> str:
        stack = f" push {self.push}" if self.push else f" pop {self.pop}" if self.pop else ""
        return f"{self.state} {self.symbol}{stack} -> {self.target}"


@dataclass(frozen=True)
class Tables:
    """An automaton as arrays. A configuration is state * tops + top; those of the last state are dead.

    moves:   [configurations, symbols]  uint32: (next state * tops) << 16 | action; action 0 keep, 1 pop, 2 + top push
    masks:   [configurations]           uint64: the next-symbol set
    writes:  [configurations, symbols]  int16: the output symbol's id, -1 for none
    """

    start: int
    moves: NDArray[np.uint32]
    masks: NDArray[np.uint64]
    accepting: NDArray[np.bool_]
    writes: NDArray[np.int16]


@dataclass(frozen=True)
class Pushdown(Labeller):
    """A deterministic real-time pushdown automaton.

    >>> dyck1 = Pushdown.parse('''
    ...     start q
    ...     accept q
    ...     q ( -> q, push )
    ...     q ) -> q, pop )
    ... ''')
    >>> strings = Strings.from_texts(dyck1.alphabet, ["( ( ) )", "( ) )"])
    >>> dyck1.accepts(strings).tolist()
    [True, False]
    >>> [dyck1.alphabet.show(int(mask)) for mask in dyck1.next_symbols(strings)]
    ['(/)', '(/)', '(/)', '(/END', '(/)', '(/END', '-']
    """

    alphabet: Alphabet
    start: str
    accepting: frozenset[str]
    rules: tuple[Rule, ...]
    outputs: Alphabet | None = None

    def __post_init__(self) -> None:
        for rule in self.rules:
            self.alphabet.id(rule.symbol)
            if rule.push and rule.pop:
                raise LanguageError(f"Rule {rule} both pushes and pops; split it.")
        for i, rule in enumerate(self.rules):
            for other in self.rules[:i]:
                same = (rule.state, rule.symbol) == (other.state, other.symbol)
                if same and (rule.pop == other.pop or BOTTOM in (rule.pop, other.pop)):
                    raise LanguageError(
                        f"Rules {other} and {rule} can apply at once: the automaton must be deterministic."
                    )

    @classmethod
    def parse(cls, text: str, outputs: Alphabet | None = None) -> "Pushdown":
        """The automaton of a text as at the head of this file. LanguageError names a line that cannot be read."""
        parsed = parse_automaton(text)
        rules = tuple(map(Rule.parse, parsed.rules))
        return cls(
            parsed.alphabet([rule.symbol for rule in rules]), parsed.start, parsed.accepting, rules, outputs
        )

    # -- what it answers

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        """Whether each string is a member: [n]."""
        tables = self.tables
        last = np.full(len(strings), tables.start, np.int64)
        filled = strings.lengths > 0
        last[filled] = self.trace(strings)[strings.offsets[1:][filled] - 1]
        return tables.accepting[last]

    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        """The next-symbol set after each symbol, END included where the prefix is a member: [symbols]."""
        if len(self.alphabet) > MASK_SYMBOLS:
            raise LanguageError(f"Next-symbol sets are for alphabets of up to {MASK_SYMBOLS} symbols.")
        return self.tables.masks[self.trace(strings)]

    def first_symbols(self) -> int:
        """The next-symbol set of the empty prefix."""
        return int(self.tables.masks[self.tables.start])

    def transduce(self, sources: Strings) -> Strings:
        """What the automaton writes for each source, which must all be members."""
        if self.outputs is None:
            raise LanguageError("This automaton writes nothing: give its rules `write` and it `outputs`.")
        before = np.empty(len(sources.ids), np.int32)
        before[1:] = self.trace(sources)[:-1]
        before[sources.offsets[:-1][sources.lengths > 0]] = self.tables.start
        written = self.tables.writes[before, sources.ids]
        counts = np.concatenate(([0], np.cumsum(written >= 0)))
        return Strings(written[written >= 0].astype(self.outputs.dtype), counts[sources.offsets])

    def trace(self, strings: Strings) -> NDArray[np.int32]:
        """The configuration after each symbol: [symbols]."""
        tables = self.tables
        deepest = int(strings.lengths.max(initial=0))
        return kernels.automata.trace_stack(strings.ids, strings.offsets, tables.moves, tables.start, deepest)

    # -- how the tables are found

    @cached_property
    def tables(self) -> Tables:
        """The automaton as arrays, dead configurations merged into one."""
        states, tops = self._states, self._tops
        dead = len(states) * len(tops)
        place = {top: i for i, top in enumerate(tops)}
        configurations = dead + len(tops)
        moves = np.full((configurations, len(self.alphabet)), dead << 16, np.uint32)
        writes = np.full((configurations, len(self.alphabet)), -1, np.int16)
        accepting = np.zeros(configurations, np.bool_)
        for s, state in enumerate(states):
            for t, top in enumerate(tops):
                here = s * len(tops) + t
                if state not in self._live(top):
                    continue
                if top[0] is BOTTOM and state in self.accepting:
                    accepting[here] = True
                for rule in self._applicable(state, top[0]):
                    symbol = self.alphabet.id(rule.symbol)
                    if rule.push:
                        above = (rule.push, self._live(top))
                        live, action = rule.target in self._live(above), 2 + place[above]
                    elif rule.pop:
                        live, action = rule.target in top[1], 1
                    else:
                        live, action = rule.target in self._live(top), 0
                    if live:
                        moves[here, symbol] = (states.index(rule.target) * len(tops)) << 16 | action
                        if rule.write is not None and self.outputs is not None:
                            writes[here, symbol] = self.outputs.id(rule.write)
        start = states.index(self.start) * len(tops)
        masks = self._masks(moves != dead << 16, accepting)
        return Tables(start, moves, masks, accepting, writes)

    def _masks(self, legal: NDArray[np.bool_], accepting: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """The next-symbol set of each configuration, from the symbols [configurations, symbols] that are legal in it."""
        if len(self.alphabet) > MASK_SYMBOLS:
            return np.zeros(len(accepting), np.uint64)
        bits = np.uint64(1) << np.arange(len(self.alphabet) + 1, dtype=np.uint64)
        masks: NDArray[np.uint64] = np.column_stack([legal, accepting]) @ bits
        return masks

    @cached_property
    def _states(self) -> tuple[str, ...]:
        named = [self.start, *(name for rule in self.rules for name in (rule.state, rule.target))]
        return tuple(dict.fromkeys(named))

    @cached_property
    def _tops(self) -> tuple[Top, ...]:
        """Every annotated stack symbol that can arise, the empty stack first."""
        found: list[Top] = [(BOTTOM, self.accepting)]
        for top in found:
            for rule in self.rules:
                above = (rule.push, self._live(top))
                if rule.push and rule.pop is BOTTOM and above not in found:
                    found.append(above)
        if (len(self._states) + 1) * len(found) > MAX_CONFIGURATIONS:
            raise LanguageError(
                f"The automaton has more than {MAX_CONFIGURATIONS:,} pairs of states and stack symbols."
            )
        return tuple(found)

    def _applicable(self, state: str, top: str | None) -> Iterator[Rule]:
        return (rule for rule in self.rules if rule.state == state and rule.pop in (BOTTOM, top))

    def _live(self, top: Top) -> States:
        """The states that can go on to acceptance with `top` on the stack."""
        symbol, beneath = top
        if symbol is BOTTOM:
            return self._live_on_empty
        return frozenset(state for state in self._states if self._pops[state, symbol] & beneath)

    @cached_property
    def _pops(self) -> dict[tuple[str, str], States]:
        """For each state and stack symbol on top, the states in which that symbol can come to be popped."""
        symbols = {rule.push for rule in self.rules if rule.push}
        pops: dict[tuple[str, str], States] = {(s, g): frozenset() for s in self._states for g in symbols}
        changed = True
        while changed:
            changed = False
            for (state, symbol), before in pops.items():
                reached = before
                for rule in self._applicable(state, symbol):
                    if rule.pop:
                        reached |= {rule.target}
                    elif rule.push:
                        reached |= {r for q in pops[rule.target, rule.push] for r in pops[q, symbol]}
                    else:
                        reached |= pops[rule.target, symbol]
                if reached != before:
                    pops[state, symbol], changed = reached, True
        return pops

    @cached_property
    def _live_on_empty(self) -> States:
        """The states that can go on to acceptance with an empty stack."""
        live, before = self.accepting, None
        while live != before:
            before = live
            for rule in self.rules:
                if rule.pop is BOTTOM:
                    after = self._pops[rule.target, rule.push] if rule.push else {rule.target}
                    live |= {rule.state} if after & live else frozenset()
        return live
