"""The inner loops of `marnn_bench.generators.palindromes`."""

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.kernels.philox import STREAM_WORDS, SYMBOLS, below, open_stream
from marnn_bench.generators.strings import Ids


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
