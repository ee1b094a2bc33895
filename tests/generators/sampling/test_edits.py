"""Levenshtein's distance, many pairs at a time, against its table."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.edit_distance import edit_distance
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.sampling.edits import levenshtein
from marnn_bench.generators.strings import Strings

WORDS = Alphabet.of("a b c")
some_words = st.lists(st.integers(0, 2), max_size=150)


@settings(max_examples=60)
@given(st.lists(st.tuples(some_words, some_words), min_size=1, max_size=4))
def test_levenshtein_is_that_of_the_table(cases: list[tuple[list[int], list[int]]]) -> None:
    ones, others = (Strings.from_ids(WORDS, side) for side in zip(*cases, strict=True))
    assert levenshtein(ones, others).tolist() == [edit_distance(a, b) for a, b in cases]


@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129, 1000])
def test_levenshtein_at_the_edges_of_machine_words(length: int) -> None:
    """One substitution at either end, a shift by one, nothing in common."""
    plain, wave = (0,) * length, tuple(i % 2 for i in range(length))
    shifted = (*wave[1:], 2)
    cases = [
        (plain, plain),
        (plain, (1, *plain[1:])),
        (plain, (*plain[1:], 1)),
        (wave, shifted),
        (plain, (1,) * length),
        (plain, ()),
    ]
    ones, others = (Strings.from_ids(WORDS, side) for side in zip(*cases, strict=True))
    assert levenshtein(ones, others).tolist() == [0, 1, 1, 2, length, length]
