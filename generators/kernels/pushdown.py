"""The inner loop of `marnn_bench.generators.pushdown`."""

import numpy as np
from numba import int32, int64, uint32, uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.strings import Ids

POP, PUSH = 1, 2
"""Actions, the low half of a move; PUSH + top pushes that top, 0 leaves the stack alone."""


@kernel
def trace(
    ids: Ids, offsets: NDArray[np.int64], moves: NDArray[np.uint32], start: int, deepest: int
) -> NDArray[np.int32]:
    """The configuration after each symbol: [symbols]. No branch on what is read, half would be guessed wrongly."""
    configurations = np.empty(ids.size, np.int32)
    stack = np.zeros(deepest + 1, np.uint32)  # tops, the empty stack's lowest
    table = moves.ravel()
    symbols = uint64(moves.shape[1])
    for row in range(offsets.size - 1):
        height, here = int64(0), uint64(start)
        for position in range(offsets[row], offsets[row + 1]):
            move = table[here * symbols + uint64(ids[position])]
            action = move & uint32(0xFFFF)
            pushes = action >= PUSH
            height += int64(pushes) - int64(action == POP)
            uncovered = stack[uint64(height)]
            top = uint32(action - uint32(PUSH)) if pushes else uncovered
            stack[uint64(height)] = top
            here = uint64(move >> uint32(16)) + uint64(top)
            configurations[position] = int32(here)
    return configurations
