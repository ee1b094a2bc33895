"""The inner loops of binary addition, whose symbols are 0 and 1, then + = and the full stop, and of unary multiplication."""

import numpy as np
from numba import uint32, uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.compiler import inlined, kernel
from marnn_bench.generators.kernels.philox import RNG_WORDS, SYMBOLS, init_rng, next_uint32, randbelow

PLUS, STOP, END = 2, 4, 5
DIGITS = 0b11
OPERANDS, SUM, OVER, DEAD = 0, 1, 2, 3

A, B, C = 0, 1, 2
AS, BS, CS = 0, 1, 2
A_OR_B, B_OR_C, C_ONLY, END_ONLY, NOTHING = uint64(3), uint64(6), uint64(4), uint64(8), uint64(0)
"""Of a^n b^k c^nk: symbols, states, next-symbol sets."""


@inlined
def bit(words: NDArray[np.uint32], place: int) -> int:
    """A digit of a number of 32-bit words, the lowest first."""
    return np.int64(words[place >> 5] >> uint32(place & 31) & uint32(1))


@kernel
def sample_sums(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    end_weight: int,
    offsets: NDArray[np.int64],
    ids: Ids,
) -> None:
    """Sums whose operands have so many digits together, written one behind the other; fills in the offsets.

    end_weight:  weight of giving all digits to one operand; every other way to share them has weight 1
    """
    words = sizes.max() // 32 + 2 if sizes.size else 1
    numbers, total = np.zeros((2, words), np.uint32), np.zeros(words, np.uint32)
    digits = np.empty(2, np.int64)
    rng = np.empty(RNG_WORDS, np.uint32)
    position = 0
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        size = sizes[row]
        digits[0] = 0
        if size > 0:
            pick = randbelow(rng, size - 1 + 2 * end_weight) - end_weight + 1
            digits[0] = min(max(pick, 0), size)
        digits[1] = size - digits[0]
        carry = uint64(0)
        for operand in range(2):
            number, length = numbers[operand], digits[operand]
            number[:] = 0
            for word in range((length + 31) // 32):
                number[word] = next_uint32(rng)
            if length > 0:
                top = uint32(1) << uint32((length - 1) & 31)
                last = (length - 1) >> 5
                number[last] = number[last] & (top - uint32(1)) | top
            for place in range(max(length, 1) - 1, -1, -1):
                ids[position] = bit(number, place)
                position += 1
            ids[position] = PLUS + operand
            position += 1
        for word in range(words):
            carry += uint64(numbers[0, word]) + uint64(numbers[1, word])
            total[word] = uint32(carry)
            carry >>= uint64(32)
        longest = max(digits[0], digits[1], 1)
        for place in range(longest + bit(total, longest)):
            ids[position] = bit(total, place)
            position += 1
        ids[position] = STOP
        position += 1
        offsets[row + 1] = position


@kernel
def label_sums(ids: Ids, offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The next-symbol set after each symbol: [symbols]. The operands are added digit by digit from where they stand."""
    masks = np.zeros(ids.size, np.uint64)
    first, digits = np.empty(2, np.int64), np.empty(2, np.int64)
    for row in range(offsets.size - 1):
        state, operand, place, carry, due = OPERANDS, 0, 0, 0, 0
        first[0], digits[0] = offsets[row], 0
        for position in range(offsets[row], offsets[row + 1]):
            symbol = np.int64(ids[position])
            if state == OPERANDS:
                length = digits[operand]
                leading_zero = length == 1 and ids[first[operand]] == 0
                if symbol < PLUS and not leading_zero:
                    digits[operand] = length + 1
                    goes_on = length > 0 or symbol == 1
                    masks[position] = uint64(1 << PLUS + operand | (DIGITS if goes_on else 0))
                elif symbol == PLUS + operand and length > 0:
                    operand += 1
                    if operand == 1:
                        first[1], digits[1] = position + 1, 0
                        masks[position] = uint64(DIGITS)
                    else:
                        state = SUM
                else:
                    state = DEAD
            elif state == SUM and symbol == due:
                place += 1
                state = OVER if symbol == STOP else SUM
            else:
                state = DEAD
            if state == SUM:
                column = carry
                for i in range(2):
                    if place < digits[i]:
                        column += np.int64(ids[first[i] + digits[i] - 1 - place])
                ended = place >= digits[0] and place >= digits[1] and carry == 0
                due, carry = (STOP if ended else column & 1), column >> 1
                masks[position] = uint64(1 << due)
            elif state == OVER:
                masks[position] = uint64(1 << END)
    return masks


@kernel
def label_products(ids: Ids, offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The next-symbol set after each symbol in a^n b^k c^nk: each b owes as many c as there are a: [symbols]."""
    masks = np.empty(ids.size, np.uint64)
    for row in range(offsets.size - 1):
        state, count, owed = AS, 0, 0
        for position in range(offsets[row], offsets[row + 1]):
            symbol = ids[position]
            if symbol == A and state == AS:
                count += 1
                masks[position] = A_OR_B
            elif symbol == B and state <= BS and count > 0:
                state, owed = BS, owed + count
                masks[position] = B_OR_C
            elif symbol == C and state <= CS and owed > 0:
                state, owed = CS, owed - 1
                masks[position] = C_ONLY if owed else END_ONLY
            else:
                state = DEAD
                masks[position] = NOTHING
    return masks
