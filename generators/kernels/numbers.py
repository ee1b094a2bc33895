"""Random numbers below given bounds."""

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.kernels.philox import STREAM_WORDS, SYMBOLS, below, open_stream


@kernel
def below_each(
    key: NDArray[np.uint32], draws: NDArray[np.uint64], bounds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For each draw, a number in 0..bound-1 for each of its bounds (1..2^32-1), all equally likely: [draws, bounds].

    A bound of 1 leaves no choice and takes no random word.
    """
    numbers = np.empty(bounds.shape, np.int64)
    stream = np.empty(STREAM_WORDS, np.uint32)
    for row in range(draws.size):
        open_stream(stream, key, draws[row], SYMBOLS)
        for i in range(bounds.shape[1]):
            bound = bounds[row, i]
            numbers[row, i] = below(stream, bound) if bound > 1 else 0
    return numbers
