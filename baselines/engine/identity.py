"""What a compiled program depends on, as a key: so that a cell of ours that was compiled before need not be traced again."""

import hashlib
import sys
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import torch

from marnn_bench import baselines
from marnn_bench.baselines.cells.cell import Cell

OURS: Final = f"{baselines.__name__}."


def identity(cell: Cell) -> str | None:
    """A digest of the values of a cell and of our source.

    None if that does not say all: if it holds anything but numbers, words, tuples, and dataclasses of ours. What the
    equations of others depend on, such as files that they import, cannot be known.
    """
    described = _describe(cell)
    return described and _digest(repr((described, torch.__version__, _digest_of_sources())).encode())


def _describe(value: Any) -> str | None:
    """A text that two values share only if they are equal; None if there is none."""
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if isinstance(value, tuple):
        parts = {str(place): part for place, part in enumerate(value)}
    elif is_dataclass(value) and not isinstance(value, type) and _is_ours(type(value)):
        parts = {field.name: getattr(value, field.name) for field in fields(value)}
    else:
        return None
    described = {name: _describe(part) for name, part in parts.items()}
    return (
        None
        if None in described.values()
        else f"{type(value).__module__}.{type(value).__qualname__}{described}"
    )


def _is_ours(kind: type) -> bool:
    """Whether a class, with all that it inherits, is defined by the modules of this package."""
    return "<locals>" not in kind.__qualname__ and all(
        base.__module__.startswith(OURS) or base.__module__ in sys.stdlib_module_names
        for base in kind.__mro__
    )


@cache
def _digest_of_sources() -> str:
    """Of all our source files about baselines, which do not change while a program runs."""
    sources = sorted(
        path
        for folder in baselines.__path__
        for path in Path(folder).rglob("*")
        if path.suffix in (".py", ".c", ".h")
    )
    return _digest(b"".join(_digest(source.read_bytes()).encode() for source in sources))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
