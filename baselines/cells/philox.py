"""Philox4x32-10 (Salmon et al. 2011) for arrays of counters and keys: random numbers that are a function of both.

`engine/philox.h` has the same in C.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
"""Of 32 bits, unless said otherwise; 64 hold a product of two."""

_MULTIPLIERS: Final = 0xD2511F53, 0xCD9E8D57
_WEYL: Final = 0x9E3779B9, 0xBB67AE85
_ROUNDS: Final = 10
_HALF: Final = np.uint64(32)
_LOW: Final = np.uint64(0xFFFFFFFF)


def round_keys(keys: Words) -> Words:
    """What each round takes of keys of 64 bits: [...] -> [round, 2, ...]"""
    first = np.stack([keys & _LOW, keys >> _HALF])
    steps = np.arange(_ROUNDS, dtype=np.uint64)[:, None] * np.array(_WEYL, np.uint64)
    words = first + steps.reshape(_ROUNDS, 2, *[1] * keys.ndim)
    words &= _LOW
    return words


def philox(counter: tuple[Words, Words, Words, Words], keys: Words) -> Words:
    """Two numbers of 64 bits for each counter of four words, under its round keys: four [...] -> [2, ...]

    All broadcast against each other. Of the four words of a block, the first and the third are the upper halves.

    >>> zero = np.zeros((), np.uint64)
    >>> [hex(number) for number in philox((zero, zero, zero, zero), round_keys(zero))]
    ['0x6627e8d5e169c58d', '0xbc57ac4c9b00dbd8']
    """
    shape = np.broadcast_shapes(*(word.shape for word in counter), keys.shape[2:])
    multiplied, rest = np.empty((2, *shape), np.uint64), np.empty((2, *shape), np.uint64)
    multiplied[0], rest[0], multiplied[1], rest[1] = counter
    factors = np.array(_MULTIPLIERS, np.uint64).reshape(2, *[1] * len(shape))
    product = np.empty_like(rest)
    for key in keys:
        np.multiply(multiplied, factors, out=product)
        crossed = product[::-1]
        np.right_shift(crossed, _HALF, out=multiplied)
        multiplied ^= rest
        multiplied ^= key
        np.bitwise_and(crossed, _LOW, out=rest)
    multiplied <<= _HALF
    multiplied |= rest
    return multiplied
