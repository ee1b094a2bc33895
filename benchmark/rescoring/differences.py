"""Where two records, as JSON has them, differ."""

import json
from collections.abc import Iterator
from math import isclose
from typing import Any, Final

TOLERANCE: Final = 1e-9
"""So far two machines may be apart in a figure."""

SHOWN: Final = 60
"""Characters of a value that are shown."""


class Absent:
    """Stands for a value that one of the records does not have."""


ABSENT: Final = Absent()


def figures(said: Any, found: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """The values of two records side by side, with their places; ABSENT where one has nothing.

    >>> [*figures({"a": [1, 2], "b": 3}, {"a": [1, 5], "c": {}}, "x")][:2]
    [('x.a[0]', 1, 1), ('x.a[1]', 2, 5)]
    >>> [place for place, *_ in figures({"b": 3}, {"c": {}}, "x")]
    ['x.c', 'x.b']
    """
    if isinstance(said, dict) and isinstance(found, dict):
        for name in dict.fromkeys((*found, *said)):
            yield from figures(said.get(name, ABSENT), found.get(name, ABSENT), f"{place}.{name}")
    elif isinstance(said, list) and isinstance(found, list) and len(said) == len(found):
        for number, pair in enumerate(zip(said, found, strict=True)):
            yield from figures(*pair, f"{place}[{number}]")
    else:
        yield place, said, found


def agree(said: Any, found: Any) -> bool:
    """Whether two values are of one type, and equal but for rounding."""
    if type(said) is not type(found):
        return False
    if isinstance(said, float):
        return isclose(said, found, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(said == found)


def difference(place: str, said: Any, found: Any) -> str:
    """In words.

    >>> difference("runs[0].run", 7, 0), difference("runs[0].run", ABSENT, 0)
    ('runs[0].run is 7, not 0', 'runs[0].run is missing, not 0')
    """
    return f"{place:.{3 * SHOWN}} is {_shown(said)}, not {_shown(found)}"


def _shown(value: Any) -> str:
    if value is ABSENT:
        return "missing"
    if isinstance(value, list | dict):
        return f"{'a list' if isinstance(value, list) else 'an object'} of {len(value):,}"
    text = json.dumps(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
