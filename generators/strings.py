"""A batch of strings as two arrays: all symbol ids in one row, and where each string starts in it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.kernels.arrays import Ids


@dataclass(frozen=True, eq=False)
class Strings:
    """n strings over an alphabet, in columns; no Python object per string.

    ids:      [symbols]  uint8, or uint16 above 256 symbols
    offsets:  [n + 1]    int64; string i is ids[offsets[i]:offsets[i + 1]]

    >>> ab = Alphabet.of("a b")
    >>> strings = Strings.from_texts(ab, ["a b", "", "b b a"])
    >>> strings.lengths.tolist(), strings.ids.tolist(), strings.texts(ab)
    ([2, 0, 3], [0, 1, 1, 1, 0], ['a b', '', 'b b a'])
    >>> strings.take([2, 0]).texts(ab)
    ['b b a', 'a b']
    """

    ids: Ids
    offsets: NDArray[np.int64]

    @classmethod
    def from_ids(cls, alphabet: Alphabet, rows: Iterable[Sequence[int]]) -> "Strings":
        """Pack rows of symbol ids; for examples and tests, not for the fast path."""
        listed = [np.array(row, alphabet.dtype) for row in rows]
        ids = np.concatenate([np.empty(0, alphabet.dtype), *listed])
        return cls(ids, offsets_of(np.array([len(row) for row in listed], np.int64)))

    @classmethod
    def from_texts(cls, alphabet: Alphabet, texts: Iterable[str]) -> "Strings":
        """Read texts whose symbols are separated by spaces."""
        return cls.from_ids(alphabet, ([alphabet.id(symbol) for symbol in text.split()] for text in texts))

    @classmethod
    def concatenate(cls, batches: Sequence["Strings"]) -> "Strings":
        """All strings of these batches (at least one), in order."""
        lengths = np.concatenate([batch.lengths for batch in batches])
        return cls(np.concatenate([batch.ids for batch in batches]), offsets_of(lengths))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Ids]:
        for i in range(len(self)):
            yield self[i]

    def __getitem__(self, row: int) -> Ids:
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of symbols of each string: [n]."""
        return np.diff(self.offsets)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The string that each symbol belongs to: [symbols]."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def maxima(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """The largest value of each string, given one for each symbol; 0 for an empty string: [symbols] -> [n].

        >>> Strings.from_ids(Alphabet.of("a b"), [[0, 1], [], [1]]).maxima(np.array([5, 7, 3])).tolist()
        [7, 0, 3]
        """
        largest = np.zeros(len(self), np.int64)
        filled = self.lengths > 0
        if filled.any():
            largest[filled] = np.maximum.reduceat(values, self.offsets[:-1][filled])
        return largest

    def take(self, rows: Sequence[int] | NDArray[Any]) -> "Strings":
        """These rows, in the order asked; a boolean array keeps the rows where it is true."""
        chosen = np.arange(len(self))[np.asarray(rows)]
        if len(chosen) and chosen[-1] - chosen[0] == len(chosen) - 1 and (np.diff(chosen) == 1).all():
            return self.slice(int(chosen[0]), int(chosen[-1]) + 1)
        lengths = self.lengths[chosen]
        offsets = offsets_of(lengths)
        source = np.arange(offsets[-1]) + np.repeat(self.offsets[chosen] - offsets[:-1], lengths)
        return Strings(self.ids[source], offsets)

    def append(self, others: "Strings | int") -> "Strings":
        """Each of these strings with another, or with one symbol, behind it; ids are int64.

        >>> strings = Strings(np.array([7, 8]), np.array([0, 2, 2]))
        >>> strings.append(0).ids.tolist(), strings.append(Strings(np.array([9]), np.array([0, 0, 1]))).ids.tolist()
        ([7, 8, 0, 0], [7, 8, 9])
        """
        if isinstance(others, int):
            others = Strings(np.full(len(self), others), np.arange(len(self) + 1))
        offsets = self.offsets + others.offsets
        ids = np.empty(offsets[-1], np.int64)
        ids[np.arange(len(self.ids)) + others.offsets[:-1][self.rows]] = self.ids
        ids[np.arange(len(others.ids)) + self.offsets[1:][others.rows]] = others.ids
        return Strings(ids, offsets)

    def slice(self, first: int, last: int) -> "Strings":
        """Rows first..last-1, without a copy of their symbols."""
        offsets = self.offsets[first : last + 1]
        return Strings(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

    def texts(self, alphabet: Alphabet) -> list[str]:
        """The strings spelt out, symbols separated by spaces."""
        return [" ".join(alphabet.symbols[i] for i in string) for string in self]


def offsets_of(lengths: NDArray[Any]) -> NDArray[np.int64]:
    """Where strings of these lengths start when they lie end to end, and where the last one ends: [n + 1]."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
