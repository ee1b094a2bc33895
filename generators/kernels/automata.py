"""The inner loops of automata: finite ones, walks through them, counter machines, pushdown automata."""

import numpy as np
from numba import int32, int64, uint32, uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.choice import choose
from marnn_bench.generators.kernels.compiler import inlined, kernel
from marnn_bench.generators.kernels.philox import RNG_WORDS, SYMBOLS, init_rng, next_uint64

POP, PUSH = 1, 2
"""Actions, the low half of a move; PUSH + top pushes that top, 0 leaves the stack alone."""


@kernel
def trace_states(
    ids: Ids, offsets: NDArray[np.int64], moves: NDArray[np.int32], start: int
) -> NDArray[np.int32]:
    """The state after each symbol: [symbols]. moves: [states, symbols], the next state."""
    states = np.empty(ids.size, np.int32)
    table, symbols = moves.ravel(), uint64(moves.shape[1])
    for row in range(offsets.size - 1):
        here = int32(start)
        for position in range(offsets[row], offsets[row + 1]):
            here = table[uint64(here) * symbols + uint64(ids[position])]
            states[position] = here
    return states


@kernel
def trace_counters(
    ids: Ids, offsets: NDArray[np.int64], moves: NDArray[np.int32], changes: NDArray[np.int8], start: int
) -> NDArray[np.int32]:
    """The configuration after each symbol, state << counters | set of the positive counters: [symbols].

    moves:    [configurations, symbols]  the next state << counters
    changes:  [configurations, symbols, counters]
    """
    configurations = np.empty(ids.size, np.int32)
    symbols, counters = uint64(changes.shape[1]), changes.shape[2]
    to, change = moves.ravel(), changes.ravel()
    values = np.zeros(counters, np.int64)
    for row in range(offsets.size - 1):
        here = int32(start)
        values[:] = 0
        for position in range(offsets[row], offsets[row + 1]):
            move = uint64(here) * symbols + uint64(ids[position])
            here = to[move]
            for counter in range(counters):
                value = values[counter] + change[move * uint64(counters) + uint64(counter)]
                values[counter] = value
                here |= int32(value > 0) << int32(counter)
            configurations[position] = here
    return configurations


@inlined
def _step(
    table: NDArray[np.uint32], symbols: int, stack: NDArray[np.uint32], height: int, here: int, symbol: int
) -> tuple[int, int]:
    """Height and configuration after a symbol. No branch on what is read: half would be mispredicted."""
    move = table[here * symbols + uint64(symbol)]
    action = move & uint32(0xFFFF)
    pushes = action >= PUSH
    height += int64(pushes) - int64(action == POP)
    uncovered = stack[uint64(height)]
    top = uint32(action - uint32(PUSH)) if pushes else uncovered
    stack[uint64(height)] = top
    return height, uint64(move >> uint32(16)) + uint64(top)


@kernel
def trace_stack(
    ids: Ids, offsets: NDArray[np.int64], moves: NDArray[np.uint32], start: int, deepest: int
) -> NDArray[np.int32]:
    """The configuration after each symbol: [symbols].

    Two strings are read side by side: a step waits for the one before it, but not for the other string's.
    """
    configurations = np.empty(ids.size, np.int32)
    stack, other_stack = np.zeros((2, deepest + 1), np.uint32)  # tops, the empty stack's lowest
    table = moves.ravel()
    symbols = uint64(moves.shape[1])
    rows = offsets.size - 1
    for row in range(0, rows, 2):
        place, end = offsets[row], offsets[row + 1]
        other_place, other_end = end, offsets[min(row + 2, rows)]
        height, other_height = int64(0), int64(0)
        here, other_here = uint64(start), uint64(start)
        for _ in range(min(end - place, other_end - other_place)):
            height, here = _step(table, symbols, stack, height, here, ids[uint64(place)])
            other_height, other_here = _step(
                table, symbols, other_stack, other_height, other_here, ids[uint64(other_place)]
            )
            configurations[uint64(place)] = int32(here)
            configurations[uint64(other_place)] = int32(other_here)
            place, other_place = place + 1, other_place + 1
        for rest in range(place, end):
            height, here = _step(table, symbols, stack, height, here, ids[rest])
            configurations[rest] = int32(here)
        for rest in range(other_place, other_end):
            other_height, other_here = _step(table, symbols, other_stack, other_height, other_here, ids[rest])
            configurations[rest] = int32(other_here)
    return configurations


@kernel
def sample_walks(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    moves: NDArray[np.int32],
    thresholds: NDArray[np.uint64],
    outcomes: NDArray[np.int64],
    offsets: NDArray[np.int64],
    ids: Ids,
) -> None:
    """Walks from state 0 given their lengths.

    thresholds:  [symbols to come, states, symbols]  of the next symbol
    outcomes:    [symbols to come, states]           behind the last symbol that can come next
    """
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        here = 0
        for position in range(offsets[row], offsets[row + 1]):
            left = offsets[row + 1] - position
            symbol = choose(thresholds[left, here], outcomes[left, here], next_uint64(rng))
            ids[position] = symbol
            here = moves[here, symbol]
