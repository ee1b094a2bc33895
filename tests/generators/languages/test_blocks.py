"""Blocks of symbols: sizes and parameters, strings too long for anything but the automaton, what a definition may not say."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.brute_force import members
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.languages import counter_languages
from marnn_bench.generators.languages.blocks import Blocks, Exponent
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

MAKERS = [
    counter_languages.anbn,
    counter_languages.anbncn,
    counter_languages.anbncndn,
    counter_languages.anb2n,
    counter_languages.anb3n,
    counter_languages.unary_addition,
    counter_languages.anbmcndm,
    counter_languages.unary_multiplication,
    counter_languages.anbncbmam,
    counter_languages.unary_addition_nm,
]
LANGUAGES = [make(measure) for make in MAKERS for measure in ("n", "length")]


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda x: f"{x.name} by {x.measure}")
def test_sizes_and_parameters_are_recovered_from_the_strings(language: Blocks) -> None:
    """The size of a string is n, n+m or its length; sizes have as many strings as solutions."""
    for size in range(1, 30):
        strings = members(language, Window(size, size))
        assert len(strings) == language.count(size)
        assert (language.sizes_of(strings) == size).all()
        if language.measure == "length":
            assert (strings.lengths == size).all()
        elif len(language.parameters) == 2:
            assert len(strings) == size - 1
        assert language.accepts(strings).all()


@pytest.mark.parametrize("language", LANGUAGES[1::2], ids=lambda x: x.name)
def test_members_are_at_most_half_of_the_strings_with_their_blocks(language: Blocks) -> None:
    """Where there is any other: so negatives with other exponents are found soon."""
    constant = [exponent for _, exponent in language.outline if exponent]
    varying = len(language.outline) - len(constant)
    for length in range(varying + sum(constant) + 1, 300):
        assert 2 * language.count(length) <= comb(length - sum(constant) - 1, varying - 1)


def test_strings_of_two_million_symbols_are_labelled() -> None:
    language = counter_languages.anbncndn()
    ids = np.repeat(np.arange(4, dtype=np.uint8), 500_000)
    masks = language.next_symbols(Strings(ids, np.array([0, len(ids)])))
    assert masks[-1] == language.alphabet.mask(["END"])
    assert masks[-2] == language.alphabet.mask(["d"])


def test_products_of_unary_numbers_beyond_32_bits_are_labelled() -> None:
    """After 70,000 a and 70,000 b, 4.9 billion c are owed: they cannot be written, but the next one is c."""
    language = counter_languages.unary_multiplication()
    ids = np.repeat(np.arange(3, dtype=np.uint8), [70_000, 70_000, 10])
    masks = language.next_symbols(Strings(ids, np.array([0, len(ids)])))
    assert masks[-1] == language.alphabet.mask(["c"])
    assert not language.accepts(Strings(ids, np.array([0, len(ids)])))[0]


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("a^n a^n", "two blocks of one symbol side by side"),
        ("a^2n b^2n", "the first block with n must grow with it by 1"),
        ("a^(n+m) b^n c^n", "no block has the length m"),
        ("a^n b^m c^k", "3 parameters, not one or two"),
        ("a b", "0 parameters"),
        ("a^n^2 b^n", "is not of the form n, 2n, nk"),
        ("a^nn b^n", "is not of the form n, 2n, nk"),
    ],
)
def test_a_definition_that_cannot_be_says_why(definition: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        Blocks("wrong", definition)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_exponents_are_sums_of_products(n: int, k: int) -> None:
    assert Exponent.parse("3nk+2n+k+7")({"n": n, "k": k}) == 3 * n * k + 2 * n + k + 7
