"""Real-time counter machines: membership, next-symbol sets and traces, one step a symbol.

    # a^n b^n c^n, n >= 1
    start as
    accept cs
    as a -> as, x + 1, y + 1
    as b -> bs, x - 1
    bs b -> bs, x - 1
    bs c if x = 0 -> cs, y - 1
    cs c -> cs, y - 1

A rule reads one symbol in one state. It may ask that counters be zero (`if x = 0`) or not (`if x > 0`, several joined
by `and`), and may add 1 to counters or take 1 away; no counter falls below zero, so `x - 1` asks for x > 0 by itself.
At most one rule may apply at a time. Counters start at 0; a string is accepted if it ends in an accepting state with
all of them at 0. Where the line is `accept any STATES`, they may be what they are.

A symbol is in a next-symbol set if a rule reads it. That is the set of symbols that some string of the language goes on
with only if every configuration that can be reached leads on to acceptance, so a machine is taken only if this can be
shown (`marnn_bench.generators.devices.counter_liveness`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import MASK_SYMBOLS, Alphabet
from marnn_bench.generators.devices.automaton_text import parse_automaton
from marnn_bench.generators.devices.counter_liveness import Step, leading_to, reached, steps_from
from marnn_bench.generators.devices.counter_rules import Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.labeller import Labeller, previous_values
from marnn_bench.generators.strings import Strings

MAX_COUNTERS = 8
"""A configuration is a state and a set of positive counters; of these sets there are 2^counters."""
MAX_CONFIGURATIONS = 1 << 16
"""Configurations that the tables of a machine can hold."""


@dataclass(frozen=True)
class Tables:
    """A machine as arrays. A configuration is state << counters | positive counters; those of the last state are dead.

    moves:    [configurations, symbols]            int32: the next state << counters
    changes:  [configurations, symbols, counters]  int8
    masks:    [configurations]                     uint64: the next-symbol set
    """

    start: int
    moves: NDArray[np.int32]
    changes: NDArray[np.int8]
    masks: NDArray[np.uint64]


@dataclass(frozen=True)
class CounterMachine(Labeller):
    """A deterministic real-time counter machine all of whose configurations are live.

    accepting:      states that accept with all counters at 0
    accepting_any:  states that accept whatever the counters are

    >>> machine = CounterMachine.parse('''
    ...     start as
    ...     accept bs
    ...     as a -> as, x + 1
    ...     as b -> bs, x - 1
    ...     bs b -> bs, x - 1
    ... ''')
    >>> strings = Strings.from_texts(machine.alphabet, ["a a b b", "a b b"])
    >>> machine.accepts(strings).tolist()
    [True, False]
    >>> [machine.alphabet.show(int(mask)) for mask in machine.next_symbols(strings)]
    ['a/b', 'a/b', 'b', 'END', 'a/b', 'END', '-']
    >>> states, counters = machine.trace(strings.take([0]))
    >>> states, counters[:, 0].tolist()
    (['as', 'as', 'bs', 'bs'], [1, 2, 1, 0])
    """

    alphabet: Alphabet
    start: str
    accepting: frozenset[str]
    rules: tuple[Rule, ...]
    accepting_any: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if len(self.counters) > MAX_COUNTERS or len(self.alphabet) > MASK_SYMBOLS:
            raise LanguageError(
                f"A counter machine has at most {MAX_COUNTERS} counters and {MASK_SYMBOLS} symbols, "
                f"not {len(self.counters)} and {len(self.alphabet)}."
            )
        if (len(self.states) + 1) << len(self.counters) > MAX_CONFIGURATIONS:
            raise LanguageError(
                f"A counter machine of {len(self.states):,} states and {len(self.counters)} counters is too large: "
                f"the states times 2^counters are at most {MAX_CONFIGURATIONS:,}."
            )
        if unknown := (self.accepting | self.accepting_any) - set(self.states):
            raise LanguageError(f"No rule names the accepting state {min(unknown)}.")
        self._check_rules()
        self._check_liveness()

    @classmethod
    def parse(cls, text: str) -> "CounterMachine":
        """The machine of a text as at the head of this file. LanguageError names a line that cannot be read."""
        parsed = parse_automaton(text)
        rules = tuple(map(Rule.parse, parsed.rules))
        alphabet = parsed.alphabet([rule.symbol for rule in rules])
        parsed.check_states([(rule.state, rule.to) for rule in rules])
        machine = cls(alphabet, parsed.start, parsed.accepting, rules, parsed.accepting_any)
        applied = {step.rule for step in machine._steps}
        for line, rule in zip(parsed.rules, rules, strict=True):
            if rule not in applied:
                raise line.error(
                    "the counters are never such that this rule applies; leave it out or mend it."
                )
        return machine

    @cached_property
    def states(self) -> tuple[str, ...]:
        """In the order in which the rules name them."""
        return tuple(dict.fromkeys((self.start, *(q for rule in self.rules for q in (rule.state, rule.to)))))

    @cached_property
    def counters(self) -> tuple[str, ...]:
        """In the order in which the rules name them."""
        return tuple(dict.fromkeys(c for r in self.rules for c in sorted(r.counters)))

    # -- what it answers

    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        return self._tables.masks[self._configurations(strings)]

    def first_symbols(self) -> int:
        tables = self._tables
        return int(tables.masks[tables.start])

    def trace(self, strings: Strings) -> tuple[list[str], NDArray[np.int64]]:
        """The state after each symbol and the counters, [symbols, counters]; `dead` once no rule applies."""
        tables, after = self._tables, self._configurations(strings)
        before = previous_values(after, tables.start, strings)
        changes = tables.changes[before, strings.ids].astype(np.int64)
        sums = np.concatenate([np.zeros((1, len(self.counters)), np.int64), np.cumsum(changes, axis=0)])
        values = sums[1:] - np.repeat(sums[strings.offsets[:-1]], strings.lengths, axis=0)
        names = (*self.states, "dead")
        return [names[state] for state in after >> len(self.counters)], values

    def _configurations(self, strings: Strings) -> NDArray[np.int32]:
        tables = self._tables
        return kernels.automata.trace_counters(
            strings.ids, strings.offsets, tables.moves, tables.changes, tables.start
        )

    @cached_property
    def _tables(self) -> Tables:
        counters, dead = len(self.counters), len(self.states)
        configurations, symbols = dead + 1 << counters, len(self.alphabet)
        moves = np.full((configurations, symbols), dead << counters, np.int32)
        changes = np.zeros((configurations, symbols, counters), np.int8)
        masks = np.zeros(configurations, np.uint64)
        place = {state: i << counters for i, state in enumerate(self.states)}
        for state in self.accepting:
            masks[place[state]] = 1 << symbols
        for state in self.accepting_any:
            masks[place[state] : place[state] + (1 << counters)] = 1 << symbols
        for positive in _subsets(self.counters):
            signs = sum(1 << self.counters.index(c) for c in positive)
            for rule in self.rules:
                if rule.applies((rule.state, positive)):
                    here = place[rule.state] | signs
                    symbol = self.alphabet.id(rule.symbol)
                    masks[here] |= np.uint64(1 << symbol)
                    moves[here, symbol] = place[rule.to]
                    for c in rule.increment | rule.decrement:
                        changes[here, symbol, self.counters.index(c)] = 1 if c in rule.increment else -1
        return Tables(self.states.index(self.start) << counters, moves, changes, masks)

    # -- what is asked of the rules

    def _check_rules(self) -> None:
        known: dict[tuple[str, str], list[Rule]] = {}
        for rule in self.rules:
            self.alphabet.id(rule.symbol)
            if rule.increment & rule.decrement or rule.zero & rule.needed:
                raise LanguageError(f"Rule {rule} contradicts itself about a counter.")
            same = known.setdefault((rule.state, rule.symbol), [])
            for other in same:
                if not (rule.zero & other.needed or other.zero & rule.needed):
                    raise LanguageError(
                        f"Rules {other} and {rule} can apply at once: the machine must be deterministic."
                    )
            same.append(rule)

    @cached_property
    def _steps(self) -> list[Step]:
        return steps_from(self.start, self.rules)

    def _check_liveness(self) -> None:
        found = reached(self.start, self._steps)
        accepted = frozenset(
            (state, positive)
            for state, positive in found
            if state in self.accepting_any or (state in self.accepting and not positive)
        )
        if not accepted:
            raise LanguageError(
                "The machine accepts no string: it cannot end in an accepting state with all counters 0."
            )
        if dead := found - leading_to(accepted, self._steps):
            place = {state: i for i, state in enumerate(self.states)}
            state, positive = min(dead, key=lambda here: (place[here[0]], len(here[1]), sorted(here[1])))
            counters = " and ".join(f"{c} {'>' if c in positive else '='} 0" for c in self.counters)
            raise LanguageError(
                f"From state {state}{' with ' if counters else ''}{counters} the machine is not seen to reach acceptance: "
                "give it a rule there that leads on, or guard the rules that lead there."
            )


def _subsets(counters: tuple[str, ...]) -> Iterator[frozenset[str]]:
    for chosen in product((False, True), repeat=len(counters)):
        yield frozenset(c for c, there in zip(counters, chosen, strict=True) if there)
