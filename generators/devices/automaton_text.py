"""Automata as text, the way a textbook tables them: where to start, where to accept, and one rule a line.

    # strings over 0 and 1 with an even number of ones
    start even
    accept even
    even 0 -> even
    even 1 -> odd
    odd  0 -> odd
    odd  1 -> even

Alphabets are in the order in which the rules name their symbols, or in that of a line `alphabet 0 1`. A line that
begins with # is a comment. What stands beside the arrow of a rule is read by the device.
"""

from dataclasses import dataclass

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.errors import LanguageError

KEYWORDS = ("start", "accept", "alphabet")


@dataclass(frozen=True)
class Line:
    """A rule as written: what stands before its arrow, what behind it, and where."""

    number: int
    left: str
    right: str

    def __str__(self) -> str:
        return f"`{self.left} -> {self.right}` (line {self.number})"

    def error(self, message: str) -> LanguageError:
        """An error that names the line."""
        return LanguageError(f"Line {self.number}, `{self.left} -> {self.right}`: {message}")


@dataclass(frozen=True)
class AutomatonText:
    """The parts of an automaton's text."""

    start: str
    accepting: frozenset[str]
    rules: tuple[Line, ...]
    symbols: tuple[str, ...] = ()
    """Those of the line `alphabet`, if there is one."""

    def alphabet(self, used: list[str]) -> Alphabet:
        """The alphabet, `used` being the symbols of the rules in order. LanguageError names a rule with another one."""
        for line, symbol in zip(self.rules, used, strict=True):
            if self.symbols and symbol not in self.symbols:
                raise line.error(f"symbol {symbol} is not in the alphabet {' '.join(self.symbols)}.")
        return Alphabet.of(self.symbols or dict.fromkeys(used))


def parse_automaton(text: str) -> AutomatonText:
    """Take an automaton's text apart. LanguageError names a line that cannot be read."""
    named: dict[str, tuple[str, ...]] = {}
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        left, arrow, right = (" ".join(part.split()) for part in line.partition("->"))
        if arrow:
            rules.append(Line(number, left, right))
        elif words[0] not in KEYWORDS or len(words) == 1:
            raise LanguageError(
                f"Line {number}, `{line.strip()}`: write `start STATE`, `accept STATES`, `alphabet SYMBOLS` "
                "or a rule with `->`."
            )
        elif words[0] in named:
            raise LanguageError(f"Line {number}, `{line.strip()}`: there is a line `{words[0]}` already.")
        else:
            named[words[0]] = tuple(words[1:])
    for keyword in KEYWORDS[:2]:
        if keyword not in named:
            raise LanguageError(f"An automaton's text needs a line `{keyword}`.")
    if len(named["start"]) > 1:
        raise LanguageError(f"An automaton starts in one state, not in {' and '.join(named['start'])}.")
    return AutomatonText(
        named["start"][0], frozenset(named["accept"]), tuple(rules), named.get("alphabet", ())
    )
