"""Strings that are no members, each made from a member and as long as it, so that its length tells nothing.

    random     every symbol equally likely
    edit       k edits away from the member, half of them one edit, a quarter two, ...
    swap       two unequal symbols exchanged: the minimal pair
    permuted   the member's symbols in another order
    guided     one symbol stands where it cannot; the rest goes on as if a legal one had been there
    blocks     the member's blocks of equal symbols in their order, with other exponents: a a a b for a a b b

Those of the last kind are what a stack or a counter is for: without it, the order of the blocks is all that there is to
tell. Only languages with an outline have them, such as a^n b^n.

A kind proposes and the language's automaton decides: a proposal that is a member is made anew, up to 1,000 times. So
a negative has the law of its proposals given that they are no members, and a member without a negative of some kind
(a a a has no swap) is left out of that kind. If a hundredth of a member's proposals are no members, it is left out
wrongly with probability 5 * 10^-5.

Swaps and permutations keep the number of every symbol. Negative j is a function of the key, j and its source alone.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import MASK_SYMBOLS
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.kernels.arrays import Ids
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Draws
from marnn_bench.generators.sampling.edits import levenshtein
from marnn_bench.generators.strings import Strings

MAX_ATTEMPTS = 1_000
"""So often is a negative proposed before its source is taken to have none."""

MAX_EDITS = 8
"""The largest distance that edits are target_distance for."""

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Negatives:
    """Negatives of one kind.

    strings:  [found]  in the order of their sources
    rows:     [found]  the row of each one's source
    """

    strings: Strings
    rows: Rows


def make_negatives(language: Language, kind: str, sources: Strings, key: Key, draws: Draws) -> Negatives:
    """A negative for each of the members `sources` that has one of this kind.

    >>> from marnn_bench.generators.languages.dyck import Dyck
    >>> brackets = Dyck(1).alphabet
    >>> sources = Strings.from_texts(brackets, ["( ( ) )", "", "( )"])
    >>> swapped = make_negatives(Dyck(1), "swap", sources, Key(1), np.arange(3, dtype=np.uint64))
    >>> swapped.strings.texts(brackets), swapped.rows.tolist()
    ([') ( ) (', ') ('], [0, 2])
    """
    if kind not in KINDS:
        raise LanguageError(f"There is no kind of negatives {kind!r}; there are {', '.join(KINDS)}.")
    proposer = KINDS[kind](language, sources, key_words(key), draws)
    negatives = Strings(sources.ids.copy(), sources.offsets)
    found = np.zeros(len(sources), np.bool_)
    pending = np.flatnonzero(proposer.possible)
    for attempt in range(MAX_ATTEMPTS):
        if not len(pending):
            break
        proposer.propose(_purpose(kind, attempt), pending, negatives.ids)
        suitable = proposer.suitable(pending, _take(negatives, pending))
        found[pending[suitable]] = True
        pending = pending[~suitable]
    rows = np.flatnonzero(found)
    return Negatives(_take(negatives, rows), rows)


@dataclass(frozen=True, eq=False)
class Proposer(ABC):
    """How negatives of one kind are proposed for members, a whole batch at once."""

    language: Language
    sources: Strings
    key: NDArray[np.uint32]
    draws: Draws

    @property
    @abstractmethod
    def possible(self) -> NDArray[np.bool_]:
        """Whether there is anything to propose for each source: [n]."""

    @abstractmethod
    def propose(self, purpose: int, rows: Rows, proposals: Ids) -> None:
        """Write a proposal for each of these rows, in the place of its source."""

    def suitable(self, rows: Rows, proposals: Strings) -> NDArray[np.bool_]:
        """Which of the proposals for these rows are taken: [rows]."""
        return ~self.language.accepts(proposals)

    @property
    def _symbols(self) -> int:
        return len(self.language.alphabet)


class Random(Proposer):
    """A string of the same length, every symbol equally likely."""

    @property
    def possible(self) -> NDArray[np.bool_]:
        return (self.sources.lengths > 0) & (self._symbols > 1)

    def propose(self, purpose: int, rows: Rows, proposals: Ids) -> None:
        kernels.negatives.propose_random(
            self.key, self.draws, purpose, rows, self._symbols, self.sources.offsets, proposals
        )


class Edit(Random):
    """Substitutions, and pairs of a deletion and an insertion, so that the Levenshtein distance to the source is k.

    P(k) = 2^-k, but the largest k has what is left over: 8, or half of the length, rounded up, if that is less. So far
    away there is always some string, since at least half of the source differs from its rarest symbol repeated. A draw
    keeps its k through all its tries, so that the k of the negatives has the law that was target_distance for.
    """

    @cached_property
    def target_distance(self) -> NDArray[np.int64]:
        """The distance from each source: [n]."""
        words = kernels.negatives.random_words(self.key, self.draws, _purpose("edit", MAX_ATTEMPTS))
        trailing_zeros = np.bitwise_count(~words & (words - np.uint64(1)))
        largest = np.minimum((self.sources.lengths + 1) // 2, MAX_EDITS)
        return np.minimum(1 + trailing_zeros.astype(np.int64), largest)

    def propose(self, purpose: int, rows: Rows, proposals: Ids) -> None:
        ids, offsets = self.sources.ids, self.sources.offsets
        kernels.negatives.propose_edits(
            self.key, self.draws, purpose, rows, self._symbols, self.target_distance, ids, offsets, proposals
        )

    def suitable(self, rows: Rows, proposals: Strings) -> NDArray[np.bool_]:
        distances = levenshtein(_take(self.sources, rows), proposals)
        at_target: NDArray[np.bool_] = distances == self.target_distance[rows]
        return at_target & super().suitable(rows, proposals)


class Permuted(Proposer):
    """The source's symbols in another order, every order equally likely."""

    @property
    def possible(self) -> NDArray[np.bool_]:
        first = np.repeat(self.sources.offsets[:-1], self.sources.lengths)
        return _count(self.sources.ids != self.sources.ids[first], self.sources) > 0

    def propose(self, purpose: int, rows: Rows, proposals: Ids) -> None:
        kernels.negatives.propose_permuted(
            self.key, self.draws, purpose, rows, self.sources.ids, self.sources.offsets, proposals
        )


class Swap(Permuted):
    """Two unequal symbols exchanged: one at any position, one at any position where there is another symbol."""

    def propose(self, purpose: int, rows: Rows, proposals: Ids) -> None:
        kernels.negatives.propose_swap(
            self.key, self.draws, purpose, rows, self.sources.ids, self.sources.offsets, proposals
        )


class Guided(Proposer):
    """One symbol that no member has behind the symbols before it; all others are the source's.

    Any position where some symbol is illegal, then any illegal symbol there. Had the source's own symbol stayed, the
    string would be a member, a draw of its law.
    """

    @cached_property
    def illegal(self) -> NDArray[np.uint64]:
        """The symbols that cannot stand at each position: [symbols]."""
        after = self.language.next_symbols(self.sources)
        legal = np.empty_like(after)
        legal[1:] = after[:-1]
        starts = self.sources.offsets[:-1][self.sources.lengths > 0]
        legal[starts] = self.language.automaton.first_symbols()
        return ~legal & np.uint64((1 << self._symbols) - 1)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """How many positions of each source have illegal symbols: [n]."""
        return _count(self.illegal != 0, self.sources)

    @property
    def possible(self) -> NDArray[np.bool_]:
        return self.places > 0

    def propose(self, purpose: int, rows: Rows, proposals: Ids) -> None:
        ids, offsets = self.sources.ids, self.sources.offsets
        kernels.negatives.propose_guided(
            self.key, self.draws, purpose, rows, self.illegal, self.places, ids, offsets, proposals
        )


class Blocks(Proposer):
    """The blocks of the outline with exponents of at least 1, every way to make up the length equally likely.

    A block whose exponent never varies keeps it. Where there are other strings of the outline at all, at most half are
    members in each of our languages, so that in 1,000 tries one is found (but for 1 in 2^1000).
    """

    @cached_property
    def outline(self) -> NDArray[np.int64]:
        """Symbol and exponent of each block, 0 for one that varies: [blocks, 2]."""
        return np.array(self.language.outline, np.int64).reshape(-1, 2)

    @property
    def possible(self) -> NDArray[np.bool_]:
        exponents = self.outline[:, 1]
        shortest = np.maximum(exponents, 1).sum()
        longer: NDArray[np.bool_] = self.sources.lengths > shortest
        return longer & (np.count_nonzero(exponents == 0) > 1)

    def propose(self, purpose: int, rows: Rows, proposals: Ids) -> None:
        kernels.negatives.propose_blocks(
            self.key, self.draws, purpose, rows, self.outline, self.sources.offsets, proposals
        )


KINDS: dict[str, type[Proposer]] = {
    "random": Random,
    "edit": Edit,
    "swap": Swap,
    "permuted": Permuted,
    "guided": Guided,
    "blocks": Blocks,
}


def kinds_of(language: Language) -> tuple[str, ...]:
    """The kinds of negatives that a language has: guided ones need next-symbol sets, blocks an outline.

    >>> from marnn_bench.generators.languages.dyck import Dyck
    >>> kinds_of(Dyck(1)), kinds_of(Dyck(32))
    (('random', 'edit', 'swap', 'permuted', 'guided'), ('random', 'edit', 'swap', 'permuted'))
    """
    needs = {"guided": len(language.alphabet) <= MASK_SYMBOLS, "blocks": len(language.outline) > 0}
    return tuple(kind for kind in KINDS if needs.get(kind, True))


def _purpose(kind: str, attempt: int) -> int:
    """The purpose of an attempt's random words: behind those of strings, and a range for each kind."""
    return (1 + [*KINDS].index(kind)) << 16 | attempt


def _take(strings: Strings, rows: Rows) -> Strings:
    """These rows, without a copy if they are all of them."""
    return strings if len(rows) == len(strings) else strings.take(rows)


def _count(flags: NDArray[np.bool_], strings: Strings) -> NDArray[np.int64]:
    """How many of the flags, one a symbol, are set in each string: [n]."""
    before = np.concatenate(([0], np.cumsum(flags)))
    return before[strings.offsets[1:]] - before[strings.offsets[:-1]]
