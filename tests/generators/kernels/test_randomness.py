"""Random words, bounded numbers and thresholds: known answers, exactness, one result on every machine."""

from decimal import Context, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from helpers.random123 import KNOWN_ANSWERS
from marnn_bench.generators import thresholds as thresholds_module
from marnn_bench.generators.kernels import philox
from marnn_bench.generators.kernels.choice import choose
from marnn_bench.generators.kernels.compiler import kernel
from marnn_bench.generators.keys import derive_key, key_words
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.thresholds import thresholds


@kernel
def block(words):  # type: ignore[no-untyped-def]
    return philox.philox(words[0], words[1], words[2], words[3], words[4], words[5])


@kernel
def take(key, draw, purpose, number):  # type: ignore[no-untyped-def]
    rng = np.empty(philox.RNG_WORDS, np.uint32)
    philox.init_rng(rng, key, draw, purpose)
    words = np.empty(number, np.uint32)
    for i in range(number):
        words[i] = philox.next_uint32(rng)
    return words


@kernel
def take_below(key, bound, number):  # type: ignore[no-untyped-def]
    rng = np.empty(philox.RNG_WORDS, np.uint32)
    philox.init_rng(rng, key, 0, 0)
    numbers = np.empty(number, np.int64)
    for i in range(number):
        numbers[i] = philox.randbelow(rng, bound)
    return numbers


@kernel
def choose_all(upper_ends, words):  # type: ignore[no-untyped-def]
    chosen = np.empty(words.size, np.int64)
    for i in range(words.size):
        chosen[i] = choose(upper_ends, upper_ends.size, words[i])
    return chosen


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN_ANSWERS)
def test_philox_gives_the_known_answers(counter: str, key: str, expected: str) -> None:
    words = np.array([int(word, 16) for word in (counter + " " + key).split()], np.uint32)
    assert [f"{word:08x}" for word in block(words)] == expected.split()


def test_a_stream_is_the_blocks_of_its_draw_in_order() -> None:
    """Word i of draw j is word i % 4 of the block with counter (j, i // 4, purpose)."""
    key = key_words(derive_key({"any": "key"}))
    draw = (7 << 32) + 5
    words = take(key, draw, 1, 200)
    for i in range(0, 200, 4):
        counter = np.array([5, 7, i // 4, 1, *key], np.uint32)
        assert tuple(words[i : i + 4]) == tuple(map(int, block(counter)))


@pytest.mark.parametrize("bound", [2, 3, 7, 1000])
def test_bounded_numbers_are_uniform(bound: int) -> None:
    counts = np.bincount(take_below(np.array([1, 2], np.uint32), bound, 200_000), minlength=bound)
    assert counts.size == bound
    assert stats.chisquare(counts).pvalue > 1e-4


def test_rejection_keeps_a_bound_near_the_word_size_uniform() -> None:
    """Without rejection, half of the numbers below 3 * 2^30 would come up twice as often as the others."""
    numbers = take_below(np.array([1, 2], np.uint32), 3 << 30, 300_000)
    assert stats.chisquare(np.bincount(numbers >> 30, minlength=3)).pvalue > 1e-4
    assert stats.chisquare(np.bincount(numbers % 3, minlength=3)).pvalue > 1e-4


@given(st.lists(st.integers(0, 10**30), min_size=1, max_size=20).filter(any))
def test_thresholds_of_integers_are_the_exact_floors(weights: list[int]) -> None:
    total, running = sum(weights), np.cumsum(np.array(weights, object))
    exact = [min((1 << 64) - 1, (part << 64) // total) for part in running]
    assert all(abs(int(found) - want) <= 1 for found, want in zip(thresholds(weights), exact, strict=True))


@given(st.lists(st.integers(0, 50), min_size=1, max_size=20).filter(any), st.lists(st.integers(0, 2**64 - 1)))
def test_a_word_chooses_the_outcome_in_whose_interval_it_lies(weights: list[int], words: list[int]) -> None:
    total = sum(weights)
    upper_ends = thresholds(weights)
    for word, outcome in zip(words, choose_all(upper_ends, np.array(words, np.uint64)), strict=True):
        below = sum(weights[:outcome]) * 2**64 // total
        above = sum(weights[: outcome + 1]) * 2**64 // total
        assert below - 1 <= word <= above


def test_a_hundred_digits_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thresholds of the grammar's law with 100 digits are those with 400."""
    law = Dyck(2).law("pcfg:p=1/2,q=1/4")
    few = [thresholds(law.branch_weights(half)) for half in (1, 7, 50, 200)]  # type: ignore[attr-defined]
    more = Context(prec=400, Emax=10**15, Emin=-(10**15))
    monkeypatch.setattr(thresholds_module, "EXACT", more)
    monkeypatch.setattr("marnn_bench.generators.languages.dyck.EXACT", more)
    law = Dyck(2).law("pcfg:p=1/2,q=1/4")
    assert len(str(law._root)) > 300  # type: ignore[attr-defined]
    for half, found in zip((1, 7, 50, 200), few, strict=True):
        assert np.array_equal(found, thresholds(law.branch_weights(half)))  # type: ignore[attr-defined]


def test_the_probability_of_the_empty_string_is_2_minus_root_3() -> None:
    """Of Dyck's grammar at p = 1/2, q = 1/4: the smaller root of e = 1/4 + e^2 / 4."""
    law = Dyck(1).law("pcfg:p=1/2,q=1/4")
    assert abs(law._empty - (2 - Decimal(3).sqrt())) < Decimal("1e-25")  # type: ignore[attr-defined]
