"""Statistics against scipy, against published examples, and against what they promise."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, permutation_test, t, ttest_ind

from marnn_bench.leaderboard.statistics import (
    difference_interval,
    mcnemar,
    mean_intervals,
    permutation_p,
    spread_intervals,
    student_quantile,
)

COUNTS = st.integers(0, 3000)


@given(COUNTS, COUNTS)
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    expected = binomtest(first, first + second).pvalue if first + second else 1.0
    # scipy gives 0 for some numbers that are so small: of 21 and 1,054, where it is 3.7e-280, too.
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9, abs=1e-270)


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


@pytest.mark.parametrize("degrees", [1, 1.5, 2, 3.25, 4, 8, 30, 131.5, 999])
def test_students_quantile_is_that_of_scipy(degrees: float) -> None:
    assert student_quantile(degrees) == pytest.approx(t.ppf(0.975, degrees), rel=5e-5)


def test_the_interval_of_single_runs_is_that_of_the_paired_difference() -> None:
    """B has what A has and 100 of 1,000 strings more: the difference is a proportion, 0.1 +- 1.96 sqrt(0.09 / 1000)."""
    a = np.arange(1000)[None] < 500
    b = np.arange(1000)[None] < 600
    found = difference_interval(a, b)
    assert found.value == pytest.approx(0.1)
    half = 1.96 * (0.09 / 1000) ** 0.5
    assert (found.lower, found.upper) == (
        pytest.approx(0.1 - half, abs=5e-4),
        pytest.approx(0.1 + half, abs=5e-4),
    )


def test_of_runs_that_vary_alone_the_interval_is_welchs_with_a_run_less() -> None:
    """A million strings all answered alike: the interval is of run means, scipy's but for the degrees of freedom."""
    means = np.array([0.31, 0.35, 0.42, 0.55, 0.38, 0.40]), np.array([0.71, 0.75, 0.60, 0.62, 0.55])
    first, second = (np.repeat(runs[:, None], 1_000_000, axis=1) for runs in means)
    welch = ttest_ind(*means, equal_var=False)
    parts = [runs.var(ddof=1) / len(runs) for runs in means]
    degrees = sum(parts) ** 2 / sum(
        part**2 / (len(runs) - 2) for part, runs in zip(parts, means, strict=True)
    )
    value = means[1].mean() - means[0].mean()
    half = t.ppf(0.975, degrees) * abs(value / welch.statistic)
    found = difference_interval(first, second)
    assert (found.lower, found.upper) == (
        pytest.approx(value - half, abs=2e-5),
        pytest.approx(value + half, abs=2e-5),
    )


def test_the_variance_of_runs_and_strings_is_that_of_the_mean() -> None:
    """Answers of run and string effects: over many draws of both, differences of means scatter as the interval says."""
    random = np.random.default_rng(3)
    runs, rows, drawn, said = 12, 400, [], []
    for _ in range(400):
        strings = random.uniform(-0.5, 0.5, (2, 1, rows))
        first, second = (
            strings[side] + random.uniform(-0.1, 0.1, (runs, 1)) + random.uniform(-0.5, 0.5, (runs, rows))
            for side in range(2)
        )
        found = difference_interval(first, second)
        drawn.append(found.value)
        said.append((found.upper - found.lower) / 2 / t.ppf(0.975, 40))
    assert np.std(drawn) == pytest.approx(np.mean(said), rel=0.12)


@given(st.integers(1, 30), st.booleans(), st.booleans(), st.sampled_from([(1, 1), (5, 5), (5, 9)]))
def test_answers_all_alike_leave_an_interval_with_a_width(
    rows: int, first: bool, second: bool, runs: tuple[int, int]
) -> None:
    found = difference_interval(np.full((runs[0], rows), first), np.full((runs[1], rows), second))
    assert found.value == second - first
    assert -1 <= found.lower <= found.value <= found.upper <= 1
    assert found.lower < found.upper
    if first == second or rows <= 5:  # five strings of one model alone: McNemar's p is 0.06
        assert found.lower <= 0 <= found.upper


@pytest.mark.parametrize("sizes", [(5, 5), (5, 7), (6, 8)])
def test_all_divisions_of_the_runs_are_those_of_scipy(sizes: tuple[int, int]) -> None:
    random = np.random.default_rng(sum(sizes))
    for shift in (0, 0.3, 0.6):
        first, second = (random.random(size).round(1) + side * shift for side, size in enumerate(sizes))
        exact = permutation_test(
            (first, second), lambda x, y, axis: np.abs(x.mean(axis) - y.mean(axis)), vectorized=True,
            n_resamples=np.inf, alternative="greater",
        )  # fmt: skip
        assert permutation_p(first, second) == pytest.approx(exact.pvalue, abs=1e-12)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 20), min_size=10, max_size=40), st.integers(5, 35))
def test_the_permutation_test_does_not_depend_on_which_comes_first(values: list[int], size: int) -> None:
    means = np.array(values) / 20
    first, second = means[: min(size, len(means) - 5)], means[min(size, len(means) - 5) :]
    p = permutation_p(first, second)
    assert p == permutation_p(second, first) == permutation_p(first[::-1], second)
    assert 0 < p <= 1


def test_random_divisions_of_the_runs_approach_all_of_them() -> None:
    """Of 20 runs of which ten solve the task, the numbers of those on one side are hypergeometric."""
    first, second = np.repeat([1.0, 0.0], [8, 2]), np.repeat([1.0, 0.0], [2, 8])
    exact = sum(2 * comb(10, k) * comb(10, 10 - k) for k in (8, 9, 10)) / comb(20, 10)
    assert permutation_p(first, second) == pytest.approx(exact, abs=4 * (exact / 10_000) ** 0.5)


def test_mean_intervals_are_those_of_each_column() -> None:
    values = np.column_stack([np.full(25, 0.3), np.arange(25) / 25])
    steady, varied = mean_intervals(values)
    assert (steady.lower, steady.upper) == (pytest.approx(0.3), pytest.approx(0.3))
    error = values[:, 1].std(ddof=1) / 5
    assert varied.value == pytest.approx(0.48)
    assert varied.upper - varied.lower == pytest.approx(2 * 1.96 * error, rel=0.1)


@pytest.mark.parametrize(("runs", "solving"), [(100, 97), (100, 60), (30, 29)])
def test_ranges_of_minimum_and_maximum_follow_from_order_statistics(runs: int, solving: int) -> None:
    """Of `size` runs drawn from R, none is below the k-th smallest with probability ((R - k + 1) / R)^size."""
    values, size = np.sort(np.random.default_rng(runs).random(runs)), 10
    values[-solving:] = 1.0
    ends = spread_intervals(values, size)
    at_least = (np.arange(runs, 0, -1) / runs) ** size  # the minimum is this value or more
    below = values[at_least > 0.975].max(), values[at_least > 0.025].max()
    assert ends["min"] == pytest.approx(below, abs=0.02)
    at_most = (np.arange(1, runs + 1) / runs) ** size
    above = values[at_most >= 0.025].min(), values[at_most >= 0.975].min()
    assert ends["max"] == pytest.approx(above, abs=0.02)


def test_ranges_of_a_mean_are_those_of_a_binomial() -> None:
    """Of runs that solve or fail: ten are drawn, with replacement."""
    values = np.repeat([0.0, 1.0], [30, 70])
    low, high = binom.interval(0.95, 10, 0.7)
    assert spread_intervals(values, 10)["mean"] == (low / 10, high / 10)
