"""Alphabets: the finite, ordered sets of symbols that strings are made of."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import DTypeLike

from marnn_bench.generators.errors import LanguageError

END: Final = "END"
"""The reserved symbol that a string ends with, where a task asks for it. It belongs to no alphabet."""

MASK_SYMBOLS: Final = 63
"""Largest alphabet whose sets of symbols and END fit the 64 bits of a mask."""


MAX_SYMBOLS: Final = 1 << 16
"""Largest alphabet whose symbol ids fit two bytes."""


MAX_SYMBOL_LENGTH: Final = 100
"""Characters of a symbol, which errors show."""
SHOWN: Final = 300
"""Characters of an alphabet that an error shows."""


@dataclass(frozen=True)
class Alphabet:
    """An ordered set of symbols; a symbol's id is its place in it.

    A set of symbols is a mask: bit i stands for symbol i, the bit after the last symbol for END.

    >>> brackets = Alphabet.of("( ) [ ]")
    >>> len(brackets), brackets.id("["), brackets.mask(["(", "[", END])
    (4, 2, 21)
    >>> brackets.members(21)
    ('(', '[', 'END')
    """

    symbols: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.symbols:
            raise LanguageError("An alphabet needs at least one symbol.")
        if len(self.symbols) > MAX_SYMBOLS:
            raise LanguageError(
                f"An alphabet has at most {MAX_SYMBOLS:,} symbols, not {len(self.symbols):,}."
            )
        for symbol in self.symbols:
            if not symbol or symbol.split() != [symbol]:
                raise LanguageError(
                    f"Symbol {symbol!r} is empty or has a space in it; spaces separate symbols."
                )
            if len(symbol) > MAX_SYMBOL_LENGTH:
                raise LanguageError(
                    f"Symbol {symbol[:20]!r}... has {len(symbol):,} characters, more than {MAX_SYMBOL_LENGTH}."
                )
            if not symbol.isprintable():
                raise LanguageError(f"Symbol {symbol!r} has a character that cannot be seen; rename it.")
            if symbol == END:
                raise LanguageError(f"Symbol {END} is reserved for the end of a string; rename it.")
        if len(set(self.symbols)) < len(self.symbols):
            twice = next(symbol for i, symbol in enumerate(self.symbols) if symbol in self.symbols[:i])
            raise LanguageError(f"An alphabet names a symbol twice: {twice}.")

    @classmethod
    def of(cls, symbols: str | Iterable[str]) -> "Alphabet":
        """The alphabet of these symbols: an iterable, or a text with spaces between them."""
        return cls(tuple(symbols.split() if isinstance(symbols, str) else symbols))

    def __len__(self) -> int:
        return len(self.symbols)

    def __iter__(self) -> Iterator[str]:
        return iter(self.symbols)

    @property
    def dtype(self) -> DTypeLike:
        """The type of symbol ids: one byte, or two above 256 symbols."""
        return np.uint8 if len(self) <= 256 else np.uint16

    def id(self, symbol: str) -> int:
        """The symbol's place in the alphabet, counted from 0."""
        try:
            return self._places[symbol]
        except KeyError:
            known = " ".join(self.symbols)
            if len(known) > SHOWN:
                known = f"{known[:SHOWN]} ... ({len(self):,} symbols)"
            raise LanguageError(f"Symbol {symbol[:SHOWN]!r} is not in the alphabet {known}.") from None

    @cached_property
    def _places(self) -> dict[str, int]:
        return {symbol: i for i, symbol in enumerate(self.symbols)}

    def mask(self, symbols: Iterable[str]) -> int:
        """The set of these symbols (END allowed) as a bit mask."""
        mask = 0
        for symbol in symbols:
            mask |= 1 << (len(self) if symbol == END else self.id(symbol))
        return mask

    def members(self, mask: int) -> tuple[str, ...]:
        """The symbols of a mask, in the order of the alphabet, END last."""
        return tuple(symbol for i, symbol in enumerate((*self.symbols, END)) if mask >> i & 1)

    def show(self, mask: int) -> str:
        """A mask as the papers print it: members joined by a slash, `-` for the empty set."""
        return "/".join(self.members(mask)) or "-"
