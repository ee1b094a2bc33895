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
may write one output symbol (`first a -> first, push a, write x`). At most one rule may apply at a time. A string is accepted if it ends in an accepting state with
an empty stack; where the line is `accept any STATES`, the stack may hold anything.

Next-symbol sets are of live prefixes only: a symbol is in the set exactly if some string of the language goes on with
it. Whether a configuration is live depends on its whole stack. So when a stack symbol is pushed it is annotated with
the states from which the stack beneath it can still be accepted: finitely many annotations, found once, and from
then on the top of the stack decides.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import MASK_SYMBOLS, Alphabet
from marnn_bench.generators.devices.automaton_text import START, Line, parse_automaton
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.strings import Strings

MAX_CONFIGURATIONS = 1 << 15
"""Configurations, as far as the top of the stack tells them, that the tables of an automaton can hold."""

ACTIONS = ("push", "pop", "write")

MAX_MOVES = 1 << 24
"""Configurations times symbols, 6 bytes each."""
MAX_WORK = 5_000_000
"""Steps of finding out where stack symbols are popped, some ten seconds; automata as written take thousands."""

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
    line: Line | None = field(default=None, compare=False, repr=False)

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
        actions_of = {action: stack for action, stack in words}
        for stack in actions_of.values():
            if stack.endswith(",") and stack != ",":
                raise line.error(f"{stack} ends with a comma; leave that out.")
        return cls(state, symbol, to=target, **actions_of, line=line)

    @property
    def target(self) -> str:
        """The state afterwards."""
        return self.state if self.to is None else self.to

    def __str__(self) -> str:
        if self.line:
            return str(self.line)
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

    accepting:      states that accept with an empty stack
    accepting_any:  states that accept whatever is on the stack

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
    accepting_any: States = frozenset()

    def __post_init__(self) -> None:
        known: dict[tuple[str, str], list[Rule]] = {}
        for rule in self.rules:
            self.alphabet.id(rule.symbol)
            if rule.push and rule.pop:
                raise LanguageError(f"Rule {rule} both pushes and pops; split it.")
            if rule.write is not None and self.outputs is not None:
                self.outputs.id(rule.write)
            same = known.setdefault((rule.state, rule.symbol), [])
            for other in same:
                if rule.pop == other.pop or BOTTOM in (rule.pop, other.pop):
                    raise LanguageError(
                        f"Rules {other} and {rule} can apply at once: the automaton must be deterministic."
                    )
            same.append(rule)

    @classmethod
    def parse(cls, text: str, outputs: Alphabet | None = None) -> "Pushdown":
        """The automaton of a text as at the head of this file. LanguageError names a line that cannot be read."""
        parsed = parse_automaton(text)
        rules = tuple(map(Rule.parse, parsed.rules))
        alphabet = parsed.alphabet([rule.symbol for rule in rules])
        parsed.check_states([(rule.state, rule.target) for rule in rules])
        pushed, popped = {rule.push for rule in rules}, {rule.pop for rule in rules}
        for line, rule in zip(parsed.rules, rules, strict=True):
            if rule.pop not in (BOTTOM, *pushed):
                raise line.error(f"no rule pushes {rule.pop}; leave this one out or mend a name.")
            if rule.push not in (None, *popped) and not parsed.accepting_any:
                raise line.error(
                    f"no rule pops {rule.push}, and the stack must be empty at the end; mend a name."
                )
        automaton = cls(alphabet, parsed.start, parsed.accepting, rules, outputs, parsed.accepting_any)
        if parsed.start not in automaton._live_on_empty:
            raise parsed.lines[START].error("the automaton accepts no string.")
        return automaton

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
        live_with = {top: self._live(top) for top in tops}
        dead = len(states) * len(tops)
        place, number = {top: i for i, top in enumerate(tops)}, {state: i for i, state in enumerate(states)}
        configurations = dead + len(tops)
        if configurations * len(self.alphabet) > MAX_MOVES:
            raise LanguageError(
                f"The automaton has {configurations:,} pairs of states and stack symbols and {len(self.alphabet):,} "
                f"symbols: the product is at most {MAX_MOVES:,}."
            )
        moves = np.full((configurations, len(self.alphabet)), dead << 16, np.uint32)
        writes = np.full((configurations, len(self.alphabet)), -1, np.int16)
        accepting = np.zeros(configurations, np.bool_)
        for s, state in enumerate(states):
            for t, top in enumerate(tops):
                here = s * len(tops) + t
                if state not in live_with[top]:
                    continue
                if state in self.accepting_any or (top[0] is BOTTOM and state in self.accepting):
                    accepting[here] = True
                for rule in self._applicable(state, top[0]):
                    symbol = self.alphabet.id(rule.symbol)
                    if rule.push:
                        above = (rule.push, live_with[top])
                        live, action = rule.target in live_with[above], 2 + place[above]
                    elif rule.pop:
                        live, action = rule.target in top[1], 1
                    else:
                        live, action = rule.target in live_with[top], 0
                    if live:
                        moves[here, symbol] = (number[rule.target] * len(tops)) << 16 | action
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
    def _rules_of(self) -> dict[str, list[Rule]]:
        found: dict[str, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.state, []).append(rule)
        return found

    @cached_property
    def _tops(self) -> tuple[Top, ...]:
        """Every annotated stack symbol that can arise, the empty stack first."""
        found: list[Top] = [(BOTTOM, self.accepting)]
        known = set(found)
        pushed = dict.fromkeys(rule.push for rule in self.rules if rule.push)
        for top in found:
            live = self._live(top)
            new = [above for symbol in pushed if (above := (symbol, live)) not in known]
            known.update(new)
            found += new
            if (len(self._states) + 1) * len(found) > MAX_CONFIGURATIONS:
                raise LanguageError(
                    f"The automaton has more than {MAX_CONFIGURATIONS:,} pairs of states and stack symbols, a symbol "
                    "counted once for every set of states that accept what is beneath it: use fewer of them."
                )
        return tuple(found)

    def _applicable(self, state: str, top: str | None) -> Iterator[Rule]:
        return (rule for rule in self._rules_of.get(state, ()) if rule.pop in (BOTTOM, top))

    def _live(self, top: Top) -> States:
        """The states that can go on to acceptance with `top` on the stack."""
        symbol, beneath = top
        if symbol is BOTTOM:
            return self._live_on_empty
        return frozenset(
            state
            for state in self._states
            if (state, symbol) in self._ends or self._pops[state, symbol] & beneath
        )

    @cached_property
    def _pops(self) -> dict[tuple[str, str], States]:
        """For each state and stack symbol on top, the states in which that symbol can come to be popped."""
        symbols = dict.fromkeys(rule.push for rule in self.rules if rule.push)
        if len(self._states) * len(symbols) > MAX_CONFIGURATIONS:
            raise LanguageError(
                f"The automaton has {len(self._states):,} states and {len(symbols):,} stack symbols: "
                f"the product is at most {MAX_CONFIGURATIONS:,}."
            )
        pops: dict[tuple[str, str], States] = {(s, g): frozenset() for s in self._states for g in symbols}
        at_once: dict[tuple[str, str], set[str]] = {}
        for rule in self.rules:
            if rule.pop:
                at_once.setdefault((rule.state, rule.pop), set()).add(rule.target)
        changed, work = True, 0
        while changed:
            changed = False
            through = {state: self._silent_steps(state, pops) for state in self._states}
            for (state, symbol), before in pops.items():
                reached = before.union(
                    at_once.get((state, symbol), ()), *(pops[q, symbol] for q in through[state])
                )
                work += 1 + len(through[state])
                if len(reached) > len(before):
                    pops[state, symbol], changed = reached, True
            if work > MAX_WORK:
                raise LanguageError(
                    f"What {len(self._states):,} states do with {len(symbols):,} stack symbols takes too long to be "
                    "found out: use fewer of them."
                )
        return pops

    def _silent_steps(self, state: str, pops: dict[tuple[str, str], States]) -> set[str]:
        """The states that can come next with the stack as it was: by a rule that keeps it, or by a push that is popped."""
        found: set[str] = set()
        for rule in self._applicable(state, BOTTOM):
            found |= pops[rule.target, rule.push] if rule.push else {rule.target}
        return found

    @cached_property
    def _ends(self) -> frozenset[tuple[str, str]]:
        """The states and stack symbols on top that can go on to a state that accepts any stack, the symbol still there."""
        ends: set[tuple[str, str]] = set()
        size = -1
        while len(ends) > size and self.accepting_any:
            size = len(ends)
            ends |= {here for here in self._pops if here not in ends and self._ends_at_once(*here, ends)}
        return frozenset(ends)

    def _ends_at_once(self, state: str, top: str, known: set[tuple[str, str]]) -> bool:
        if state in self.accepting_any:
            return True
        for rule in self._applicable(state, top):
            if rule.push:
                popped = self._pops[rule.target, rule.push]
                if (rule.target, rule.push) in known or any((q, top) in known for q in popped):
                    return True
            elif not rule.pop and (rule.target, top) in known:
                return True
        return False

    @cached_property
    def _live_on_empty(self) -> States:
        """The states that can go on to acceptance with an empty stack."""
        live, before = self.accepting | self.accepting_any, None
        while live != before:
            before = live
            for rule in self.rules:
                if rule.pop is not BOTTOM:
                    continue
                after = self._pops[rule.target, rule.push] if rule.push else {rule.target}
                if after & live or (rule.push and (rule.target, rule.push) in self._ends):
                    live |= {rule.state}
        return live
