"""Copying, reversal and bigram flipping: the target is the source in another order (Grefenstette et al. 2015, 4.1).

>>> [task.show("s7 s1 s1 s8") for task in (SequenceCopy(), SequenceReversal(), BigramFlip())]
['s7 s1 s1 s8', 's8 s1 s1 s7', 's1 s7 s8 s1']

Sources are all strings over `symbols` symbols, for bigram flipping those of even length; the empty one is among them.
Whatever is read is owed to the target, so the depth after i symbols is i.
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.language import Masks, Transduction
from marnn_bench.generators.laws import Draws
from marnn_bench.generators.strings import Strings, offsets_of


@dataclass(frozen=True)
class Rearrangement(Transduction):
    """A transduction whose targets are their sources in another order. The symbols are s1, s2, ..."""

    symbols: int = 128
    step: ClassVar[int] = 1
    """Lengths are multiples of this."""

    def __post_init__(self) -> None:
        if self.symbols < 1:
            raise LanguageError(f"{self.name} needs at least one symbol, not {self.symbols}.")

    @abstractmethod
    def source_indices(self, sources: Strings) -> NDArray[np.int64]:
        """For each symbol of the targets, the place among all symbols of the sources that it is taken from: [symbols]."""

    @cached_property
    def alphabet(self) -> Alphabet:
        return Alphabet.of(f"s{i}" for i in range(1, self.symbols + 1))

    @property
    def outputs(self) -> Alphabet:
        return self.alphabet

    def transduce(self, sources: Strings) -> Strings:
        return Strings(sources.ids[self.source_indices(sources)], sources.offsets)

    def count(self, length: int) -> int:
        return 0 if length % self.step else self.symbols**length

    def enumerate(self, length: int) -> Iterator[tuple[int, ...]]:
        return product(range(self.symbols), repeat=length) if length % self.step == 0 else iter(())

    def sample(self, lengths: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        offsets = offsets_of(lengths)
        ids = np.empty(offsets[-1], self.alphabet.dtype)
        kernels.palindromes.sample_words(key_words(key), draws, self.symbols, offsets, ids)
        return Strings(ids, offsets)

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        return np.arange(1, len(strings.ids) + 1) - np.repeat(strings.offsets[:-1], strings.lengths)

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        return np.asarray(strings.lengths % self.step == 0)

    def next_symbols(self, strings: Strings) -> Masks:
        raise LanguageError(f"{self.name} is asked for targets; it has no next-symbol sets.")


@dataclass(frozen=True)
class SequenceCopy(Rearrangement):
    """a1 a2 ... ak -> a1 a2 ... ak"""

    name: str = "sequence-copy"

    def source_indices(self, sources: Strings) -> NDArray[np.int64]:
        return np.arange(len(sources.ids))


@dataclass(frozen=True)
class SequenceReversal(Rearrangement):
    """a1 a2 ... ak -> ak ... a2 a1"""

    name: str = "sequence-reversal"

    def source_indices(self, sources: Strings) -> NDArray[np.int64]:
        ends = sources.offsets[:-1] + sources.offsets[1:] - 1
        return np.repeat(ends, sources.lengths) - np.arange(len(sources.ids))


@dataclass(frozen=True)
class BigramFlip(Rearrangement):
    """a1 a2 a3 a4 ... -> a2 a1 a4 a3 ...; lengths are even, so that every string begins at an even place of a batch."""

    name: str = "bigram-flip"
    step: ClassVar[int] = 2

    def source_indices(self, sources: Strings) -> NDArray[np.int64]:
        return np.arange(len(sources.ids)) ^ 1
