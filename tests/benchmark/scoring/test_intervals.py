"""Intervals: exact where they can be counted, and compared with scipy and theory where they cannot."""

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, bootstrap

from marnn_bench.scoring.intervals import RESAMPLES, Ratio, intervals, wilson

Floats = np.ndarray[Any, np.dtype[np.float64]]


@pytest.mark.parametrize(
    ("correct", "n"), [(0, 1), (1, 1), (0, 5000), (5000, 5000), (98, 100), (3, 10), (4931, 5000)]
)
def test_wilson_interval_is_scipys(correct: int, n: int) -> None:
    expected = binomtest(correct, n).proportion_ci(method="wilson")
    assert wilson(correct, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_interval_as_published() -> None:
    """Newcombe 1998, Statistics in Medicine 17, Table I, method 3 (score, no continuity correction)."""
    table = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (correct, n), interval in table.items():
        assert wilson(correct, n) == pytest.approx(interval, abs=5e-5)


def ends(ratio: Ratio, digest: str = "digest") -> tuple[float, float]:
    """The interval of one ratio."""
    (found,) = intervals([ratio], digest)
    return found["lower"], found["upper"]


def clustered(n: int, seed: int) -> Ratio:
    """Right answers and lengths of n strings whose answers go wrong together: some all the way, some half of it."""
    random = np.random.default_rng(seed)
    lengths = random.integers(52, 101, n).astype(np.float64)
    return Ratio(np.where(random.random(n) < 0.3, lengths // 2, lengths), lengths)


@given(st.lists(st.booleans(), min_size=1, max_size=50))
def test_a_share_has_scipys_wilson_interval(hits: list[bool]) -> None:
    ratio = Ratio.share(np.array(hits))
    (found,) = intervals([ratio], "digest")
    expected = binomtest(sum(hits), len(hits)).proportion_ci(method="wilson")
    assert ratio.value == sum(hits) / len(hits) and found["method"] == "wilson"
    assert (found["lower"], found["upper"]) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_bootstrap_is_scipys() -> None:
    """scipy draws other resamples; both are means over many."""
    ratio = clustered(400, seed=5)
    theirs = bootstrap(
        (ratio.values, ratio.weights),
        lambda values, weights, axis: values.sum(axis=axis) / weights.sum(axis=axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    error = theirs.standard_error
    assert ends(ratio) == pytest.approx(theirs.confidence_interval, abs=0.2 * error)


def test_bootstrap_agrees_with_the_standard_error_of_a_ratio() -> None:
    """Cochran 1977, equation 6.13: the variance of a ratio estimated from clusters."""
    ratio = clustered(5_000, seed=1)
    counts, lengths, n = ratio.values, ratio.weights, len(ratio.values)
    error = np.sqrt(((counts - ratio.value * lengths) ** 2).sum() / n / (n - 1)) / lengths.mean()
    lower, upper = ends(ratio)
    assert (lower + upper) / 2 == pytest.approx(ratio.value, abs=0.2 * error)
    assert (upper - lower) / (2 * 1.96 * error) == pytest.approx(1, abs=0.1)


def test_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    truth = clustered(400_000, seed=2).value
    found = [ends(clustered(200, seed), str(seed)) for seed in range(100, 300)]
    assert 180 <= sum(lower <= truth <= upper for lower, upper in found) <= 199


def test_bootstrap_depends_on_the_data_alone() -> None:
    """Not on what else is asked, nor on the order: the digest is the seed."""
    one, other = clustered(500, seed=3), clustered(500, seed=9)
    alone = ends(one, "a")
    both = intervals([other, one, Ratio.share(np.ones(500, np.bool_))], "a")
    assert (both[1]["lower"], both[1]["upper"]) == alone != ends(one, "b")


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=8), st.booleans())
def test_no_interval_of_a_bounded_metric_has_zero_width(
    counts: list[tuple[int, int]], all_right: bool
) -> None:
    """Least of all where everything is right, or everything wrong."""
    weights = np.array([weight for _, weight in counts], np.float64)
    values = weights if all_right else np.minimum([value for value, _ in counts], weights).astype(np.float64)
    lower, upper = ends(Ratio(values, weights))
    assert 0 <= lower < upper <= 1
    assert lower <= Ratio(values, weights).value <= upper


def test_where_all_is_right_the_interval_is_wilsons_for_as_many_strings() -> None:
    lengths = np.full(381, 7.0)
    assert ends(Ratio(lengths, lengths)) == pytest.approx(wilson(381, 381), abs=1e-12)
    uneven = np.array([1.0] * 50 + [99.0])
    assert Ratio(uneven, uneven).effective_n == pytest.approx(149**2 / (50 + 99**2))
    assert ends(Ratio(uneven, uneven))[0] < ends(Ratio(np.ones(51) * 2, np.ones(51) * 2))[0]


def test_an_infinite_sum_has_no_interval_and_no_influence_on_others() -> None:
    tokens = np.full(50, 5.0)
    infinite = Ratio(np.where(np.arange(50) == 7, np.inf, 1.0), tokens, bounded=False)
    finite = Ratio(np.arange(50.0), tokens, bounded=False)
    found = intervals([infinite, finite], "a")
    assert np.isnan([found[0]["lower"], found[0]["upper"]]).all()
    assert (found[1]["lower"], found[1]["upper"]) == ends(finite, "a")


def test_bootstrap_of_5000_strings_is_quick() -> None:
    ratio = clustered(5_000, seed=4)
    started = time.process_time()
    intervals([ratio], "digest")
    assert time.process_time() - started < 0.5, f"{RESAMPLES} resamples"  # 0.05 s by itself


def test_the_interval_of_a_mean_of_two_shares_is_newcombes() -> None:
    """Newcombe 1998, Table II (a), method 10: 56/70 less 48/80 lies in [0.0524, 0.3339]."""
    first, second = np.arange(70) < 56, np.arange(80) >= 48  # p1 + 1 - p2 is twice the mean of these
    hits, sizes = np.concatenate([first, second]), np.repeat([1 / 140, 1 / 160], [70, 80])
    (interval,) = intervals([Ratio(hits * sizes, sizes, classes=(first, second))], "digest")
    difference = [2 * interval[end] - 1 for end in ("lower", "upper")]
    assert difference == pytest.approx([0.0524, 0.3339], abs=5e-5)
    assert interval["method"] == "newcombe"
