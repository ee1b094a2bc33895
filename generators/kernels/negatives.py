"""The inner loops of `marnn_bench.generators.sampling.negatives` and `edits`.

Each kernel that proposes writes one proposal for each of `rows`, in the place that the row's source has in `proposals`; what it
draws comes from the rng of the row's draw and `purpose`, the kind and the attempt.
"""

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.compiler import inlined, kernel
from marnn_bench.generators.kernels.philox import RNG_WORDS, init_rng, next_uint64, randbelow

WORD = 64
"""Bits that are worked on at once."""


@kernel
def random_words(key: NDArray[np.uint32], draws: NDArray[np.uint64], purpose: int) -> NDArray[np.uint64]:
    """The first 64 random bits of each draw for a purpose: [draws]."""
    words = np.empty(draws.size, np.uint64)
    rng = np.empty(RNG_WORDS, np.uint32)
    for i in range(draws.size):
        init_rng(rng, key, draws[i], purpose)
        words[i] = next_uint64(rng)
    return words


@kernel
def propose_random(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    purpose: int,
    rows: NDArray[np.int64],
    symbols: int,
    offsets: NDArray[np.int64],
    proposals: Ids,
) -> None:
    """Every symbol equally likely."""
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in rows:
        init_rng(rng, key, draws[row], purpose)
        for position in range(offsets[row], offsets[row + 1]):
            proposals[position] = randbelow(rng, symbols)


@kernel
def propose_edits(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    purpose: int,
    rows: NDArray[np.int64],
    symbols: int,
    target_distance: NDArray[np.int64],
    ids: Ids,
    offsets: NDArray[np.int64],
    proposals: Ids,
) -> None:
    """`target_distance` edits: some pairs of a deletion and an insertion, their number equally likely, the rest substitutions.

    The substitutions are at different positions, every set of them equally likely; the pairs come after them.
    """
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in rows:
        init_rng(rng, key, draws[row], purpose)
        first, last = offsets[row], offsets[row + 1]
        pairs = randbelow(rng, target_distance[row] // 2 + 1)
        substitutions = target_distance[row] - 2 * pairs
        for position in range(first, last):
            symbol = ids[position]
            if substitutions > 0 and randbelow(rng, last - position) < substitutions:
                substitutions -= 1
                other = randbelow(rng, symbols - 1)
                proposals[position] = other + (other >= symbol)
            else:
                proposals[position] = symbol
        for _ in range(pairs):
            deleted = first + randbelow(rng, last - first)
            here = first + randbelow(rng, last - first)
            step = 1 if deleted < here else -1
            for position in range(deleted, here, step):
                proposals[position] = proposals[position + step]
            proposals[here] = randbelow(rng, symbols)


@kernel
def propose_swap(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    purpose: int,
    rows: NDArray[np.int64],
    ids: Ids,
    offsets: NDArray[np.int64],
    proposals: Ids,
) -> None:
    """One symbol, every position equally likely, exchanged with one that differs, all of those equally likely."""
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in rows:
        init_rng(rng, key, draws[row], purpose)
        first, last = offsets[row], offsets[row + 1]
        here = first + randbelow(rng, last - first)
        symbol, others = ids[here], 0
        for position in range(first, last):
            proposals[position] = ids[position]
            others += ids[position] != symbol
        ahead, there = randbelow(rng, others), first
        while ahead > 0 or ids[there] == symbol:
            ahead -= ids[there] != symbol
            there += 1
        proposals[here], proposals[there] = ids[there], symbol


@kernel
def propose_permuted(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    purpose: int,
    rows: NDArray[np.int64],
    ids: Ids,
    offsets: NDArray[np.int64],
    proposals: Ids,
) -> None:
    """The symbols in another order, every order equally likely (Fisher-Yates, from the left)."""
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in rows:
        init_rng(rng, key, draws[row], purpose)
        first = offsets[row]
        for position in range(first, offsets[row + 1]):
            place = first + randbelow(rng, position - first + 1)
            proposals[position] = proposals[place]
            proposals[place] = ids[position]


@kernel
def propose_guided(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    purpose: int,
    rows: NDArray[np.int64],
    illegal: NDArray[np.uint64],
    places: NDArray[np.int64],
    ids: Ids,
    offsets: NDArray[np.int64],
    proposals: Ids,
) -> None:
    """One symbol that may not be there in the place of one, every such position equally likely, then every symbol.

    illegal:  [symbols]  the set of symbols that cannot stand at each position, behind what stands before it
    places:   [n]        how many positions of a string have such symbols
    """
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in rows:
        init_rng(rng, key, draws[row], purpose)
        first, last = offsets[row], offsets[row + 1]
        proposals[first:last] = ids[first:last]
        ahead, here = randbelow(rng, places[row]), first
        while ahead > 0 or illegal[here] == 0:
            ahead -= illegal[here] != 0
            here += 1
        proposals[here] = _member(illegal[here], randbelow(rng, _size(illegal[here])))


@kernel
def propose_blocks(
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    purpose: int,
    rows: NDArray[np.int64],
    outline: NDArray[np.int64],
    offsets: NDArray[np.int64],
    proposals: Ids,
) -> None:
    """Blocks in the order of the outline, every way to make up the length equally likely.

    A block that varies may end behind any of its symbols; of all these places, a set with one for each such block but the
    last is chosen, every set equally likely.

    outline: [blocks, 2]  symbol and exponent; 0 for one that varies, which is at least 1
    """
    rng = np.empty(RNG_WORDS, np.uint32)
    varying, constant = -1, 0
    for block in range(outline.shape[0]):
        varying += outline[block, 1] == 0
        constant += outline[block, 1]
    for row in rows:
        init_rng(rng, key, draws[row], purpose)
        position = offsets[row]
        ends, places = varying, offsets[row + 1] - position - constant - 1
        for block in range(outline.shape[0]):
            exponent = outline[block, 1]
            if exponent == 0:
                exponent = 1
                while places > 0 and (ends == 0 or randbelow(rng, places) >= ends):
                    exponent += 1
                    places -= 1
                places -= 1
                ends -= 1
            for _ in range(exponent):
                proposals[position] = outline[block, 0]
                position += 1


@inlined
def _size(mask: int) -> int:
    size = 0
    while mask != 0:
        mask &= mask - uint64(1)
        size += 1
    return size


@inlined
def _member(mask: int, place: int) -> int:
    """The number of the set bit that has `place` set bits below it."""
    for _ in range(place):
        mask &= mask - uint64(1)
    bit = 0
    while (mask >> uint64(bit)) & uint64(1) == 0:
        bit += 1
    return bit


@kernel
def levenshtein(
    ids: Ids, offsets: NDArray[np.int64], other_ids: Ids, other_offsets: NDArray[np.int64], symbols: int
) -> NDArray[np.int64]:
    """The distance between each string and its counterpart: [n].

    A column of the table of distances is kept as the differences from one cell to the next: bit i of `rises` says +1,
    of `falls` -1. A symbol of the counterpart makes the next column of 64 cells at once; what goes from word to word,
    and at last adds up to the distance, is the difference along the lower edge.
    """
    distances = np.empty(offsets.size - 1, np.int64)
    longest = 0
    for row in range(distances.size):
        longest = max(longest, offsets[row + 1] - offsets[row])
    most = (longest + WORD - 1) // WORD
    equal = np.zeros((symbols, most), np.uint64)  # bit i of a symbol's words: the string has it at position i
    rises, falls = np.empty(most, np.uint64), np.empty(most, np.uint64)
    one, top = uint64(1), uint64(WORD - 1)
    for row in range(distances.size):
        first, length = offsets[row], offsets[row + 1] - offsets[row]
        words = (length + WORD - 1) // WORD
        bottom = uint64((length - 1) % WORD)  # the last cell of the column, in the last word
        for i in range(length):
            equal[ids[first + i], i // WORD] |= one << uint64(i % WORD)
        rises[:words] = ~uint64(0)
        falls[:words] = uint64(0)
        distance = length
        for position in range(other_offsets[row], other_offsets[row + 1]):
            symbol = other_ids[position]
            up, down = one, uint64(0)  # along the upper edge the distance grows by one a symbol
            for word in range(words):
                rise, fall, same = rises[word], falls[word], equal[symbol, word]
                vertical = same | fall
                same |= down
                horizontal = (((same & rise) + rise) ^ rise) | same
                grows, shrinks = fall | ~(horizontal | rise), rise & horizontal
                edge = bottom if word == words - 1 else top
                next_up, next_down = (grows >> edge) & one, (shrinks >> edge) & one
                grows, shrinks = (grows << one) | up, (shrinks << one) | down
                rises[word] = shrinks | ~(vertical | grows)
                falls[word] = grows & vertical
                up, down = next_up, next_down
            distance += np.int64(up) - np.int64(down)
        distances[row] = distance
        for i in range(length):
            equal[ids[first + i], i // WORD] = uint64(0)
    return distances
