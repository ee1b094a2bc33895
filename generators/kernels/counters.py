"""The inner loop of `marnn_bench.generators.counters`."""

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.strings import Ids

A, B, C = 0, 1, 2
AS, BS, CS, DEAD = 0, 1, 2, 3
A_OR_B, B_OR_C, C_ONLY, END_ONLY, NOTHING = uint64(3), uint64(6), uint64(4), uint64(8), uint64(0)


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
