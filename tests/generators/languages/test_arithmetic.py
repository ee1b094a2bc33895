"""Binary addition against Python's integers, far beyond 64 bits, and how its laws share out the digits."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.languages.arithmetic import ALPHABET, BinaryAddition
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

ADDITION, KEY = BinaryAddition(), derive_key({"test": "arithmetic"})
EDGES = [2**power + near for power in (32, 53, 64, 128) for near in (-2, -1, 0, 1, 2)]


def spell(x: int, y: int, total: int | None = None) -> str:
    """The string of a sum, true if no total is given, symbols side by side."""
    return f"{x:b}+{y:b}={f'{x + y if total is None else total:b}'[::-1]}."


def read(*texts: str) -> Strings:
    return Strings.from_texts(ALPHABET, map(" ".join, texts))


@given(st.integers(0, 2**200), st.integers(0, 2**200), st.integers(1, 2**200))
def test_a_sum_is_accepted_exactly_if_it_is_true(x: int, y: int, error: int) -> None:
    strings = read(spell(x, y), spell(x, y, x + y + error), spell(x, y, x + y ^ 1))
    assert ADDITION.accepts(strings).tolist() == [True, False, False]


def test_sums_around_powers_of_two_where_floats_and_words_end() -> None:
    """Of every pair near 2^32, 2^53, 2^64 and 2^128: the true sum, and each one that is off by one digit."""
    for x, y in product(EDGES, EDGES):
        text = spell(x, y)
        equals = text.index("=")
        wrong = [f"{text[:i]}{1 - int(text[i])}{text[i + 1 :]}" for i in range(equals + 1, len(text) - 1)]
        assert ADDITION.accepts(read(text, *wrong)).tolist() == [True, *[False] * len(wrong)]


@pytest.mark.parametrize("law", ADDITION.law_names)
@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 300])
def test_drawn_sums_are_true_and_of_their_size(law: str, size: int) -> None:
    strings = ADDITION.law(law).draw(Window(size, size), KEY, np.arange(300, dtype=np.uint64))
    assert ADDITION.accepts(strings).all()
    for text in strings.texts(ALPHABET):
        x, y, total = text.replace(" ", "").rstrip(".").replace("=", "+").split("+")
        assert int(x, 2) + int(y, 2) == int(total[::-1], 2)
        assert total == "0" or total[-1] == "1"
        assert sum(len(operand) for operand in (x, y) if operand != "0") == size
        assert all(operand == "0" or operand[0] == "1" for operand in (x, y))


def test_every_digit_behind_the_first_is_as_often_0_as_1() -> None:
    """Of 3,000 sums of 96 digits, in every place counted from the front of x."""
    strings = ADDITION.law("uniform-split").draw(Window(96, 96), KEY, np.arange(3_000, dtype=np.uint64))
    operands = [text.split(" + ")[0].split() for text in strings.texts(ALPHABET)]
    for place in range(1, 60):
        digits = [operand[place] == "1" for operand in operands if len(operand) > place]
        assert abs(np.mean(digits) - 0.5) < 4 / np.sqrt(4 * len(digits))


def test_the_example_of_joulin_and_mikolov() -> None:
    """Section 5.1: "101+1=" goes on "011."; these four are determined, and what follows the equals sign first."""
    shown = ADDITION.show_next("1 0 1 + 1 = 0 1 1 .").split()
    assert shown[5:] == ["0", "1", "1", ".", "END"]
    assert shown[:5] == ["0/1/+", "0/1/+", "0/1/+", "0/1", "0/1/="]


def test_an_operand_without_digits_is_a_zero_and_nothing_else_begins_with_one() -> None:
    assert ADDITION.show_next("0 + 0 = 0 .") == "+ 0/1 = 0 . END"
    members = ["0+0=0.", "0+1=1.", "1+0=1.", "1+1=01.", "0+10=01."]
    others = ["+0=0.", "00+0=0.", "01+1=01.", "1+1=10.", "1+1=010.", "1+1=01", "1+1=", "", "0", "0+0=.", "0+0=0..",
              "1+1=1.", "1+1+1=11.", "=0.", ".", "1=1.", "0+1=10."]  # fmt: skip
    assert ADDITION.accepts(read(*members, *others)).tolist() == [True] * len(members) + [False] * len(others)


def test_depth_is_what_is_owed_of_the_result() -> None:
    """Before the equals sign as many digits as the longer operand has so far, and the stop; behind it what is left."""
    strings = read("101+1=011.", "0+11=11.")
    assert ADDITION.depths(strings).tolist() == [2, 3, 4, 4, 4, 4, 3, 2, 1, 0, 2, 2, 2, 3, 3, 2, 1, 0]


def test_a_sum_of_a_million_digits_is_labelled() -> None:
    """All ones and 1: the carry runs through."""
    digits = 1_000_000
    text = np.concatenate([np.full(digits, 1), [2, 1, 3], np.zeros(digits), [1, 4]]).astype(np.uint8)
    assert ADDITION.accepts(Strings(text, np.array([0, len(text)]))).all()


# -- laws


def test_the_uniform_split_of_a_sum_is_not_uniform() -> None:
    """Of size 4: with x empty 8 strings share 1/5; with |x| = 1 there are 4 that do."""
    window, sums = Window(4, 4), read("0+1011=1101.", "1+101=011.")
    assert np.allclose(np.exp(ADDITION.law("uniform-split").log_prob(sums, window)), [1 / 40, 1 / 20])
    assert np.allclose(np.exp(ADDITION.law("uniform").log_prob(sums, window)), 1 / 28)


def test_splits_of_digits_are_uniform_far_beyond_what_can_be_enumerated() -> None:
    window, draws = Window(60, 60), np.arange(30_000, dtype=np.uint64)
    digits = ADDITION.digits(ADDITION.law("uniform-split").draw(window, KEY, draws))
    assert (digits.sum(axis=1) == 60).all()
    assert stats.chisquare(np.bincount(digits[:, 0], minlength=61)).pvalue > 1e-4
    digits = ADDITION.digits(ADDITION.law("uniform").draw(window, KEY, draws))
    weights = np.array([2, *[1] * 59, 2]) / 63
    assert stats.chisquare(np.bincount(digits[:, 0], minlength=61), len(draws) * weights).pvalue > 1e-4
