"""Grammars as text, in nltk's notation; probabilities are exact fractions.

    # well-nested strings over two kinds of brackets
    S -> '(' S ')' [1/4] | '[' S ']' [1/4]
    S -> S S [0.25] | [1/4]

The first left side is the start. Symbols are quoted, nonterminals are not; an alternative may be empty. What stands
behind a # is a comment, and a backslash at its end continues a line. One line may stand for many rules, which
nltk's notation has no way to say:

    N -> 'n{i}' [1/33] for i = 1..33

An invalid text raises a LanguageError that names the line and the rule.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from marnn_bench.generators.alphabet import END
from marnn_bench.generators.devices.text_lines import error_at, numbered_lines, shorten
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.number_text import read_number

SUM_TOLERANCE = Fraction(1, 10**6)
"""Probabilities whose sum is this close to one are divided by it, with a warning."""

MAX_RULES = 100_000
"""Of a grammar, families of rules spelt out."""
MAX_PARTS = 1_000
"""Of a right side: symbols and nonterminals."""
MAX_SIZE = 1_000_000
"""Parts of all right sides together."""

MAX_DENOMINATOR_BITS = 1 << 15
"""Of the probabilities of one nonterminal, brought to a common denominator."""

TOKEN = re.compile(
    r"""
      (?P<blank>       \s+ | \#.* )
    | (?P<family>      for \s+ (\w+) \s* = \s* ([0-9]+) \s* \.\. \s* ([0-9]+) \s* (?= $ | \# ) )
    | (?P<arrow>       -> )
    | (?P<bar>         \| )
    | (?P<probability> \[ [^\]]* \] )
    | (?P<quoted>      '[^']*' | "[^"]*" )
    | (?P<name>        [\w/] (?: [\w/^<>] | -(?!>) )* )
    """,
    re.VERBOSE,
)


class Part(NamedTuple):
    """A part of a right side: a symbol, which is quoted, or a nonterminal."""

    name: str
    is_symbol: bool

    def __str__(self) -> str:
        return repr(self.name) if self.is_symbol else self.name


class Side(NamedTuple):
    """What stands between two bars."""

    parts: tuple[Part, ...]
    probability: Fraction | None


class SourceLine(NamedTuple):
    """Where something is said, and how."""

    line: int
    text: str

    def error(self, message: str) -> LanguageError:
        """An error that names the line."""
        return error_at(self.line, self.text, message)


class Line(NamedTuple):
    """A line as written: `left -> side | side | ...`."""

    place: SourceLine
    left: str
    sides: tuple[Side, ...]


@dataclass(frozen=True)
class Rule:
    """`left` becomes the parts of `right` with this probability; `line` is where the text says so."""

    left: str
    right: tuple[Part, ...]
    probability: Fraction
    line: int

    def __str__(self) -> str:
        return " ".join([self.left, "->", *map(str, self.right), f"[{self.probability}]"])

    def error(self, message: str) -> LanguageError:
        """An error that names the rule and its line."""
        return SourceLine(self.line, str(self)).error(message)


# -- from text to lines


def read_lines(text: str) -> Iterator[Line]:
    """The lines of a grammar's text, families of rules spelt out."""
    rules = size = 0
    for place in _logical_lines(text):
        tokens, family = _tokens(place)
        for member in _members(place, tokens, family):
            line = _line(place, member)
            rules += len(line.sides)
            size += sum(len(side.parts) for side in line.sides)
            if rules > MAX_RULES:
                raise place.error(
                    f"with this line the grammar has more than {MAX_RULES:,} rules; write fewer."
                )
            if size > MAX_SIZE:
                raise place.error(
                    f"with this line right sides have more than {MAX_SIZE:,} parts; write fewer."
                )
            yield line


def _logical_lines(text: str) -> Iterator[SourceLine]:
    """The lines with their continuations."""
    begun, first = "", 1
    for number, line in numbered_lines(text):
        begun += line
        if begun.endswith("\\"):
            begun = begun[:-1] + " "
        else:
            yield SourceLine(first, begun)
            begun, first = "", number + 1
    yield SourceLine(first, begun.strip())


Tokens = list[tuple[str, str]]
"""Kinds, as TOKEN names them, and what is written."""


def _tokens(place: SourceLine) -> tuple[Tokens, tuple[str, range] | None]:
    """The tokens of a line and, if it stands for a family of rules, over what."""
    tokens: Tokens = []
    family, at = None, 0
    while at < len(place.text):
        match = TOKEN.match(place.text, at)
        if match is None or match.lastgroup is None:
            raise place.error(
                f"cannot be read from `{shorten(place.text[at:])}` on; symbols are quoted, like 'a'."
            )
        at = match.end()
        if match.lastgroup == "family":
            family = (match[3], _family_values(place, match[4], match[5]))
        elif match.lastgroup != "blank":
            tokens.append((match.lastgroup, match[0]))
    return tokens, family


def _family_values(place: SourceLine, first: str, last: str) -> range:
    """What a family runs over, written `first..last`."""
    if max(len(first), len(last)) > 12 or int(last) - int(first) >= MAX_RULES:
        raise place.error(
            f"a family has at most {MAX_RULES:,} rules, not those of {shorten(first)}..{shorten(last)}."
        )
    if int(last) < int(first):
        raise place.error(f"the family {first}..{last} is empty; write the smaller number first.")
    return range(int(first), int(last) + 1)


def _members(place: SourceLine, tokens: Tokens, family: tuple[str, range] | None) -> Iterator[Tokens]:
    """The tokens of each rule that a line stands for."""
    if family is None:
        if tokens:
            yield tokens
        return
    variable = f"{{{family[0]}}}"
    if not any(variable in word for _, word in tokens):
        raise place.error(
            f"{variable} is not in the rule, so that a family over {family[0]} repeats it; leave it out."
        )
    for i in family[1]:
        yield [(kind, word.replace(variable, str(i))) for kind, word in tokens]


def _line(place: SourceLine, tokens: Tokens) -> Line:
    if [kind for kind, _ in tokens[:2]] != ["name", "arrow"]:
        raise place.error("a rule begins with a nonterminal and an arrow, like S -> .")
    sides, parts, probability = [], list[Part](), None
    for kind, word in [*tokens[2:], ("bar", "|")]:
        if kind == "bar":
            sides.append(Side(tuple(parts), probability))
            parts, probability = [], None
        elif probability is not None or kind == "arrow":
            raise place.error(f"{word} is not expected here; write a bar | between right sides.")
        elif kind == "probability":
            probability = _probability(place, word)
        else:
            parts.append(Part(word, False) if kind == "name" else _symbol(place, word))
    if (longest := max(len(side.parts) for side in sides)) > MAX_PARTS:
        raise place.error(
            f"a right side has at most {MAX_PARTS:,} symbols and nonterminals, not {longest:,}."
        )
    return Line(place, tokens[0][1], tuple(sides))


def _probability(place: SourceLine, word: str) -> Fraction:
    try:
        probability = read_number(word[1:-1])
    except ValueError as error:
        wrong = str(error).replace("number", "probability")
        raise place.error(f"{shorten(word)} {wrong}; write it like [1/3] or [0.25].") from None
    if not 0 < probability <= 1:
        raise place.error(f"a probability is above 0 and at most 1, not {word}.")
    return probability


def _symbol(place: SourceLine, word: str) -> Part:
    name = word[1:-1]
    if name.split() != [name]:
        raise place.error(f"symbol {word} is empty or has a space in it; spaces separate symbols.")
    if name == END:
        raise place.error(f"symbol {END} is reserved for the end of a string; rename it.")
    return Part(name, True)


# -- from lines to rules


def read_rules(text: str) -> tuple[Rule, ...]:
    """The rules of a grammar, checked: its probabilities sum to one, and every nonterminal is of use."""
    rules = []
    for line in read_lines(text):
        for parts, probability in line.sides:
            if probability is None:
                right = " ".join(map(str, parts)) or "nothing"
                raise line.place.error(
                    f"the right side {right} has no probability; write it behind, like [1/3]."
                )
            rules.append(Rule(line.left, parts, probability, line.place.line))
    return validate_rules(rules)


def read_rules_without_probabilities(text: str) -> tuple[Rule, ...]:
    """The rules of a grammar that gives none a probability: the alternatives of a nonterminal share it equally."""
    lines = list(read_lines(text))
    for line in lines:
        if any(side.probability is not None for side in line.sides):
            raise line.place.error("this grammar is read without probabilities; leave them out.")
    alternatives: dict[str, int] = {}
    for line in lines:
        alternatives[line.left] = alternatives.get(line.left, 0) + len(line.sides)
    return validate_rules(
        [
            Rule(line.left, side.parts, Fraction(1, alternatives[line.left]), line.place.line)
            for line in lines
            for side in line.sides
        ]
    )


def validate_rules(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules, normalised where their sums are almost one, if they make a grammar."""
    if not rules:
        raise LanguageError("A grammar needs at least one rule, like S -> 'a' S [1/2] | [1/2].")
    defined = {rule.left for rule in rules}
    for rule in rules:
        for part in rule.right:
            if not part.is_symbol and part.name not in defined:
                raise rule.error(f"{part} has no rule; quote it if it is a symbol.")
    productive, reachable = _productive(rules), _reachable(rules)
    start = rules[0].left
    if start not in productive:
        raise rules[0].error(f"no string can be derived from {start}: the language is empty.")
    for rule in rules:
        if rule.left not in productive:
            raise rule.error(f"no string can be derived from {rule.left}; give it a rule that ends.")
        if rule.left not in reachable:
            raise rule.error(f"{rule.left} cannot be reached from {start}; leave it out.")
    return _normalised(rules)


def _productive(rules: Sequence[Rule]) -> set[str]:
    """The nonterminals that some string can be derived from."""
    waiting: dict[str, list[int]] = {}
    missing = []
    for i, rule in enumerate(rules):
        needed = {part.name for part in rule.right if not part.is_symbol}
        missing.append(len(needed))
        for name in needed:
            waiting.setdefault(name, []).append(i)
    found: set[str] = set()
    todo = [rule.left for rule, number in zip(rules, missing, strict=True) if not number]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            for i in waiting.get(name, ()):
                missing[i] -= 1
                if not missing[i]:
                    todo.append(rules[i].left)
    return found


def _reachable(rules: Sequence[Rule]) -> set[str]:
    """The nonterminals that the start leads to."""
    leads_to: dict[str, set[str]] = {}
    for rule in rules:
        leads_to.setdefault(rule.left, set()).update(part.name for part in rule.right if not part.is_symbol)
    found, todo = {rules[0].left}, [rules[0].left]
    while todo:
        new = leads_to[todo.pop()] - found
        found |= new
        todo += new
    return found


def _normalised(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    alternatives: dict[str, list[Rule]] = {}
    for rule in rules:
        alternatives.setdefault(rule.left, []).append(rule)
    sums = {left: _sum(group) for left, group in alternatives.items()}
    for left, total in sums.items():
        first = alternatives[left][0]
        if abs(total - 1) > SUM_TOLERANCE:
            raise first.error(f"the probabilities of {left} add up to {_shown(total)}, not 1.")
        if total != 1:
            warnings.warn(
                f"Line {first.line}: the probabilities of {left} add up to {_shown(total)}; divided by that.",
                stacklevel=5,
            )
    return tuple(
        rule if sums[rule.left] == 1 else replace(rule, probability=rule.probability / sums[rule.left])
        for rule in rules
    )


def _sum(rules: Sequence[Rule]) -> Fraction:
    """The probabilities together. LanguageError if their common denominator is beyond reason."""
    common = 1
    for denominator in {rule.probability.denominator for rule in rules}:
        common = lcm(common, denominator)
        if common.bit_length() > MAX_DENOMINATOR_BITS:
            raise rules[0].error(
                f"the probabilities of {rules[0].left} have a common denominator of more than "
                f"{MAX_DENOMINATOR_BITS:,} bits; write them over a smaller one."
            )
    return Fraction(
        sum(rule.probability.numerator * (common // rule.probability.denominator) for rule in rules), common
    )


def _shown(total: Fraction) -> str:
    return str(total) if total.denominator < 10**4 else f"{float(total):.12g}"
