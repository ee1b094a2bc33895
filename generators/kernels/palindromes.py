"""The inner loops of palindromes, with a marker and without."""

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.kernels.philox import RNG_WORDS, SYMBOLS, init_rng, randbelow


@kernel
def sample_words(
    key: NDArray[np.uint32], draws: NDArray[np.uint64], letters: int, offsets: NDArray[np.int64], ids: Ids
) -> None:
    """Words of given lengths, every letter equally likely."""
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        for position in range(offsets[row], offsets[row + 1]):
            ids[position] = randbelow(rng, letters)


@kernel
def mirror(
    words: Ids, word_offsets: NDArray[np.int64], image: Ids, marker: int, offsets: NDArray[np.int64], ids: Ids
) -> None:
    """w # phi(w^R) for each word w."""
    for row in range(offsets.size - 1):
        first, last = offsets[row], offsets[row + 1] - 1
        length = word_offsets[row + 1] - word_offsets[row]
        for i in range(length):
            letter = words[word_offsets[row] + i]
            ids[first + i] = letter
            ids[last - i] = image[letter]
        ids[first + length] = marker


@kernel
def palindromic_prefixes(ids: Ids, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the symbols up to each one are an even palindrome: [symbols].

    Manacher 1975, in linear time: the radius of the longest even palindrome around each gap between two symbols. A gap
    inside the palindrome that ends furthest right starts from the radius of its mirror image.
    """
    longest = 0
    for row in range(offsets.size - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    radii = np.empty(longest, np.int64)
    found = np.zeros(ids.size, np.bool_)
    for row in range(offsets.size - 1):
        first, length = offsets[row], offsets[row + 1] - offsets[row]
        centre, end = 0, 0  # of the part that radii furthest right: its gap, and the first symbol behind it
        for gap in range(1, length):
            radius = min(radii[2 * centre - gap], end - gap) if gap < end else 0
            while (
                radius < gap
                and gap + radius < length
                and ids[first + gap - radius - 1] == ids[first + gap + radius]
            ):
                radius += 1
            radii[gap] = radius
            if gap + radius > end:
                centre, end = gap, gap + radius
            if radius == gap:
                found[first + 2 * gap - 1] = True
    return found
