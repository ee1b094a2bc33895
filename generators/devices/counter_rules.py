"""The rules of counter machines, as data and as text.

    as b -> bs, x - 1
    bs c if x = 0 and y > 0 -> cs, y - 1, z + 1

A rule reads one symbol in one state. It may ask that counters be zero or not, and may add 1 to counters or take 1 away;
no counter falls below zero, so that `x - 1` asks for x > 0 by itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from marnn_bench.generators.devices.automaton_text import Line

Configuration = tuple[str, frozenset[str]]
"""A state and the counters that are not zero: what decides which rules apply."""


@dataclass(frozen=True)
class Rule:
    """In `state`, on `symbol`, if the counters `zero` are and `positive` are not: add 1 or take 1, go `to`."""

    state: str
    symbol: str
    to: str
    zero: frozenset[str] = frozenset()
    positive: frozenset[str] = frozenset()
    increment: frozenset[str] = frozenset()
    decrement: frozenset[str] = frozenset()
    line: Line | None = field(default=None, compare=False, repr=False)

    @classmethod
    def parse(cls, line: Line) -> "Rule":
        """The rule of a line. LanguageError says how one is written."""
        left = re.fullmatch(r"(\S+) (\S+)(?: if (.+))?", line.left)
        to, *changes = line.right.split(",")
        if not left or len(to.split()) != 1:
            raise line.error("a rule reads `STATE SYMBOL if x = 0 and y > 0 -> STATE, x + 1, y - 1`.")
        state, symbol, guard = left.groups()
        tests = _counters_by_kind(
            line, guard.split(" and ") if guard else [], {"= 0": "zero", "> 0": "positive"}
        )
        changed = _counters_by_kind(line, changes, {"+ 1": "increment", "- 1": "decrement"})
        return cls(state, symbol, to, **tests, **changed, line=line)

    @property
    def needed(self) -> frozenset[str]:
        """The counters that must not be zero."""
        return self.positive | self.decrement

    @property
    def counters(self) -> frozenset[str]:
        """Those that it asks for or changes."""
        return self.zero | self.needed | self.increment

    def __str__(self) -> str:
        if self.line:
            return str(self.line)
        tests = [f"{c} = 0" for c in sorted(self.zero)] + [f"{c} > 0" for c in sorted(self.positive)]
        changes = [f", {c} + 1" for c in sorted(self.increment)] + [
            f", {c} - 1" for c in sorted(self.decrement)
        ]
        guard = f" if {' and '.join(tests)}" if tests else ""
        return f"`{self.state} {self.symbol}{guard} -> {self.to}{''.join(changes)}`"

    def applies(self, here: Configuration) -> bool:
        """Whether the rule applies, the symbol aside."""
        return here[0] == self.state and not self.zero & here[1] and self.needed <= here[1]

    def outcomes(self, here: Configuration) -> Iterator[Configuration]:
        """The configurations that it can lead to: a counter that 1 is taken from may be zero afterwards, or not."""
        for left in product((True, False), repeat=len(self.decrement)):
            emptied = {c for c, some in zip(sorted(self.decrement), left, strict=True) if not some}
            yield self.to, (here[1] | self.increment) - emptied


def _counters_by_kind(line: Line, parts: list[str], kinds: dict[str, str]) -> dict[str, frozenset[str]]:
    """The counters that parts like `x = 0` name, by kind."""
    found: dict[str, set[str]] = {kind: set() for kind in kinds.values()}
    for part in parts:
        counter, _, rest = " ".join(re.sub(r"([=>+-])", r" \1 ", part).split()).partition(" ")
        if rest not in kinds:
            written = " nor ".join(f"`x {kind}`" for kind in kinds)
            raise line.error(f"`{part.strip()}` is neither {written}.")
        line.check_name(counter)
        found[kinds[rest]].add(counter)
    return {kind: frozenset(counters) for kind, counters in found.items()}
