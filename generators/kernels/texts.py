"""Strings spelt out in UTF-8, a space between two symbols."""

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.compiler import kernel

SPACE = 0x20


@kernel
def write_letters(
    ids: Ids,
    offsets: NDArray[np.int64],
    letters: NDArray[np.uint8],
    starts: NDArray[np.int32],
    text: NDArray[np.uint8],
) -> None:
    """Spell strings over an alphabet of single bytes. `text` has a byte more than it needs.

    A space goes behind every symbol; where there should be none the next string begins, and overwrites it.
    """
    for row in range(offsets.size - 1):
        place = uint64(starts[row])
        for position in range(offsets[row], offsets[row + 1]):
            text[place] = letters[ids[position]]
            text[place + uint64(1)] = SPACE
            place += uint64(2)


@kernel
def write_symbols(
    ids: Ids,
    offsets: NDArray[np.int64],
    spelling: NDArray[np.uint8],
    ends: NDArray[np.int64],
    starts: NDArray[np.int32],
    text: NDArray[np.uint8],
) -> None:
    """The same for symbols of any number of bytes: symbol i is spelling[ends[i]:ends[i + 1]]."""
    for row in range(offsets.size - 1):
        place = uint64(starts[row])
        for position in range(offsets[row], offsets[row + 1]):
            symbol = uint64(ids[position])
            for i in range(ends[symbol], ends[symbol + uint64(1)]):
                text[place] = spelling[i]
                place += uint64(1)
            text[place] = SPACE
            place += uint64(1)
