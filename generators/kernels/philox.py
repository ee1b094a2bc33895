"""Random words that are the same on every machine: Philox4x32-10 (Salmon et al. 2011), counter = (draw, block).

A rng is the array that one draw of a split takes its random words from:

    rng[0:64]   the last 16 blocks of four words; many at once, since the compiler then works on several in parallel
    rng[64]     how many of these words are used
    rng[65:67]  the draw's number, low word first
    rng[67]     the next block
    rng[68]     the purpose, so that a draw's size and its symbols never share words
    rng[69:71]  the key
"""

import numpy as np
from numba import uint32, uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.compiler import inlined, kernel

RNG_WORDS = 71
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
def init_rng(rng: NDArray[np.uint32], key: NDArray[np.uint32], draw: int, purpose: int) -> None:
    """Set `rng` to the beginning of a draw's words."""
    rng[_USED] = uint32(_WORDS)
    rng[_DRAW] = uint32(draw)
    rng[_DRAW + 1] = uint32(uint64(draw) >> uint64(32))
    rng[_BLOCK] = uint32(0)
    rng[_PURPOSE] = uint32(purpose)
    rng[_KEY] = key[0]
    rng[_KEY + 1] = key[1]


@kernel
def _refill(rng: NDArray[np.uint32]) -> None:
    low, high, purpose = rng[_DRAW], rng[_DRAW + 1], rng[_PURPOSE]
    first, key0, key1 = rng[_BLOCK], rng[_KEY], rng[_KEY + 1]
    for block in range(_BLOCKS):
        word0, word1, word2, word3 = philox(low, high, uint32(first + uint32(block)), purpose, key0, key1)
        rng[4 * block] = word0
        rng[4 * block + 1] = word1
        rng[4 * block + 2] = word2
        rng[4 * block + 3] = word3
    rng[_BLOCK] = uint32(first + uint32(_BLOCKS))
    rng[_USED] = uint32(0)


@inlined
def next_uint32(rng: NDArray[np.uint32]) -> int:
    """The next 32 random bits."""
    used = rng[_USED]
    if used == _WORDS:
        _refill(rng)
        used = uint32(0)
    rng[_USED] = used + uint32(1)
    return rng[used]


@inlined
def next_uint64(rng: NDArray[np.uint32]) -> int:
    """The next 64 random bits, high word first."""
    high = uint64(next_uint32(rng))
    return (high << uint64(32)) | uint64(next_uint32(rng))


@inlined
def randbelow(rng: NDArray[np.uint32], bound: int) -> int:
    """A number in 0..bound-1 (bound < 2^32), each equally likely: Lemire's multiplication with rejection."""
    limit = uint64(bound)
    product = uint64(next_uint32(rng)) * limit
    if uint32(product) < limit:
        excess = uint32((uint64(1) << uint64(32)) % limit)
        while uint32(product) < excess:
            product = uint64(next_uint32(rng)) * limit
    return np.int64(product >> uint64(32))
