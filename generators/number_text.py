"""Probabilities, weights and parameters as text: `1/3`, `0.25`, `2e-3`, always exact."""

import re
from fractions import Fraction

MAX_DIGITS = 50
"""Of a numerator, a denominator or a decimal fraction: far beyond what anybody means, far below what takes long."""
MAX_EXPONENT = 50
"""Of ten, either way."""

NUMBER = re.compile(
    r"""
      (?P<numerator> [+-]? [0-9]+ ) \s* / \s* (?P<denominator> [0-9]+ )
    | (?P<decimal>   [+-]? (?: [0-9]+ \.? [0-9]* | \. [0-9]+ ) ) (?: [eE] (?P<exponent> [+-]? [0-9]+ ) )?
    """,
    re.VERBOSE,
)


def read_number(text: str) -> Fraction:
    """The number that is written. ValueError says what it is instead: no number, or one of too many digits.

    >>> read_number("1/3"), read_number("0.25"), read_number("2e-3")
    (Fraction(1, 3), Fraction(1, 4), Fraction(1, 500))
    """
    match = NUMBER.fullmatch(text.strip())
    if match is None:
        raise ValueError("is no number")
    parts = match.groupdict(default="")
    exponent = parts.pop("exponent")
    if any(sum(map(str.isdigit, part)) > MAX_DIGITS for part in parts.values()):
        raise ValueError(f"has more than {MAX_DIGITS} digits")
    if len(exponent) > MAX_DIGITS or abs(int(exponent or 0)) > MAX_EXPONENT:
        raise ValueError(f"has an exponent beyond {MAX_EXPONENT}")
    if parts["denominator"] and not int(parts["denominator"]):
        raise ValueError("is no number")
    return Fraction(re.sub(r"\s", "", match[0]))
