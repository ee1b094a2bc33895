"""Choices among finitely many outcomes, by 64-bit thresholds."""

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.compiler import inlined, kernel
from marnn_bench.generators.kernels.philox import SIZES, STREAM_WORDS, open_stream, word64


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
    stream = np.empty(STREAM_WORDS, np.uint32)
    for i in range(draws.size):
        open_stream(stream, key, draws[i], SIZES)
        chosen[i] = choose(thresholds, thresholds.size, word64(stream))
    return chosen
