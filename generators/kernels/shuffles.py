"""The inner loop of `marnn_bench.generators.languages.shuffles`."""

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.choice import choose
from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.kernels.philox import RNG_WORDS, SYMBOLS, init_rng, next_uint64, randbelow


@kernel
def sample_shuffles(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    pairs: int,
    shares: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    ids: Ids,
) -> None:
    """Shuffles given their lengths, all equally likely: how many brackets of each kind, then symbol by symbol.

    shares:  [kinds after this one, brackets, brackets]  thresholds of how many of the brackets left are of a kind

    A kind with h open brackets and r symbols to come goes on in as many ways as paths lead from height h to 0 in r
    steps; of these the share (h+2)(r-h) / 2r(h+1) begins upwards (Arnold & Sleep 1980).
    """
    to_come, height = np.empty(pairs, np.int64), np.empty(pairs, np.int64)
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        rest = (offsets[row + 1] - offsets[row]) // 2
        for kind in range(pairs - 1):
            part = choose(shares[pairs - 1 - kind, rest], rest + 1, next_uint64(rng))
            to_come[kind] = 2 * part
            rest -= part
        to_come[pairs - 1] = 2 * rest
        height[:] = 0
        for position in range(offsets[row], offsets[row + 1]):
            pick, kind = randbelow(rng, offsets[row + 1] - position), 0
            while pick >= to_come[kind]:
                pick -= to_come[kind]
                kind += 1
            h, r = height[kind], to_come[kind]
            opens = np.int64(randbelow(rng, 2 * r * (h + 1)) < (h + 2) * (r - h))
            ids[position] = 2 * kind + 1 - opens
            height[kind] = h + 2 * opens - 1
            to_come[kind] = r - 1
