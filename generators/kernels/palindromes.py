"""The inner loops of palindromes, with a marker and without."""

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.kernels.philox import STREAM_WORDS, SYMBOLS, below, open_stream


@kernel
def sample_words(
    key: NDArray[np.uint32], draws: NDArray[np.uint64], letters: int, offsets: NDArray[np.int64], ids: Ids
) -> None:
    """Words of given lengths, every letter equally likely."""
    stream = np.empty(STREAM_WORDS, np.uint32)
    for row in range(draws.size):
        open_stream(stream, key, draws[row], SYMBOLS)
        for position in range(offsets[row], offsets[row + 1]):
            ids[position] = below(stream, letters)


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

    Manacher 1975: how far the string mirrors itself around each gap between two symbols, in linear time, since inside
    the mirrored part that reaches furthest right a gap begins with what is known of its mirror image.
    """
    longest = 0
    for row in range(offsets.size - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    reaches = np.empty(longest, np.int64)
    found = np.zeros(ids.size, np.bool_)
    for row in range(offsets.size - 1):
        first, length = offsets[row], offsets[row + 1] - offsets[row]
        centre, end = 0, 0  # of the part that reaches furthest right: its gap, and the first symbol behind it
        for gap in range(1, length):
            reach = min(reaches[2 * centre - gap], end - gap) if gap < end else 0
            while (
                reach < gap
                and gap + reach < length
                and ids[first + gap - reach - 1] == ids[first + gap + reach]
            ):
                reach += 1
            reaches[gap] = reach
            if gap + reach > end:
                centre, end = gap, gap + reach
            if reach == gap:
                found[first + 2 * gap - 1] = True
    return found
