"""Palindromes and reversal: what the second half must be, and what is written for it."""

import pytest

from marnn_bench.generators.language import Transduction
from marnn_bench.generators.languages.palindromes import StringReversal, homomorphic_palindromes
from marnn_bench.generators.strings import Strings


def test_the_example_of_table_1_of_suzgun_2019() -> None:
    assert homomorphic_palindromes().show_next("a b c # z y x") == "a/b/c/# a/b/c/# a/b/c/# z y x END"


@pytest.mark.parametrize(
    "language", [StringReversal(), StringReversal(letters=("a", "b"))], ids=["abc", "ab"]
)
def test_reversal_writes_the_word_backwards_behind_markers(language: Transduction) -> None:
    for length in range(2, 9, 2):
        rows = list(language.enumerate(length))
        half = length // 2
        targets = language.transduce(Strings.from_ids(language.alphabet, rows))
        marker = language.alphabet.id("#")
        assert [tuple(t.tolist()) for t in targets] == [(marker,) * half + row[:half][::-1] for row in rows]


def test_a_pair_is_accepted_only_with_its_own_target() -> None:
    language = StringReversal()
    sources = Strings.from_texts(language.alphabet, ["a b # #", "a b # #", "a #", "a b #"])
    targets = Strings.from_texts(language.outputs, ["# # b a", "# # a b", "# a #", "# # b"])
    assert language.accepts_pairs(sources, targets).tolist() == [True, False, False, False]
