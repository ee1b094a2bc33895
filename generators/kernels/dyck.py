"""The inner loops of `marnn_bench.generators.languages.dyck`."""

import numpy as np
from numba import uint32
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.choice import choose
from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.kernels.philox import RNG_WORDS, SYMBOLS, init_rng, next_uint64, randbelow

JOIN = -1
"""On the stack of unfinished nodes: a binary rule whose second child is still to come."""


@kernel
def draw_kinds(rng: NDArray[np.uint32], pairs: int, openings: Ids) -> None:
    """Fill `openings` with opening brackets, all kinds equally likely: several from one random word, as its digits."""
    if pairs == 1:
        openings[:] = 0
        return
    bundle, bundled = pairs, 1
    while bundle * pairs <= 1 << 16:
        bundle *= pairs
        bundled += 1
    digits, left = uint32(0), 0
    for i in range(openings.size):
        if left == 0:
            digits, left = uint32(randbelow(rng, bundle)), bundled
        rest = digits // uint32(pairs)
        openings[i] = 2 * (digits - rest * uint32(pairs))
        digits = rest
        left -= 1


@kernel
def sample_derivations(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    pairs: int,
    branch_thresholds: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    ids: Ids,
) -> None:
    """Strings by the grammar given their lengths: the number of binary rules, a tree with it, its brackets.

    A tree is drawn as the sequence of its nodes' numbers of children in a random order; by the cycle lemma exactly
    one rotation of that is the preorder of a tree, the one that starts behind the first lowest point.
    """
    largest = branch_thresholds.shape[0]
    children = np.empty(2 * largest + 1, np.int8)
    kinds = np.empty(largest + 1, ids.dtype)
    owed = np.empty(2 * largest + 1, np.int16)  # closing brackets, or JOIN
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in range(draws.size):
        half = (offsets[row + 1] - offsets[row]) // 2
        if half == 0:
            continue
        init_rng(rng, key, draws[row], SYMBOLS)
        binary = choose(branch_thresholds[half], half, next_uint64(rng))
        leaves = binary + 1
        nodes = half + binary
        balance, lowest, first = 0, 0, 0
        for i in range(nodes):
            pick = randbelow(rng, nodes - i)
            is_leaf = pick < leaves
            is_binary = not is_leaf and pick < leaves + binary
            leaves -= is_leaf
            binary -= is_binary
            balance += np.int64(is_binary) - np.int64(is_leaf)
            children[i] = 1 + np.int8(is_binary) - np.int8(is_leaf)
            if balance < lowest:
                lowest, first = balance, i + 1
        draw_kinds(rng, pairs, kinds[:half])
        position, height, node, bracket = offsets[row], 0, first, 0
        for _ in range(nodes):
            if node == nodes:
                node = 0
            degree = children[node]
            node += 1
            if degree == 2:
                owed[height] = JOIN
                height += 1
                continue
            kind = kinds[bracket]
            bracket += 1
            ids[position] = kind
            position += 1
            owed[height] = kind + 1
            height += 1
            if degree == 0:
                while height > 0 and owed[height - 1] != JOIN:
                    height -= 1
                    ids[position] = owed[height]
                    position += 1
                height -= 1  # the second child of the JOIN comes next


@kernel
def sample_uniform(
    key: NDArray[np.uint32], draws: NDArray[np.uint64], pairs: int, offsets: NDArray[np.int64], ids: Ids
) -> None:
    """Strings given their lengths, all equally likely: a random order of n ups and n+1 downs, rotated (cycle lemma)."""
    longest = 0
    for row in range(draws.size):
        longest = max(longest, offsets[row + 1] - offsets[row])
    up = np.empty(longest + 1, np.int8)
    kinds = np.empty(longest // 2 + 1, ids.dtype)
    owed = np.empty(longest // 2 + 1, ids.dtype)
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        steps = offsets[row + 1] - offsets[row] + 1
        ups = steps // 2
        balance, lowest, first = 0, 0, 0
        for i in range(steps):
            rises = np.int64(randbelow(rng, steps - i) < ups)
            up[i] = rises
            ups -= rises
            balance += 2 * rises - 1
            if balance < lowest:
                lowest, first = balance, i + 1
        draw_kinds(rng, pairs, kinds[: steps // 2])
        # Without branches: the processor would mispredict half of them.
        height, step, bracket = 0, first, 0
        for position in range(offsets[row], offsets[row + 1]):
            if step == steps:
                step = 0
            rises = np.int64(up[step])
            step += 1
            kind = kinds[bracket]
            bracket += rises
            height -= 1 - rises
            closing = owed[height]
            ids[position] = kind if rises else closing
            owed[height] = kind + 1
            height += rises


BRACKET, CONCATENATION = 0, 1
"""Rules of the grammar, in the order of their thresholds; the third is the empty string."""


@kernel
def sample_truncated(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    pairs: int,
    rules: NDArray[np.uint64],
    shortest: int,
    longest: int,
    ids: Ids,
) -> NDArray[np.int64]:
    """Strings by truncated derivations, into the rows of `ids`; their lengths: [draws]."""
    lengths = np.empty(draws.size, np.int64)
    rng = np.empty(RNG_WORDS, np.uint32)
    part = np.empty(64 * longest + 64, ids.dtype)
    # What remains to be done, a stack of (task, detail): derive an S inside `detail` symbols of brackets; finish a part
    # that began at `detail`; close with bracket `detail`.
    derive, finish, close = 0, 1, 2
    todo = np.empty((64 * longest + 64, 2), np.int64)
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        length = -1
        while length < shortest:
            length, tasks = 0, 1
            todo[0, 0], todo[0, 1] = derive, 0
            while tasks > 0:
                if tasks + 4 > todo.shape[0]:
                    todo = np.concatenate((todo, np.empty_like(todo)))
                if length + 2 > part.size:
                    part = np.concatenate((part, np.empty_like(part)))
                tasks -= 1
                task, detail = todo[tasks, 0], todo[tasks, 1]
                if task == finish:
                    if length - detail > longest:
                        length = detail
                elif task == close:
                    part[length] = detail
                    length += 1
                elif detail < longest:
                    rule = choose(rules, 3, next_uint64(rng))
                    if rule == BRACKET:
                        kind = 2 * randbelow(rng, pairs)
                        todo[tasks, 0], todo[tasks, 1] = finish, length
                        todo[tasks + 1, 0], todo[tasks + 1, 1] = close, kind + 1
                        todo[tasks + 2, 0], todo[tasks + 2, 1] = derive, detail + 2
                        part[length] = kind
                        length += 1
                        tasks += 3
                    elif rule == CONCATENATION:
                        todo[tasks, 0], todo[tasks, 1] = finish, length
                        todo[tasks + 1, 0], todo[tasks + 1, 1] = derive, detail
                        todo[tasks + 2, 0], todo[tasks + 2, 1] = derive, detail
                        tasks += 3
        lengths[row] = length
        ids[row, :length] = part[:length]
    return lengths


@kernel
def sum_over_nodes(
    ids: Ids, offsets: NDArray[np.int64], per_node: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each string, the sum over its root and its brackets of what a node with so many children gives: [n]."""
    sums = np.zeros(offsets.size - 1)
    children = np.empty(int(per_node.size) + 1, np.int64)  # of the root and the brackets that are open
    for row in range(offsets.size - 1):
        height, children[0] = 0, 0
        for position in range(offsets[row], offsets[row + 1]):
            if ids[position] % 2 == 0:
                children[height] += 1
                height += 1
                children[height] = 0
            else:
                sums[row] += per_node[children[height]]
                height -= 1
        sums[row] += per_node[children[0]]
    return sums
