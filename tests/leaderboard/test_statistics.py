"""Statistics against scipy, against published examples, and against what they promise."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from marnn_bench.leaderboard.statistics import difference_interval, mcnemar, mean_intervals, median_run

COUNTS = st.integers(0, 3000)


@given(COUNTS, COUNTS)
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    # scipy gives 0 for what is smaller than about 1e-299: of 10 and 1,065 it is 2.7e-300.
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9, abs=1e-290)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_the_sum_of_the_tail_in_integers(first: int, second: int) -> None:
    n = first + second
    tail = Fraction(2 * sum(comb(n, k) for k in range(min(first, second) + 1)), 2**n)
    assert mcnemar(first, second) == pytest.approx(float(min(tail, Fraction(1))), rel=1e-12)


@pytest.mark.parametrize(
    ("first", "second", "p"),
    [
        (
            1,
            7,
            0.0703,
        ),  # airway hyper-responsiveness of 21 children: Fagerland, Lydersen & Laake 2013, Table 1
        (0, 10, 2 / 2**10),
        (5, 5, 1.0),
        (0, 0, 1.0),
    ],
)
def test_mcnemar_on_published_and_closed_examples(first: int, second: int, p: float) -> None:
    assert mcnemar(first, second) == mcnemar(second, first) == pytest.approx(p, abs=5e-5)


def test_mcnemar_of_a_hundred_thousand_strings_neither_overflows_nor_vanishes() -> None:
    assert mcnemar(50_000, 50_000) == 1
    assert mcnemar(49_500, 50_500) == pytest.approx(binomtest(49_500, 100_000).pvalue, rel=1e-9)
    assert mcnemar(0, 100_000) == 0


def test_the_median_run_is_the_worse_of_two_middle_ones() -> None:
    assert median_run(np.array([0.3])) == 0
    assert median_run(np.array([0.9, 0.1, 0.5])) == 2
    assert median_run(np.array([0.9, 0.1, 0.5, 0.7])) == 2
    assert median_run(np.array([1.0, 1.0, 1.0])) == 1


def test_the_interval_of_single_runs_is_that_of_the_paired_difference() -> None:
    """B has what A has and 100 of 1,000 strings more: the difference is a proportion, 0.1 +- 1.96 sqrt(0.09 / 1000)."""
    a = np.arange(1000)[None] < 500
    b = np.arange(1000)[None] < 600
    found = difference_interval(a, b)
    assert found.value == pytest.approx(0.1)
    half = 1.96 * (0.09 / 1000) ** 0.5
    assert (found.lower, found.upper) == (
        pytest.approx(0.1 - half, abs=2e-3),
        pytest.approx(0.1 + half, abs=2e-3),
    )


def test_the_interval_of_many_runs_is_as_wide_as_runs_vary() -> None:
    """Half of 20 runs have every string right, half none: the mean has standard error sqrt(0.25 / 19)."""
    all_right = np.ones((4, 500), bool)
    half = np.repeat(np.arange(20) < 10, 500).reshape(20, 500)
    found = difference_interval(all_right, half)
    width = 2 * 1.96 * (0.25 / 19) ** 0.5
    assert found.value == -0.5
    assert found.upper - found.lower == pytest.approx(width, rel=0.1)


def test_equal_results_differ_by_nothing() -> None:
    right = np.random.default_rng(1).random((1, 300)) < 0.5
    found = difference_interval(right, right)
    assert (found.value, found.lower, found.upper) == (0, 0, 0)


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    """Two sets of ten runs from one law (a run solves the task or hardly ever answers right): no true difference."""
    random = np.random.default_rng(7)
    held = 0
    for seed in range(60):
        first, second = (
            random.random((10, 40)) < np.where(random.random(10) < 0.6, 0.98, 0.05)[:, None] for _ in range(2)
        )
        found = difference_interval(first, second, seed)
        held += found.lower <= 0 <= found.upper
    assert held >= 51


def test_mean_intervals_are_those_of_each_column() -> None:
    values = np.column_stack([np.full(25, 0.3), np.arange(25) / 25])
    steady, varied = mean_intervals(values)
    assert (steady.lower, steady.upper) == (pytest.approx(0.3), pytest.approx(0.3))
    error = values[:, 1].std(ddof=1) / 5
    assert varied.value == pytest.approx(0.48)
    assert varied.upper - varied.lower == pytest.approx(2 * 1.96 * error, rel=0.1)
