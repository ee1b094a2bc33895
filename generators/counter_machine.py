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
all of them at 0.

A symbol is in a next-symbol set if a rule reads it. For that to be the set of symbols that some string of the language
goes on with, every configuration that can be reached must be live, that is, lead on to acceptance. No procedure
decides this for all machines (two counters can compute anything), so a machine is taken only if it follows from the
states and from which counters are zero:

    drain(G)  configurations from which G is surely reached by rules that add to no counter. Each loop takes something
              away, and what is there to be taken is finite.
    reach(G)  configurations from which G is surely reached by finitely many rules of any kind.

Starting from acceptance, draining and reaching by turns must come to hold every configuration; `surely` means
whichever counters a rule that takes something away leaves at zero.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import MASK_SYMBOLS, Alphabet
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.notation import Line, read_sheet
from marnn_bench.generators.strings import Strings

MOST_COUNTERS = 12
"""A configuration is a state and a set of positive counters; of these sets there are 2^counters."""

Configuration = tuple[str, frozenset[str]]
"""A state and the counters that are not zero."""


@dataclass(frozen=True)
class Rule:
    """In `state`, on `symbol`, if the counters `zero` are and `positive` are not: add 1 or take 1, go `to`."""

    state: str
    symbol: str
    to: str
    zero: frozenset[str] = frozenset()
    positive: frozenset[str] = frozenset()
    add: frozenset[str] = frozenset()
    take: frozenset[str] = frozenset()

    @property
    def needed(self) -> frozenset[str]:
        """The counters that must not be zero."""
        return self.positive | self.take

    def __str__(self) -> str:
        tests = [f"{c} = 0" for c in sorted(self.zero)] + [f"{c} > 0" for c in sorted(self.positive)]
        changes = [f", {c} + 1" for c in sorted(self.add)] + [f", {c} - 1" for c in sorted(self.take)]
        guard = f" if {' and '.join(tests)}" if tests else ""
        return f"`{self.state} {self.symbol}{guard} -> {self.to}{''.join(changes)}`"

    def applies(self, here: Configuration) -> bool:
        """Whether the rule applies, the symbol aside."""
        return here[0] == self.state and not self.zero & here[1] and self.needed <= here[1]

    def outcomes(self, here: Configuration) -> Iterator[Configuration]:
        """The configurations that it can lead to: a counter that 1 is taken from may be zero afterwards, or not."""
        for left in product((True, False), repeat=len(self.take)):
            emptied = {c for c, some in zip(sorted(self.take), left, strict=True) if not some}
            yield self.to, (here[1] | self.add) - emptied


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

    def __post_init__(self) -> None:
        if len(self.counters) > MOST_COUNTERS or len(self.alphabet) > MASK_SYMBOLS:
            raise LanguageError(
                f"A counter machine has at most {MOST_COUNTERS} counters and {MASK_SYMBOLS} symbols, "
                f"not {len(self.counters)} and {len(self.alphabet)}."
            )
        if unknown := self.accepting - set(self.states):
            raise LanguageError(f"No rule names the accepting state {min(unknown)}.")
        self._check_rules()
        self._check_liveness()

    @classmethod
    def parse(cls, text: str) -> "CounterMachine":
        """The machine of a text as at the head of this file. LanguageError names a line that cannot be read."""
        sheet = read_sheet(text)
        rules = tuple(map(_read_rule, sheet.rules))
        alphabet = sheet.alphabet([rule.symbol for rule in rules])
        return cls(alphabet, sheet.start, sheet.accepting, rules)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """In the order in which the rules name them."""
        return tuple(dict.fromkeys((self.start, *(q for rule in self.rules for q in (rule.state, rule.to)))))

    @cached_property
    def counters(self) -> tuple[str, ...]:
        """In the order in which the rules name them."""
        return tuple(dict.fromkeys(c for r in self.rules for c in sorted(r.zero | r.needed | r.add)))

    # -- what it answers

    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        return self._tables.masks[self._configurations(strings)]

    def first_symbols(self) -> int:
        tables = self._tables
        return int(tables.masks[tables.start])

    def trace(self, strings: Strings) -> tuple[list[str], NDArray[np.int64]]:
        """The state after each symbol and the counters, [symbols, counters]; `dead` once no rule applies."""
        tables, after = self._tables, self._configurations(strings)
        before = np.empty_like(after)
        before[1:] = after[:-1]
        before[strings.offsets[:-1][strings.lengths > 0]] = tables.start
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
        for state in self.accepting:
            masks[self.states.index(state) << counters] = 1 << symbols
        for positive in _subsets(self.counters):
            signs = sum(1 << self.counters.index(c) for c in positive)
            for rule in self.rules:
                if rule.applies((rule.state, positive)):
                    here, symbol = (
                        self.states.index(rule.state) << counters | signs,
                        self.alphabet.id(rule.symbol),
                    )
                    masks[here] |= np.uint64(1 << symbol)
                    moves[here, symbol] = self.states.index(rule.to) << counters
                    for c in rule.add | rule.take:
                        changes[here, symbol, self.counters.index(c)] = 1 if c in rule.add else -1
        return Tables(self.states.index(self.start) << counters, moves, changes, masks)

    # -- what is asked of the rules

    def _check_rules(self) -> None:
        for i, rule in enumerate(self.rules):
            self.alphabet.id(rule.symbol)
            if rule.add & rule.take or rule.zero & rule.needed:
                raise LanguageError(f"Rule {rule} contradicts itself about a counter.")
            for other in self.rules[:i]:
                same = (rule.state, rule.symbol) == (other.state, other.symbol)
                if same and not (rule.zero & other.needed or other.zero & rule.needed):
                    raise LanguageError(
                        f"Rules {other} and {rule} can apply at once: the machine must be deterministic."
                    )

    def _check_liveness(self) -> None:
        reached: set[Configuration] = {(self.start, frozenset())}
        todo = list(reached)
        while todo:
            here = todo.pop()
            new = {after for rule in self._rules_at(here) for after in rule.outcomes(here)} - reached
            reached |= new
            todo += new
        live: set[Configuration] = {(state, frozenset()) for state in self.accepting} & reached
        if not live:
            raise LanguageError(
                "The machine accepts no string: it cannot end in an accepting state with all counters 0."
            )
        size = 0
        while len(live) > size:
            size = len(live)
            live = self._attract(self._drain(live, reached), reached)
        if dead := reached - live:
            state, positive = min(dead, key=lambda here: (self.states.index(here[0]), len(here[1])))
            counters = " and ".join(f"{c} {'>' if c in positive else '='} 0" for c in self.counters)
            raise LanguageError(
                f"From state {state}{' with ' if counters else ''}{counters} the machine is not seen to reach acceptance: "
                "give it a rule there that leads on, or guard the rules that lead there."
            )

    def _drain(self, goal: set[Configuration], among: set[Configuration]) -> set[Configuration]:
        """Where `goal` is surely reached by rules that add nothing; a rule that takes something may lead back here."""
        kept, before = among, None
        while kept != before:
            before = kept
            kept = self._attract(goal, before, draining=True)
        return kept

    def _attract(
        self, goal: set[Configuration], among: set[Configuration], draining: bool = False
    ) -> set[Configuration]:
        """Where some rule surely leads to `goal`, and where some rule surely leads to these, and so on.

        When draining, rules that add to a counter are left out, and one that takes something away need only lead to
        `among`.
        """
        found, before = goal, None
        while found != before:
            before = found
            found = goal | {
                here
                for here in among
                if any(
                    set(rule.outcomes(here)) <= (among if draining and rule.take else before)
                    for rule in self._rules_at(here)
                    if not (draining and rule.add)
                )
            }
        return found

    def _rules_at(self, here: Configuration) -> list[Rule]:
        return [rule for rule in self.rules if rule.applies(here)]


def _subsets(counters: tuple[str, ...]) -> Iterator[frozenset[str]]:
    for chosen in product((False, True), repeat=len(counters)):
        yield frozenset(c for c, there in zip(counters, chosen, strict=True) if there)


def _read_rule(line: Line) -> Rule:
    left = re.fullmatch(r"(\S+) (\S+)(?: if (.+))?", line.left)
    to, *changes = line.right.split(",")
    if not left or len(to.split()) != 1:
        raise line.error("a rule reads `STATE SYMBOL if x = 0 and y > 0 -> STATE, x + 1, y - 1`.")
    state, symbol, guard = left.groups()
    tests = _sort(line, guard.split(" and ") if guard else [], {"= 0": "zero", "> 0": "positive"})
    return Rule(state, symbol, to, **tests, **_sort(line, changes, {"+ 1": "add", "- 1": "take"}))


def _sort(line: Line, parts: list[str], kinds: dict[str, str]) -> dict[str, frozenset[str]]:
    """The counters that parts like `x = 0` name, by kind."""
    found: dict[str, set[str]] = {kind: set() for kind in kinds.values()}
    for part in parts:
        counter, _, rest = " ".join(re.sub(r"([=>+-])", r" \1 ", part).split()).partition(" ")
        if rest not in kinds:
            written = " nor ".join(f"`x {kind}`" for kind in kinds)
            raise line.error(f"`{part.strip()}` is neither {written}.")
        found[kinds[rest]].add(counter)
    return {kind: frozenset(counters) for kind, counters in found.items()}
