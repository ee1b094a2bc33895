"""Palindromes of even length without a marker: w w^R.

Also called unmarked reversal. No deterministic pushdown automaton can tell where w ends, hence the labels are a closed
form: whatever was read can still be mirrored, so that every symbol may follow, and END may if what was read is itself
an even palindrome.

>>> EvenPalindromes().show_next("a b b a")
'a/b a/b a/b a/b/END'
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import MASK_SYMBOLS, Alphabet
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.languages.palindromes import WordLanguage
from marnn_bench.generators.strings import Strings


@dataclass(frozen=True)
class PalindromeLabeller(Labeller):
    """Membership and next-symbol sets of the even palindromes over an alphabet."""

    alphabet: Alphabet

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        """Whether each string is an even palindrome: [n]."""
        accepted: NDArray[np.bool_] = strings.lengths == 0
        filled = ~accepted
        accepted[filled] = self._prefixes(strings)[strings.offsets[1:][filled] - 1]
        return accepted

    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        """The next-symbol set after each symbol: the alphabet, and END behind an even palindrome: [symbols]."""
        if len(self.alphabet) > MASK_SYMBOLS:
            raise LanguageError(f"Next-symbol sets are for alphabets of up to {MASK_SYMBOLS} symbols.")
        symbols = np.uint64(self.alphabet.mask(self.alphabet))
        return symbols | self._prefixes(strings).astype(np.uint64) << np.uint64(len(self.alphabet))

    def first_symbols(self) -> int:
        """The next-symbol set of the empty prefix, which is a member."""
        return (2 << len(self.alphabet)) - 1

    def _prefixes(self, strings: Strings) -> NDArray[np.bool_]:
        return kernels.palindromes.palindromic_prefixes(strings.ids, strings.offsets)


@dataclass(frozen=True)
class EvenPalindromes(WordLanguage):
    """w w^R with w over the letters; the empty string is a member.

    >>> [EvenPalindromes().count(length) for length in range(7)]
    [1, 0, 2, 0, 4, 0, 8]
    """

    letters: tuple[str, ...] = ("a", "b")
    name: str = "even-palindrome"

    @cached_property
    def alphabet(self) -> Alphabet:
        return Alphabet.of(self.letters)

    @cached_property
    def automaton(self) -> PalindromeLabeller:
        return PalindromeLabeller(self.alphabet)

    def word_length(self, length: int) -> int | None:
        return None if length % 2 else length // 2

    def complete(self, words: Strings) -> Strings:
        offsets = 2 * words.offsets
        lengths = 2 * words.lengths
        start = np.repeat(offsets[:-1], lengths)
        position = np.arange(offsets[-1]) - start
        mirrored = np.minimum(position, np.repeat(lengths, lengths) - 1 - position)
        return Strings(words.ids[start // 2 + mirrored], offsets)
