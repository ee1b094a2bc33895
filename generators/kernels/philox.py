"""Random words that are the same on every machine: Philox4x32-10 (Salmon et al. 2011), counter = (draw, block).

A stream is the array that one draw of a split takes its random words from:

    stream[0:64]   the last 16 blocks of four words; many at once, since the compiler then works on several in parallel
    stream[64]     how many of these words are used
    stream[65:67]  the draw's number, low word first
    stream[67]     the next block
    stream[68]     the purpose, so that a draw's size and its symbols never share words
    stream[69:71]  the key
"""

import numpy as np
from numba import uint32, uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.compiler import inlined, kernel

STREAM_WORDS = 71
SIZES, SYMBOLS = 0, 1
"""Purposes."""

_WORDS, _BLOCKS = 64, 16
_USED, _DRAW, _BLOCK, _PURPOSE, _KEY = 64, 65, 67, 68, 69


@kernel
def philox(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> tuple[int, int, int, int]:
    """One block of four 32-bit words."""
    for _ in range(10):
        product0 = uint64(c0) * uint64(0xD2511F53)
        product1 = uint64(c2) * uint64(0xCD9E8D57)
        c0 = uint32(uint32(product1 >> uint64(32)) ^ c1 ^ k0)
        c2 = uint32(uint32(product0 >> uint64(32)) ^ c3 ^ k1)
        c1, c3 = uint32(product1), uint32(product0)
        k0 = uint32(k0 + uint32(0x9E3779B9))
        k1 = uint32(k1 + uint32(0xBB67AE85))
    return c0, c1, c2, c3


@kernel
def open_stream(stream: NDArray[np.uint32], key: NDArray[np.uint32], draw: int, purpose: int) -> None:
    """Set `stream` to the beginning of a draw's words."""
    stream[_USED] = uint32(_WORDS)
    stream[_DRAW] = uint32(draw)
    stream[_DRAW + 1] = uint32(uint64(draw) >> uint64(32))
    stream[_BLOCK] = uint32(0)
    stream[_PURPOSE] = uint32(purpose)
    stream[_KEY] = key[0]
    stream[_KEY + 1] = key[1]


@kernel
def _refill(stream: NDArray[np.uint32]) -> None:
    low, high, purpose = stream[_DRAW], stream[_DRAW + 1], stream[_PURPOSE]
    first, key0, key1 = stream[_BLOCK], stream[_KEY], stream[_KEY + 1]
    for block in range(_BLOCKS):
        word0, word1, word2, word3 = philox(low, high, uint32(first + uint32(block)), purpose, key0, key1)
        stream[4 * block] = word0
        stream[4 * block + 1] = word1
        stream[4 * block + 2] = word2
        stream[4 * block + 3] = word3
    stream[_BLOCK] = uint32(first + uint32(_BLOCKS))
    stream[_USED] = uint32(0)


@inlined
def word32(stream: NDArray[np.uint32]) -> int:
    """The next 32 random bits."""
    used = stream[_USED]
    if used == _WORDS:
        _refill(stream)
        used = uint32(0)
    stream[_USED] = used + uint32(1)
    return stream[used]


@inlined
def word64(stream: NDArray[np.uint32]) -> int:
    """The next 64 random bits, high word first."""
    high = uint64(word32(stream))
    return (high << uint64(32)) | uint64(word32(stream))


@inlined
def below(stream: NDArray[np.uint32], bound: int) -> int:
    """A number in 0..bound-1 (bound < 2^32), each equally likely: Lemire's multiplication with rejection."""
    limit = uint64(bound)
    product = uint64(word32(stream)) * limit
    if uint32(product) < limit:
        excess = uint32((uint64(1) << uint64(32)) % limit)
        while uint32(product) < excess:
            product = uint64(word32(stream)) * limit
    return np.int64(product >> uint64(32))
