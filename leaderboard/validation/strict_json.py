"""JSON from strangers: one meaning, no surprises, and bounded before it is parsed."""

import json
import re
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any, Final, NoReturn

import numpy as np

from marnn_bench.leaderboard.validation.limits import LONGEST_TEXT, MOST_DIGITS, MOST_LEVELS
from marnn_bench.visible import ACTING

TEXT: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
"""A string, or what begins one and does not end: possessive, so that no input makes it try twice."""

DEEPER: Final = np.zeros(256, np.int8)
DEEPER[list(b"[{")], DEEPER[list(b"]}")] = 1, -1


def parse(data: bytes, most_values: int) -> Any:
    """The value that JSON text stands for.

    most_values:  about so many values it may have, counted by its commas

    ValueError for what is not JSON in UTF-8, is too deep or too large, has a key twice, NaN, an infinity, or a number of
    many digits.

    >>> parse(b'{"a": [1, 2.5]}', 10)
    {'a': [1, 2.5]}
    >>> parse(b"[" * 100_000, 10)
    Traceback (most recent call last):
        ...
    ValueError: more than 24 levels
    """
    bare = TEXT.sub(b"", data)
    if bare.count(b",") > most_values:
        raise ValueError(f"more than {most_values:,} values")
    levels = np.cumsum(DEEPER[np.frombuffer(bare, np.uint8)], dtype=np.int64)
    if levels.max(initial=0) > MOST_LEVELS:
        raise ValueError(f"more than {MOST_LEVELS} levels")
    return json.loads(
        data.decode("utf-8"),
        object_pairs_hook=_object,
        parse_constant=_constant,
        parse_float=_float,
        parse_int=_int,
    )


def read(path: Path, most_bytes: int, most_values: int) -> Any:
    """The value in a file, as `parse` reads it. ValueError, which names the file, if it is not there or too large, too."""
    if not path.is_file():
        raise ValueError(f"it has no {path.name}")
    if path.stat().st_size > most_bytes:
        raise ValueError(f"{path.name} is larger than {most_bytes:,} bytes")
    try:
        return parse(path.read_bytes(), most_values)
    except ValueError as error:
        raise ValueError(f"{path.name}: {error}") from None


def check_texts(value: Any) -> None:
    """ValueError if a text or key in a value is long, or has characters that act on a terminal or turn text around."""
    for text in _texts(value):
        if len(text) > LONGEST_TEXT:
            raise ValueError(f"a text of {len(text):,} characters; {LONGEST_TEXT:,} are allowed")
        if found := ACTING.search(text):
            raise ValueError(f"the character {found[0]!a} in a text")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        yield from value
        yield from _texts([*value.values()])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!a:.60} twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name}, which is no number of JSON")


def _float(text: str) -> float:
    value = float(text)
    if len(text) > MOST_DIGITS or not isfinite(value):
        raise ValueError(f"the number {text:.20}")
    return value


def _int(text: str) -> int:
    if len(text) > MOST_DIGITS // 2:
        raise ValueError(f"an integer of {len(text):,} digits")
    return int(text)
