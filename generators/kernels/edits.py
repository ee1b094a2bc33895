"""The inner loop of `marnn_bench.generators.sampling.edits`."""

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.compiler import kernel

WORD = 64


@kernel
def levenshtein(
    ids: Ids, offsets: NDArray[np.int64], other_ids: Ids, other_offsets: NDArray[np.int64], symbols: int
) -> NDArray[np.int64]:
    """The distance between each string and its counterpart: [n].

    A column of the table of distances is kept as the differences from one cell to the next: bit i of `rises` says +1,
    of `falls` -1. A symbol of the counterpart makes the next column of 64 cells at once; what goes from word to word,
    and at last adds up to the distance, is the difference along the lower edge.
    """
    distances = np.empty(offsets.size - 1, np.int64)
    longest = 0
    for row in range(distances.size):
        longest = max(longest, offsets[row + 1] - offsets[row])
    most = (longest + WORD - 1) // WORD
    equal = np.zeros((symbols, most), np.uint64)  # bit i of a symbol's words: the string has it at position i
    rises, falls = np.empty(most, np.uint64), np.empty(most, np.uint64)
    one, top = uint64(1), uint64(WORD - 1)
    for row in range(distances.size):
        first, length = offsets[row], offsets[row + 1] - offsets[row]
        words = (length + WORD - 1) // WORD
        bottom = uint64((length - 1) % WORD)  # the last cell of the column, in the last word
        for i in range(length):
            equal[ids[first + i], i // WORD] |= one << uint64(i % WORD)
        rises[:words] = ~uint64(0)
        falls[:words] = uint64(0)
        distance = length
        for position in range(other_offsets[row], other_offsets[row + 1]):
            symbol = other_ids[position]
            up, down = one, uint64(0)  # along the upper edge the distance grows by one a symbol
            for word in range(words):
                rise, fall, same = rises[word], falls[word], equal[symbol, word]
                vertical = same | fall
                same |= down
                horizontal = (((same & rise) + rise) ^ rise) | same
                grows, shrinks = fall | ~(horizontal | rise), rise & horizontal
                edge = bottom if word == words - 1 else top
                next_up, next_down = (grows >> edge) & one, (shrinks >> edge) & one
                grows, shrinks = (grows << one) | up, (shrinks << one) | down
                rises[word] = shrinks | ~(vertical | grows)
                falls[word] = grows & vertical
                up, down = next_up, next_down
            distance += np.int64(up) - np.int64(down)
        distances[row] = distance
        for i in range(length):
            equal[ids[first + i], i // WORD] = uint64(0)
    return distances
