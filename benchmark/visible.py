"""Text of unknown origin, for a terminal: what would act on the terminal is shown as the text that it is."""

import re
from typing import Final

ACTING: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, other ends of lines, marks of the direction of text, halves of surrogate pairs."""


def visible(text: str, kept: str = "") -> str:
    r"""The text with every acting character but those of `kept` as its escape sequence.

    >>> print(visible("\x1b[31mred\nnext"))
    \x1b[31mred\nnext
    """
    return ACTING.sub(lambda found: found[0] if found[0] in kept else _escaped(found[0]), text)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
