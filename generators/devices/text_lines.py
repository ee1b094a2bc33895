"""The lines of a device's text: numbered as an editor numbers them, without characters that cannot be seen."""

import unicodedata
from collections.abc import Iterator

from marnn_bench.generators.errors import LanguageError

SHOWN = 100
"""Characters of a line that an error shows."""
LONGEST_MESSAGE = 300


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines and their numbers, from 1. LanguageError names a character that a name could hide."""
    for number, line in enumerate(text.split("\n"), 1):
        for character in line.removesuffix("\r"):
            if not character.isprintable() and character != "\t":
                name = unicodedata.name(character, "a control character")
                raise LanguageError(
                    f"Line {number} has a character that cannot be seen, U+{ord(character):04X} ({name}): delete it."
                )
        yield number, line.strip()


def error_at(number: int, text: str, message: str) -> LanguageError:
    """An error that names a line; a message with a name of thousands of characters in it is cut in the middle."""
    if len(message) > LONGEST_MESSAGE:
        message = f"{message[: LONGEST_MESSAGE // 2]} ... {message[-LONGEST_MESSAGE // 2 :]}"
    return LanguageError(f"Line {number}, `{shorten(text)}`: {message}")


def shorten(text: str) -> str:
    """The text, cut where it would make an error hard to read."""
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."
