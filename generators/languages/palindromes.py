"""Marked palindromes, w # phi(w^R), and the reversal of a string, w #^|w| -> #^|w| w^R.

Suzgun et al. 2019, sections 6 and 7. Labelled by pushdown automata of two states: the first pushes what it will want
to see, the second pops it.

>>> homomorphic_palindromes().show_next("a b c # z y x")
'a/b/c/# a/b/c/# a/b/c/# z y x END'
>>> StringReversal().show("a b c # # #")
'# # # c b a'
"""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.envelope import regular_envelope
from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.devices.pushdown import Pushdown, Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.language import Language, Transduction
from marnn_bench.generators.laws import Draws
from marnn_bench.generators.strings import Strings, offsets_of

LETTERS = ("a", "b", "c")
MARKER = "#"


class WordLanguage(Language):
    """Strings that a word over some letters determines: the word, then as much again, in one way only.

    Letters have the ids 0, 1, ...; the marker comes next.
    """

    letters: tuple[str, ...]

    @abstractmethod
    def word_length(self, size: int) -> int | None:
        """|w| of the strings of this size, if there are any."""

    @abstractmethod
    def complete(self, words: Strings) -> Strings:
        """The string of each word."""

    def count(self, size: int) -> int:
        word = self.word_length(size)
        return 0 if word is None else len(self.letters) ** word

    def enumerate(self, size: int) -> Iterator[tuple[int, ...]]:
        word = self.word_length(size)
        if word is not None:
            for letters in product(range(len(self.letters)), repeat=word):
                string = self.complete(Strings.from_ids(self.alphabet, [letters]))
                yield tuple(string.ids.tolist())

    def sample(self, sizes: NDArray[np.int64], key: Key, draws: Draws) -> Strings:
        # |w| is half the length, rounded down, in every language here.
        offsets = offsets_of(sizes if self.measure == "n" else sizes // 2)
        ids = np.empty(offsets[-1], self.alphabet.dtype)
        kernels.palindromes.sample_words(key_words(key), draws, len(self.letters), offsets, ids)
        return self.complete(Strings(ids, offsets))

    def sizes_of(self, strings: Strings) -> NDArray[np.int64]:
        return strings.lengths // 2 if self.measure == "n" else strings.lengths

    def depths(self, strings: Strings) -> NDArray[np.int64]:
        lengths = strings.lengths
        positions = np.arange(1, len(strings.ids) + 1) - np.repeat(strings.offsets[:-1], lengths)
        depth: NDArray[np.int64] = np.minimum(positions, np.repeat(lengths, lengths) - positions)
        return depth


@dataclass(frozen=True)
class MarkedPalindromes(WordLanguage):
    """w # phi(w^R) with w over the letters and phi a letter's image; the marker alone is a member (w empty).

    measure `n`: the size of a string is |w|.

    >>> [MarkedPalindromes().count(length) for length in range(6)]
    [0, 1, 0, 3, 0, 9]
    """

    letters: tuple[str, ...] = LETTERS
    images: tuple[str, ...] = LETTERS
    marker: str = MARKER
    name: str = "marked-palindrome"
    measure: Literal["length", "n"] = "length"

    def __post_init__(self) -> None:
        if len(self.letters) != len(set(self.images)) or len(self.images) != len(self.letters):
            raise LanguageError("A marked palindrome needs as many images as letters, all different.")

    @cached_property
    def alphabet(self) -> Alphabet:
        return Alphabet.of(dict.fromkeys((*self.letters, self.marker, *self.images)))

    @cached_property
    def automaton(self) -> Pushdown:
        rules = [
            Rule("first", letter, push=image) for letter, image in zip(self.letters, self.images, strict=True)
        ]
        rules += [Rule("first", self.marker, to="second")]
        rules += [Rule("second", image, pop=image) for image in self.images]
        return Pushdown(self.alphabet, "first", frozenset({"second"}), tuple(rules))

    @cached_property
    def envelope(self) -> DFA:
        """Of w the last letters are remembered: 5 over three letters."""
        return regular_envelope(self.automaton)

    def word_length(self, size: int) -> int | None:
        if self.measure == "n":
            return size
        return size // 2 if size % 2 else None

    def complete(self, words: Strings) -> Strings:
        image = np.array([self.alphabet.id(symbol) for symbol in self.images], self.alphabet.dtype)
        offsets = offsets_of(2 * words.lengths + 1)
        ids = np.empty(offsets[-1], self.alphabet.dtype)
        kernels.palindromes.mirror(words.ids, words.offsets, image, len(self.letters), offsets, ids)
        return Strings(ids, offsets)


def homomorphic_palindromes() -> MarkedPalindromes:
    """w # phi(w^R) with phi: a -> x, b -> y, c -> z (Suzgun et al. 2019, section 6.1)."""
    return MarkedPalindromes(images=("x", "y", "z"), name="hom-palindrome")


@dataclass(frozen=True)
class StringReversal(WordLanguage, Transduction):
    """w #^|w| -> #^|w| w^R: one output for each input symbol (Suzgun et al. 2019, section 7).

    >>> StringReversal().show("a b # #")
    '# # b a'
    """

    letters: tuple[str, ...] = LETTERS
    marker: str = MARKER
    name: str = field(default="string-reversal")

    @cached_property
    def alphabet(self) -> Alphabet:
        return Alphabet.of((*self.letters, self.marker))

    @property
    def outputs(self) -> Alphabet:
        return self.alphabet

    @cached_property
    def automaton(self) -> Pushdown:
        rules = [Rule("first", letter, push=letter, write=self.marker) for letter in self.letters]
        for state in ("first", "second"):
            rules += [
                Rule(state, self.marker, pop=letter, to="second", write=letter) for letter in self.letters
            ]
        return Pushdown(self.alphabet, "first", frozenset({"first", "second"}), tuple(rules), self.outputs)

    def transduce(self, sources: Strings) -> Strings:
        return self.automaton.transduce(sources)

    def word_length(self, size: int) -> int | None:
        return None if size % 2 else size // 2

    def complete(self, words: Strings) -> Strings:
        offsets = 2 * words.offsets
        ids = np.full(offsets[-1], len(self.letters), self.alphabet.dtype)
        lengths = words.lengths
        ids[np.arange(len(words.ids)) + np.repeat(words.offsets[:-1], lengths)] = words.ids
        return Strings(ids, offsets)
