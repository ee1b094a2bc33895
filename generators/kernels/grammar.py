"""The inner loops of `marnn_bench.generators.devices.grammar` and `marnn_bench.generators.devices.synchronous_grammar`."""

import math
from typing import NamedTuple

import numpy as np
from numba import uint64
from numpy.typing import NDArray

from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.kernels.compiler import inlined, kernel
from marnn_bench.generators.kernels.philox import RNG_WORDS, SYMBOLS, init_rng, next_uint64


class Tables(NamedTuple):
    """What a derivation chooses from, given the length of what it is to derive.

    Nodes are numbered as in `marnn_bench.generators.devices.inside`; the inner ones, nonterminals and pairs, from `start` on.
    The outcome of a nonterminal is one of its alternatives, that of a pair the length of its first part.

    nonterminals:  how many of the inner nodes are nonterminals
    first, rest:   [inner]           the parts of a pair; of a nonterminal, where its `alternatives` begin
    alternatives:  [...]             nodes
    lowest:        [inner, lengths]  the first outcome that is possible
    outcomes:      [inner, lengths]  how many there are from it on
    begins:        [inner, lengths]  where their thresholds begin among the `upper_ends`
    """

    start: int
    nonterminals: int
    first: NDArray[np.int32]
    rest: NDArray[np.int32]
    alternatives: NDArray[np.int32]
    lowest: NDArray[np.int32]
    outcomes: NDArray[np.int32]
    begins: NDArray[np.int64]
    upper_ends: NDArray[np.uint64]


@inlined
def _search(upper_ends: NDArray[np.uint64], begin: int, outcomes: int, word: int) -> int:
    """The first of these outcomes whose threshold is above the word. (A table handed over here would cost more.)"""
    found = begin
    while outcomes > 1:  # without branches, of which half would be mispredicted
        half = outcomes // 2
        found += half if uint64(word) >= upper_ends[found + half - 1] else 0
        outcomes -= half
    return found - begin


@kernel
def sample(
    tables: Tables,
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    ids: Ids,
) -> None:
    """Strings of given lengths. Every length must be possible."""
    longest = tables.lowest.shape[1]
    nodes, lengths = np.empty(longest, np.int32), np.empty(longest, np.int32)  # still to be derived, a stack
    rng = np.empty(RNG_WORDS, np.uint32)
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        position = offsets[row]
        nodes[0], lengths[0] = tables.start, offsets[row + 1] - position
        height = 1 if lengths[0] else 0
        while height > 0:
            height -= 1
            node, length = np.int64(nodes[height]), np.int64(lengths[height])
            while node >= tables.start:
                inner = node - tables.start
                outcome, outcomes = np.int64(tables.lowest[inner, length]), tables.outcomes[inner, length]
                if outcomes > 1:
                    begin = tables.begins[inner, length]
                    outcome += _search(tables.upper_ends, begin, np.int64(outcomes), next_uint64(rng))
                node = np.int64(tables.first[inner])
                if inner < tables.nonterminals:
                    node = np.int64(tables.alternatives[node + outcome])
                elif outcome == 0:
                    node = np.int64(tables.rest[inner])
                elif outcome < length:
                    nodes[height], lengths[height] = tables.rest[inner], length - outcome
                    height += 1
                    length = outcome
            ids[position] = node
            position += 1


class Targets(NamedTuple):
    """The target sides of a synchronous grammar, its rules in the order of `Tables.alternatives`.

    links:   the most nonterminals of a side
    begins:  [rules + 1]  where the side of each rule begins among the `parts`
    parts:   [...]        a symbol, or ~i for what the i-th nonterminal of the source side becomes
    """

    links: int
    begins: NDArray[np.int64]
    parts: NDArray[np.int32]


class Derivation(NamedTuple):
    """Room for a derivation: nonterminals in the order in which the source side meets them, the start first.

    rules:     [nonterminals]         what each is rewritten by
    children:  [nonterminals, links]  what the nonterminals of that rule's source side are
    next:      [nonterminals]         the next child, then the next part of the target side
    """

    rules: NDArray[np.int32]
    children: NDArray[np.int32]
    next: NDArray[np.int64]


@kernel
def sample_pairs(
    tables: Tables,
    targets: Targets,
    key: NDArray[np.uint32],
    draws: NDArray[np.uint64],
    offsets: NDArray[np.int64],
    ids: Ids,
    target_ids: Ids,
) -> tuple[Ids, NDArray[np.int64]]:
    """Sources of given lengths, into `ids`; returned are the targets of the same derivations and their offsets.

    Every source side writes something and no nonterminal derives itself, so that a derivation rewrites at most
    2 `nonterminals` nonterminals for each symbol. `target_ids` is room for the targets; there is more if they need it.
    """
    longest = tables.lowest.shape[1]
    most = 2 * tables.nonterminals * longest
    derivation = Derivation(
        np.empty(most, np.int32), np.empty((most, targets.links + 1), np.int32), np.empty(most, np.int64)
    )
    todo = np.empty((max(longest, most), 3), np.int32)
    target_offsets = np.zeros(draws.size + 1, np.int64)
    rng = np.empty(RNG_WORDS, np.uint32)
    written = 0
    for row in range(draws.size):
        init_rng(rng, key, draws[row], SYMBOLS)
        _derive(tables, rng, derivation, todo, ids[offsets[row] : offsets[row + 1]])
        target_ids, written = _write_target(targets, derivation, todo, target_ids, written)
        target_offsets[row + 1] = written
    return target_ids[:written], target_offsets


@kernel
def _derive(
    tables: Tables,
    rng: NDArray[np.uint32],
    derivation: Derivation,
    todo: NDArray[np.int32],
    ids: Ids,
) -> None:
    """A derivation of a source of this length, and the source."""
    position, made, height = 0, 0, 1
    todo[0, 0], todo[0, 1], todo[0, 2] = tables.start, ids.size, -1  # nodes, lengths, for which nonterminal
    while height > 0:
        height -= 1
        node, length = np.int64(todo[height, 0]), np.int64(todo[height, 1])
        parent = np.int64(todo[height, 2])
        while node >= tables.start:
            inner = node - tables.start
            outcome, outcomes = np.int64(tables.lowest[inner, length]), tables.outcomes[inner, length]
            if outcomes > 1:
                begin = tables.begins[inner, length]
                outcome += _search(tables.upper_ends, begin, np.int64(outcomes), next_uint64(rng))
            if inner < tables.nonterminals:
                if parent >= 0:
                    derivation.children[parent, derivation.next[parent]] = made
                    derivation.next[parent] += 1
                rule = tables.first[inner] + outcome
                parent, made = made, made + 1
                derivation.rules[parent], derivation.next[parent] = rule, 0
                node = np.int64(tables.alternatives[rule])
            else:
                todo[height, 0], todo[height, 1] = tables.rest[inner], length - outcome
                todo[height, 2] = parent
                height += 1
                node, length = np.int64(tables.first[inner]), outcome
        ids[position] = node
        position += 1


@kernel
def _write_target(
    targets: Targets, derivation: Derivation, todo: NDArray[np.int32], ids: Ids, written: int
) -> tuple[Ids, int]:
    """The target of a derivation behind the `written` symbols of `ids`, and how many are written then."""
    height, todo[0, 0] = 1, 0
    derivation.next[0] = targets.begins[derivation.rules[0]]
    while height > 0:
        here = todo[height - 1, 0]
        if derivation.next[here] == targets.begins[derivation.rules[here] + 1]:
            height -= 1
            continue
        part = targets.parts[derivation.next[here]]
        derivation.next[here] += 1
        if part < 0:
            child = derivation.children[here, ~part]
            derivation.next[child] = targets.begins[derivation.rules[child]]
            todo[height, 0] = child
            height += 1
        else:
            if written == ids.size:
                ids = np.concatenate((ids, np.empty_like(ids)))
            ids[written] = part
            written += 1
    return ids, written


class Chart(NamedTuple):
    """What the inside algorithm needs of a grammar.

    start:        the first inner node; nodes below it are symbols, and the empty string
    first, rest:  [pairs]                        their parts, as nodes
    sums:         [inner, start + pairs]         the weight of a node's turning into a symbol or a pair
    """

    start: int
    first: NDArray[np.int32]
    rest: NDArray[np.int32]
    sums: NDArray[np.float64]


@kernel
def log_inside(chart: Chart, ids: Ids, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """The natural logarithm of each string's weight, -inf where it has none: [n]. No string may be empty.

    A weight is a number times a power of two of its own, so that none underflows however long the string.
    """
    longest = 0
    for row in range(offsets.size - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    inner = chart.sums.shape[0]
    weights = np.zeros((longest, longest + 1, inner))  # [begin, end, node]
    powers = np.zeros((longest, longest + 1, inner), np.int64)  # 0 for single symbols
    written, scales = np.empty(chart.first.size), np.empty(chart.first.size, np.int64)
    logs = np.empty(offsets.size - 1)
    for row in range(offsets.size - 1):
        string = ids[offsets[row] : offsets[row + 1]]
        for i in range(string.size):
            weights[i, i + 1] = chart.sums[:, string[i]]
        for width in range(2, string.size + 1):
            for i in range(string.size - width + 1):
                j = i + width
                _sum_splits(chart, weights, powers, string, i, j, written, scales)
                _fill_cell(chart, written, scales, weights[i, j], powers[i, j])
        whole, power = weights[0, string.size, 0], powers[0, string.size, 0]
        logs[row] = math.log(whole) + power * math.log(2.0) if whole > 0 else -np.inf
    return logs


@kernel
def _sum_splits(
    chart: Chart,
    weights: NDArray[np.float64],
    powers: NDArray[np.int64],
    string: Ids,
    i: int,
    j: int,
    written: NDArray[np.float64],
    scales: NDArray[np.int64],
) -> None:
    """The weight of each pair from i to j, neither part empty. A part that is a symbol allows one split at most."""
    for pair in range(written.size):
        first, rest = chart.first[pair] - chart.start, chart.rest[pair] - chart.start
        begin, end = i + 1, j
        if first < 0:
            end = begin + 1 if string[i] == chart.first[pair] else begin
        if rest < 0:
            begin = j - 1 if string[j - 1] == chart.rest[pair] else end
        total, scale = 0.0, 0
        for k in range(begin, end):
            product, power = 1.0, 0
            if first >= 0:
                product *= weights[i, k, first]
                power += powers[i, k, first]
            if rest >= 0:
                product *= weights[k, j, rest]
                power += powers[k, j, rest]
            total, scale = _add(total, scale, product, power)
        written[pair], scales[pair] = total, scale


@kernel
def _fill_cell(
    chart: Chart,
    written: NDArray[np.float64],
    scales: NDArray[np.int64],
    weights: NDArray[np.float64],
    powers: NDArray[np.int64],
) -> None:
    """The weights of a cell from those of its pairs, each at least 1/2 and below 1 where it is not zero."""
    for node in range(weights.size):
        total, scale = 0.0, 0
        for pair in range(written.size):
            product = chart.sums[node, chart.start + pair] * written[pair]
            total, scale = _add(total, scale, product, scales[pair])
        weights[node], shift = math.frexp(total)
        powers[node] = scale + shift


@inlined
def _add(total: float, scale: int, more: float, power: int) -> tuple[float, int]:
    """total 2^scale + more 2^power, as a number and its power of two."""
    if more > 0.0:
        if total == 0.0:
            total, scale = more, power
        elif power > scale:
            total, scale = math.ldexp(total, max(scale - power, -2000)) + more, power
        else:
            total += math.ldexp(more, max(power - scale, -2000))
    return total, scale
