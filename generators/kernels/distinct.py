"""The inner loops of `marnn_bench.generators.sampling.distinct`."""

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.compiler import inlined, kernel


@inlined
def _mix(word: int) -> int:
    """Spread every bit of a word over all of them (the finaliser of SplitMix64)."""
    word = (word ^ (word >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
    return word ^ (word >> uint64(31))


@kernel
def fingerprints(ids: Ids, offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """127 random bits for each string, the same for equal strings: [n, 2]. The second word is never zero."""
    prints = np.empty((offsets.size - 1, 2), np.uint64)
    for row in range(offsets.size - 1):
        low, high = uint64(0x9E3779B97F4A7C15), uint64(offsets[row + 1] - offsets[row])
        for position in range(offsets[row], offsets[row + 1]):
            symbol = uint64(ids[position]) + uint64(1)
            low = (low ^ symbol) * uint64(0xFF51AFD7ED558CCD)
            low ^= low >> uint64(32)
            high = (high + symbol) * uint64(0xD1342543DE82EF95)
            high ^= high >> uint64(29)
        prints[row, 0] = _mix(low)
        prints[row, 1] = _mix(high) | uint64(1)
    return prints


@kernel
def mark_new(seen: NDArray[np.uint64], prints: NDArray[np.uint64], add: bool) -> NDArray[np.bool_]:
    """Whether each fingerprint is met for the first time; with `add` all are then in the hash table `seen`: [n].

    seen: [slots, 2], a power of two of slots, more than will ever be filled; a slot of zeros is free.
    """
    new = np.zeros(prints.shape[0], np.bool_)
    last = uint64(seen.shape[0] - 1)
    for row in range(prints.shape[0]):
        low, high = prints[row, 0], prints[row, 1]
        slot = low & last
        while seen[slot, 1] != 0 and not (seen[slot, 0] == low and seen[slot, 1] == high):
            slot = (slot + uint64(1)) & last
        if seen[slot, 1] == 0:
            new[row] = True
            if add:
                seen[slot, 0], seen[slot, 1] = low, high
    return new
