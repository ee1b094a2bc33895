"""Random choices: among finitely many outcomes by 64-bit thresholds, and of numbers below given bounds."""

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.compiler import inlined, kernel
from marnn_bench.generators.kernels.philox import RNG_WORDS, SIZES, SYMBOLS, init_rng, next_uint64, randbelow


@inlined
def choose(thresholds: NDArray[np.uint64], outcomes: int, word: int) -> int:
    """The first of `outcomes` whose threshold is above the word; the last one has no threshold of its own."""
    low, high = 0, outcomes - 1
    while low < high:
        middle = (low + high) // 2
        if uint64(word) < thresholds[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def choose_sizes(
    thresholds: NDArray[np.uint64], key: NDArray[np.uint32], draws: NDArray[np.uint64]
) -> NDArray[np.int64]:
    """For each draw, which of the sizes behind these thresholds it takes: [draws]."""
    chosen = np.empty(draws.size, np.int64)
    rng = np.empty(RNG_WORDS, np.uint32)
    for i in range(draws.size):
        init_rng(rng, key, draws[i], SIZES)
        chosen[i] = choose(thresholds, thresholds.size, next_uint64(rng))
    return chosen


@kernel
def randbelow_each(
    key: NDArray[np.uint32], draws: NDArray[np.uint64], bounds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each draw, a number in 0..bound-1 for each of its bounds (1..2^32-1), all equally likely: [draws, bounds].

    A bound of 1 leaves no choice and takes no random word.
    """
    numbers = np.empty(bounds.shape, np.int64)
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        for i in range(bounds.shape[1]):
            bound = bounds[row, i]
            numbers[row, i] = randbelow(rng, bound) if bound > 1 else 0
    return numbers
