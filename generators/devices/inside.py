"""Inside tables: the weight of every node of a grammar and every length, and the thresholds that derivations are drawn by.

`marnn_bench.generators.devices.binarised_grammar` says what the weights are and how those of the empty string are
found. All the others are sums and products of numbers that are not negative, taken with 100 digits, so that their
relative error is 10^-100 times a few for each symbol: below 10^-90 for every length whose tables fit in memory. Only
finite tables are needed. A grammar may be critical, or have derivations that never end; its weights then add up to less than one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, takewhile
from operator import mul
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.devices.binarised_grammar import (
    EXTENDED,
    BinarisedGrammar,
    RuleWeights,
    Work,
    empty_counts,
    empty_probabilities,
    unit_closure,
)
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.strings import offsets_of
from marnn_bench.generators.thresholds import EXACT, Weight, thresholds

if TYPE_CHECKING:
    from marnn_bench.generators.kernels.grammar import Chart, Tables


MAX_TABLE_WORK = 30_000_000
"""Steps behind the tables of a grammar, a minute or less."""
MAX_LOOPS = 100_000
"""Of unit and empty rules, on average, wherever a derivation that is drawn comes by."""
SAMPLE, LARGE_BITS = 64, 1_700
"""Numbers of derivations are looked at for this length, to see how they grow; with so many bits a step takes twice as long."""
LINEAR_WORK = 8
"""What a node costs for each length, beside the sums over its parts."""


@dataclass(frozen=True, eq=False)
class Inside:
    """The inside weights of a grammar and what follows from them.

    weights:           [nonterminals][alternatives]
    empty:             [nodes]  I(v, 0)
    unit_derivations:  [inner]  the symbols and pairs that a nonterminal or pair can turn into, with the weight of
                       that: the rows of 1 + M + M^2 + ...
    loops:             how often, on average, a derivation comes back to a node before it goes on, at the node where
                       that is most
    """

    grammar: BinarisedGrammar
    weights: tuple[tuple[Weight, ...], ...]
    empty: list[Weight]
    unit_derivations: list[dict[int, Weight]]
    loops: Weight = 0

    @classmethod
    def from_probabilities(
        cls, grammar: BinarisedGrammar, probabilities: Sequence[Sequence[Fraction]]
    ) -> "Inside":
        """Weights are probabilities, to 100 digits."""
        with localcontext(EXTENDED):
            weights = tuple(tuple(Decimal(p.numerator) / p.denominator for p in row) for row in probabilities)
            empty = empty_probabilities(grammar, weights)
            unit_derivations, loops = _unit_derivations(grammar, weights, empty)
        with localcontext(EXACT):
            return cls(
                grammar,
                tuple(tuple(+chance for chance in row) for row in weights),
                [+Decimal(weight) for weight in empty],
                [{j: +Decimal(weight) for j, weight in row.items()} for row in unit_derivations],
                +Decimal(loops),
            )

    @classmethod
    def from_counts(cls, grammar: BinarisedGrammar) -> "Inside":
        """Weights are numbers of derivations, exactly. LanguageError where there are infinitely many."""
        weights = tuple((1,) * len(row) for row in grammar.nonterminals)
        empty = empty_counts(grammar, weights)
        return cls(grammar, weights, empty, *_unit_derivations(grammar, weights, empty))

    @cached_property
    def longest(self) -> int:
        """The longest strings that tables are made for: a power of two, 0 if a table of 16 lengths is too large."""
        fitting = takewhile(lambda n: self._work(n) <= MAX_TABLE_WORK, (1 << bits for bits in range(4, 21)))
        return max(fitting, default=0)

    def check_length(self, longest: int) -> None:
        """LanguageError, with what would do, for lengths whose tables would take minutes."""
        if longest > self.longest:
            if not self.longest:
                raise LanguageError(
                    f"The grammar is too large to be counted or drawn from: for its {self.grammar.size:,} symbols, "
                    f"nonterminals and pairs of them, tables take more than {MAX_TABLE_WORK:,} steps."
                )
            raise LanguageError(
                f"Strings of {longest:,} symbols take tables of {self._work(_rounded(longest)):,} steps by this "
                f"grammar, more than {MAX_TABLE_WORK:,}: ask for up to {self.longest:,} symbols."
            )

    def _work(self, longest: int) -> int:
        """The steps that tables up to this length take, of about two microseconds."""
        grammar = self.grammar
        alternatives = sum(map(len, grammar.nonterminals))
        units = sum(map(len, self.unit_derivations))
        steps = longest * (
            len(grammar.pairs) * longest // 2 + alternatives + units + LINEAR_WORK * grammar.size
        )
        if longest > SAMPLE and isinstance(self.weights[0][0], int):  # numbers grow with the length
            table = _by_length(self, SAMPLE)
            most = max(int(row[SAMPLE]).bit_length() for row in table)
            filled = [sum(map(bool, row[1 : SAMPLE + 1])) for row in table]
            splits = (
                sum(filled[first] * filled[rest] for first, rest in grammar.pairs)
                * (longest // SAMPLE) ** 2
                // 2
            )
            steps += splits * (most * longest // SAMPLE) ** 2 // LARGE_BITS**2
        return steps

    def by_length(self, longest: int) -> list[list[Weight]]:
        """I(v, n) for n = 0..longest and a few more: [nodes][lengths]."""
        self.check_length(longest)
        return _by_length(self, _rounded(longest))

    def tables(self, lengths: NDArray[np.int64]) -> "Tables":
        """The thresholds of every choice in derivations of these lengths. LanguageError for a length without any."""
        if self.loops > MAX_LOOPS:
            raise LanguageError(
                f"A nonterminal of this grammar turns into itself {self.loops:.1e} times on average before it goes on: "
                "give the rules that do not lead back to it higher probabilities."
            )
        self.check_length(int(lengths.max(initial=0)))
        tables = _tables(self, _rounded(int(lengths.max(initial=0))))
        impossible = tables.outcomes[0, lengths] == 0
        if impossible.any():
            raise LanguageError(f"The grammar derives no string of length {lengths[impossible][0]}.")
        return tables

    @cached_property
    def chart(self) -> "Chart":
        """What the inside algorithm needs, in floating point."""
        grammar = self.grammar
        sums = np.zeros((len(self.unit_derivations), grammar.start + len(grammar.pairs)))
        for row, units in zip(sums, self.unit_derivations, strict=True):
            for node, weight in units.items():
                row[node if node < grammar.symbols else node - len(grammar.nonterminals)] = float(weight)
        return kernels.grammar.Chart(grammar.start, *_parts(grammar), sums)


def _unit_derivations(
    grammar: BinarisedGrammar, weights: RuleWeights, empty: Sequence[Weight]
) -> tuple[list[dict[int, Weight]], Weight]:
    sums = unit_closure(grammar.unit_steps(weights, empty), Work(grammar))
    loops = max(row.get(node, 0) for node, row in enumerate(sums))
    for pair in range(grammar.first_pair, grammar.size):
        sums[pair][pair] = sums[pair].get(pair, 0) + 1
    kept = [
        {j: weight for j, weight in row.items() if j < grammar.symbols or j >= grammar.first_pair}
        for row in sums[grammar.start :]
    ]
    return kept, loops


def _parts(grammar: BinarisedGrammar) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The first parts of the pairs, and the rests: [pairs] each."""
    pairs = np.array(grammar.pairs, np.int32).reshape(-1, 2)
    return np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])


def _rounded(longest: int) -> int:
    """A power of two, so that the batches of a window share one table whatever the longest string in each."""
    return 1 << max(longest - 1, 15).bit_length()


@lru_cache(maxsize=64)
def _by_length(inside: Inside, longest: int) -> list[list[Weight]]:
    grammar = inside.grammar
    zero = inside.weights[0][0] * 0
    table = [[weight, *[zero] * longest] for weight in inside.empty]
    for symbol in table[: grammar.symbols]:
        symbol[1] = zero + 1
    with localcontext(EXACT):
        for n in range(1, longest + 1):
            written: dict[int, Weight] = dict.fromkeys(range(grammar.symbols), 1) if n == 1 else {}
            for pair, (first, rest) in enumerate(grammar.pairs, grammar.first_pair):
                if total := sum(map(mul, table[first][1:n], table[rest][n - 1 : 0 : -1])):
                    written[pair] = total
            for row, units in zip(table[grammar.start :], inside.unit_derivations, strict=True):
                row[n] += sum(weight * written[j] for j, weight in units.items() if j in written)
    return table


@lru_cache(maxsize=64)
def _tables(inside: Inside, longest: int) -> "Tables":
    grammar, weights = inside.grammar, inside.by_length(longest)
    inner = grammar.size - grammar.start
    lowest, outcomes = np.zeros((2, inner, longest + 1), np.int32)
    upper_ends = [np.empty(0, np.uint64)]
    for node in range(inner):
        for n in range(longest + 1):
            chances = _outcome_weights(inside, weights, node, n)
            possible = [i for i, chance in enumerate(chances) if chance]
            if possible:
                low, high = possible[0], possible[-1] + 1
                lowest[node, n], outcomes[node, n] = low, high - low
                upper_ends.append(thresholds(chances[low:high]))
    alternatives = [*chain.from_iterable(grammar.nonterminals)]
    begins = offsets_of(np.array([len(row) for row in grammar.nonterminals]))
    firsts, rests = _parts(grammar)
    return kernels.grammar.Tables(
        start=grammar.start,
        nonterminals=len(grammar.nonterminals),
        first=np.array([*begins[:-1], *firsts], np.int32),
        rest=np.array([*begins[:-1], *rests], np.int32),
        alternatives=np.array(alternatives, np.int32),
        lowest=lowest,
        outcomes=outcomes,
        begins=offsets_of(outcomes.ravel())[:-1].reshape(outcomes.shape),
        upper_ends=np.concatenate(upper_ends),
    )


def _outcome_weights(inside: Inside, weights: list[list[Weight]], inner: int, n: int) -> list[Weight]:
    """The weights of the outcomes of an inner node that is to write n symbols."""
    grammar = inside.grammar
    with localcontext(EXACT):
        if inner < len(grammar.nonterminals):
            return [*map(mul, inside.weights[inner], (weights[a][n] for a in grammar.nonterminals[inner]))]
        first, rest = grammar.pairs[inner - len(grammar.nonterminals)]
        return [*map(mul, weights[first][: n + 1], weights[rest][n::-1])]
