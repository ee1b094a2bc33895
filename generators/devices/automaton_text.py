"""Automata as text, the way a textbook tables them: where to start, where to accept, and one rule a line.

    # strings over 0 and 1 with an even number of ones
    start even
    accept even
    even 0 -> even
    even 1 -> odd
    odd  0 -> odd
    odd  1 -> even

Where a device has a memory, a stack or counters, `accept` asks that it be empty at the end; `accept any STATES` does not.
Alphabets are in the order in which the rules name their symbols, or in that of a line `alphabet 0 1`. A line that
begins with # is a comment. What stands beside the arrow of a rule is read by the device.

A text with a state that plays no part is refused, since it is likely to be a slip of the pen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.text_lines import error_at, numbered_lines, shorten
from marnn_bench.generators.errors import LanguageError

START, ACCEPT, ACCEPT_ANY, ALPHABET = KEYWORDS = ("start", "accept", "accept any", "alphabet")

MAX_NAME: Final = 100
"""Characters of a name, which errors show."""
MAX_RULES: Final = 10_000
"""Of an automaton's text; the devices look at pairs of states and symbols."""


@dataclass(frozen=True)
class Line:
    """A line as written, its words one space apart, and where."""

    number: int
    text: str

    @property
    def left(self) -> str:
        """What stands before the arrow of a rule."""
        return self.text.partition("->")[0].strip()

    @property
    def right(self) -> str:
        """What stands behind the arrow of a rule."""
        return self.text.partition("->")[2].strip()

    def __str__(self) -> str:
        return f"`{shorten(self.text)}` (line {self.number})"

    def error(self, message: str) -> LanguageError:
        """An error that names the line."""
        return error_at(self.number, self.text, message)

    def check_name(self, name: str) -> None:
        """LanguageError if this is no name of a state: part of a list or a weight, or a word of the notation."""
        if len(name) > MAX_NAME:
            raise self.error(f"a name has at most {MAX_NAME} characters, not {len(name):,}.")
        if any(sign in name for sign in ",[]") or name == "any":
            raise self.error(
                f"{name} is no name of a state: these have no comma or square bracket, and `any` is taken."
            )


@dataclass(frozen=True)
class AutomatonText:
    """The parts of an automaton's text.

    named:  behind each keyword that there is, the words of its line
    lines:  these lines
    """

    named: Mapping[str, tuple[str, ...]]
    lines: Mapping[str, Line]
    rules: tuple[Line, ...]

    @property
    def start(self) -> str:
        """Where it starts."""
        return self.named[START][0]

    @property
    def accepting(self) -> frozenset[str]:
        """Where it accepts with an empty memory."""
        return frozenset(self.named.get(ACCEPT, ()))

    @property
    def accepting_any(self) -> frozenset[str]:
        """Where it accepts whatever the memory holds."""
        return frozenset(self.named.get(ACCEPT_ANY, ()))

    def alphabet(self, used: Sequence[str]) -> Alphabet:
        """The alphabet, `used` being the symbols of the rules in order. LanguageError names a rule with another one."""
        symbols = self.named.get(ALPHABET, ())
        known = frozenset(symbols)
        written = [(self.lines[ALPHABET], symbol) for symbol in symbols]
        for line, symbol in [*written, *zip(self.rules, used, strict=True)]:
            if known and symbol not in known:
                raise line.error(f"symbol {symbol} is not in the alphabet {shorten(' '.join(symbols))}.")
            if symbol.endswith(",") and symbol != ",":
                raise line.error(f"{symbol} ends with a comma; spaces separate symbols.")
        return Alphabet.of(symbols or dict.fromkeys(used))

    def check_states(self, moves: Sequence[tuple[str, str]]) -> None:
        """LanguageError if a state plays no part; `moves`: the state of each rule, and where it leads."""
        for line, names in zip(self.rules, moves, strict=True):
            for name in names:
                line.check_name(name)
        following: dict[str, list[str]] = {}
        for state, to in moves:
            following.setdefault(state, []).append(to)
        if self.start not in following:
            raise self.lines[START].error(f"no rule leaves {self.start}.")
        reached = [self.start]
        known = {self.start}
        for state in reached:
            new = dict.fromkeys(to for to in following.get(state, ()) if to not in known)
            known |= new.keys()
            reached += new
        for keyword in (ACCEPT, ACCEPT_ANY):
            for state in self.named.get(keyword, ()):
                if state not in known:
                    raise self.lines[keyword].error(f"no rules lead from {self.start} to {state}.")
        accepting = self.accepting | self.accepting_any
        for line, (state, to) in zip(self.rules, moves, strict=True):
            if state not in known:
                raise line.error(
                    f"no rules lead from {self.start} to {state}; leave this one out or mend a name."
                )
            if to not in following and to not in accepting:
                raise line.error(
                    f"no rule leaves {to}, which does not accept: leave this one out or mend a name."
                )


def parse_automaton(text: str) -> AutomatonText:
    """Take an automaton's text apart. LanguageError names a line that cannot be read."""
    named: dict[str, tuple[str, ...]] = {}
    lines: dict[str, Line] = {}
    rules = []
    for number, content in numbered_lines(text):
        words = content.split()
        if not words or words[0].startswith("#"):
            continue
        if "->" in content:
            left, _, right = (" ".join(part.split()) for part in content.partition("->"))
            rules.append(Line(number, f"{left} -> {right}".strip()))
            continue
        line = Line(number, " ".join(words))
        length = 2 if words[:2] == ACCEPT_ANY.split() else 1
        keyword, names = " ".join(words[:length]), tuple(words[length:])
        if keyword not in KEYWORDS or not names:
            raise line.error(
                "write `start STATE`, `accept STATES`, `accept any STATES`, `alphabet SYMBOLS` or a rule with `->`."
            )
        if keyword in named:
            raise line.error(f"there is a line `{keyword}` already.")
        if keyword != ALPHABET:
            _check_names(line, names)
        named[keyword], lines[keyword] = names, line
    if START not in named or not {ACCEPT, ACCEPT_ANY} & named.keys():
        missing = ACCEPT if START in named else START
        raise LanguageError(f"An automaton's text needs a line `{missing}`.")
    if len(named[START]) > 1:
        raise LanguageError(
            f"An automaton starts in one state, not in {shorten(' and '.join(named[START]))}."
        )
    for name in named.get(ACCEPT_ANY, ()):
        if name in named.get(ACCEPT, ()):
            raise lines[ACCEPT_ANY].error(f"{name} accepts with an empty memory already; leave it out there.")
    if len(rules) > MAX_RULES:
        raise LanguageError(f"An automaton's text has at most {MAX_RULES:,} rules, not {len(rules):,}.")
    return AutomatonText(named, lines, tuple(rules))


def _check_names(line: Line, names: Sequence[str]) -> None:
    for i, name in enumerate(names):
        line.check_name(name)
        if name in names[:i]:
            raise line.error(f"{name} is named twice.")
