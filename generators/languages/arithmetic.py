"""Binary addition, x + y = z, the result from its lowest digit on (Joulin & Mikolov 2015, section 5.1).

    1 0 1 + 1 = 0 1 1 .        5 + 1 = 6
    1 1 + 1 0 1 1 = 0 1 1 1 .  3 + 11 = 14
    0 + 1 0 = 0 1 .            0 + 2 = 2: an operand without digits is written 0
    0 + 0 = 0 .                the one string of size 0

The full stop ends a string. The size of a string is the number of digits of x and y together, of which a 0 has none;
all other operands begin with 1.

Drawn as 32-bit words and added by the machine; labelled by adding digit by digit.

>>> BinaryAddition().show_next("1 + 1 = 0 1 .")
'0/1/+ 0/1 0/1/= 0 1 . END'
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.language import Language
from marnn_bench.generators.laws import Draws, Law, TwoStageLaw
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.thresholds import Weight
from marnn_bench.generators.window import Window

ALPHABET = Alphabet.of("0 1 + = .")
PLUS, EQUALS = ALPHABET.id("+"), ALPHABET.id("=")


@dataclass(frozen=True)
class BinaryAddition(Language):
    """The true sums of two binary numbers.

    Depth: the symbols still owed once `=` is read; before it as many digits as the longer operand has so far, and the
    full stop, which is the least that will be owed.

    >>> [BinaryAddition().count(size) for size in range(6)]
    [1, 2, 5, 12, 28, 64]
    """

    name: str = "binary-addition"
    alphabet = ALPHABET
    measure = "n"
    law_names = ("uniform", "uniform-split")

    @property
    def automaton(self) -> "AdditionLabeller":
        return AdditionLabeller()

    def count(self, size: int) -> int:
        # size - 1 ways to give both operands digits, 2^(size-2) strings each; two to give one of them none, 2^(size-1)
        return (size + 3) << size >> 2 if size else 1

    def enumerate(self, size: int) -> Iterator[tuple[int, ...]]:
        for length in range(size + 1):
            for x in _of_length(length):
                for y in _of_length(size - length):
                    backwards = f"{x + y:b}"[::-1]
                    yield tuple(map(ALPHABET.id, f"{x:b}+{y:b}={backwards}."))

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        # If one operand has no digits, the other has one free digit more: twice as many strings as any other split.
        return _sample(sizes, key, draws, end_weight=2)

    def sizes_of(self, strings: Strings) -> NDArray[np.int64]:
        return np.asarray(self.digits(strings).sum(axis=1))

    def digits(self, strings: Strings) -> NDArray[np.int64]:
        """How many digits the operands of members have: [n, 2]."""
        begins = np.column_stack([strings.offsets[:-1], np.flatnonzero(strings.ids == PLUS) + 1])
        ends = np.column_stack([begins[:, 1] - 1, np.flatnonzero(strings.ids == EQUALS)])
        return np.asarray(np.where(strings.ids[begins] == 0, 0, ends - begins))

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        plus, equals = (np.flatnonzero(strings.ids == symbol) for symbol in (PLUS, EQUALS))
        begin, plus, equals, end = (
            np.repeat(places, strings.lengths)
            for places in (strings.offsets[:-1], plus, equals, strings.offsets[1:])
        )
        here = np.arange(len(strings.ids)) + 1
        longer = np.maximum(np.minimum(here, plus) - begin, here - plus - 1)
        return np.asarray(np.where(here <= equals, longer + 1, end - here))

    def law(self, spec: str) -> Law:
        return UniformSplitLaw(self) if spec == "uniform-split" else super().law(spec)


@dataclass(frozen=True)
class UniformSplitLaw(TwoStageLaw):
    """The law of Joulin & Mikolov's program: the size, then the number of digits of x in 0..size, then the digits.

    Not uniform given the size: an operand without digits is as likely as one of any length, but leaves more strings.
    """

    language: BinaryAddition
    spec = "uniform-split"

    def size_weights(self, window: Window) -> Mapping[int, Weight]:
        return dict.fromkeys(self.language.sizes(window), 1)

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        return _sample(sizes, key, draws, end_weight=1)

    def log_prob(self, strings: Strings, window: Window) -> NDArray[np.float64]:
        member = self.language.accepts(strings)
        digits = self.language.digits(strings.take(member))
        sizes, free = digits.sum(axis=1), np.maximum(digits - 1, 0).sum(axis=1)
        log_prob = np.full(len(strings), -np.inf)
        log_prob[member] = self.size_log_prob(sizes, window) - np.log(sizes + 1) - free * log(2)
        return log_prob


@dataclass(frozen=True)
class AdditionLabeller(Labeller):
    """Reads a sum and adds it up column by column, as on paper: digits of any number, no arithmetic on large numbers."""

    alphabet = ALPHABET

    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        return kernels.arithmetic.label_sums(strings.ids, strings.offsets)

    def first_symbols(self) -> int:
        return ALPHABET.mask(["0", "1"])


def _operands(length: int) -> int:
    """How many operands have this many digits."""
    return 1 << max(length - 1, 0)


def _of_length(length: int) -> range:
    return range(_operands(length), 2 * _operands(length)) if length else range(1)


def _sample(sizes: NDArray[np.int64], key: Key, draws: Draws, end_weight: int) -> Strings:
    offsets = np.zeros(len(sizes) + 1, np.int64)
    most = 2 * sizes + 6  # the digits, the digits of the sum, two zeros or a carry, + = and the full stop
    ids = np.empty(most.sum(), ALPHABET.dtype)
    kernels.arithmetic.sample_sums(key_words(key), draws, sizes, end_weight, offsets, ids)
    return Strings(ids[: offsets[-1]], offsets)
