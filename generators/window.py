"""Windows: inclusive ranges of string lengths."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from marnn_bench.generators.errors import LanguageError


@dataclass(frozen=True)
class Window:
    """The lengths from `low` to `high`, both included.

    >>> Window.parse("2:50")
    Window(low=2, high=50)
    >>> str(Window(52, 100)), 52 in Window(52, 100), list(Window(3, 5))
    ('52:100', True, [3, 4, 5])
    """

    low: int
    high: int

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high:
            raise LanguageError(
                f"Window {self.low}:{self.high} is empty; write LOW:HIGH with 0 <= LOW <= HIGH."
            )

    @classmethod
    def parse(cls, text: str) -> "Window":
        """Read LOW:HIGH."""
        ends = re.fullmatch(r"([0-9]{1,18}):([0-9]{1,18})", text)
        if not ends:
            shown = text if len(text) <= 60 else f"{text[:57]}..."
            raise LanguageError(f"Window {shown!r} is not of the form LOW:HIGH; try 2:50.")
        return cls(int(ends[1]), int(ends[2]))

    def __str__(self) -> str:
        return f"{self.low}:{self.high}"

    def __contains__(self, length: int) -> bool:
        return self.low <= length <= self.high

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.low, self.high + 1))
