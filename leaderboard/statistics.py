"""Statistics of results: spread over runs, and whether two results on the same strings differ."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb, inf, isfinite, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.scoring.intervals import CONFIDENCE_LEVEL

RESAMPLES: Final = 2_000
PERMUTATIONS, BATCH = 10_000, 1_000
"""So many divisions of the runs are tried, a thousand at a time; all of them, if there are no more."""

SETS: Final = 10_000
"""So many sets of runs are drawn, to see what a paper's number of runs would give."""

TINY: Final = 1e-300
"""Instead of zero, where nothing varies."""

MOST_DEGREES: Final = 1_000
"""Of freedom; beyond, Student's quantile falls by less than 0.2 %."""

Floats = NDArray[np.float64]
Correct = NDArray[np.bool_]
"""Which strings each run has right: [runs, rows]."""

Values = Correct | Floats
"""How right each run's answer to each string is, from 0 to 1: [runs, rows]."""


@dataclass(frozen=True)
class Spread:
    """The four numbers that papers print of an accuracy over runs."""

    min: float
    max: float
    median: float
    mean: float

    @classmethod
    def of(cls, values: Sequence[float] | Floats) -> "Spread":
        """The spread of these values, at least one.

        >>> Spread.of([0.0, 1.0, 0.5, 1.0])
        Spread(min=0.0, max=1.0, median=0.75, mean=0.625)
        """
        array = np.asarray(values, np.float64)
        return cls(float(array.min()), float(array.max()), float(np.median(array)), float(array.mean()))

    def record(self) -> dict[str, float | None]:
        """As plain data; None where it is infinite."""
        return {name: finite(value) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Interval:
    """A number and the interval around it."""

    value: float
    lower: float
    upper: float


def finite(value: float) -> float | None:
    """The value; None if it is infinite, which JSON has no number for."""
    return value if isfinite(value) else None


def mcnemar(only_first: int, only_second: int) -> float:
    """Exact two-sided p of McNemar's test: are the strings that only one of two models has right a fair coin's?

    Twice the smaller tail of Binomial(only_first + only_second, 1/2), at most 1. The first term is a quotient of
    integers, the others follow by their ratios, so it holds for any counts without overflow.

    Bentur et al.'s data in Fagerland, Lydersen & Laake 2013 (Table 1; exact conditional p = 0.0703):

    >>> mcnemar(1, 7)
    0.0703125
    """
    n, fewer = only_first + only_second, min(only_first, only_second)
    if 2 * fewer == n:
        return 1.0
    term = comb(n, fewer) / 2**n
    tail = 0.0
    for k in range(fewer, -1, -1):
        tail += term
        term *= k / (n - k + 1)
    return min(1.0, 2 * tail)


def difference_interval(first: Values, second: Values, bounded: bool = True) -> Interval:
    """Mean of `second` less that of `first`, on the same strings, with its 95 % interval over runs and strings.

    The variance is that of two crossed factors: of the means of runs, plus that of the strings' differences, less what
    both count (Cameron, Gelbach & Miller 2011). Two strings are added, on which either is right and the
    other wrong (Bonett & Price 2012), if values are `bounded` by 0 and 1, so that answers all right or all wrong leave a
    width. Student's t, with Welch's
    degrees of freedom (Welch 1947), for which R runs count as R - 1: means of runs are bounded and often of two kinds,
    and with five of them a sample variance is too small more often than a normal law's.

    Of a single run only the strings vary.
    """
    results, rows = (first, second), first.shape[1]
    differences = second.mean(axis=0) - first.mean(axis=0)  # [rows]
    added = 2 if bounded else 0
    centre = differences.sum() / (rows + added)
    of_strings = ((np.square(differences).sum() + added) / (rows + added) - centre**2) / (rows + added)
    of_runs = [_variance_of_mean(values.mean(axis=1)) for values in results]
    both = min(sum(map(_variance_of_residuals, results)), sum(of_runs), of_strings)
    variance = sum(of_runs) + of_strings - both
    parts = [(of_strings, rows - 1), *zip(of_runs, (len(values) - 2 for values in results), strict=True)]
    degrees = variance**2 / max(sum(part**2 / max(1, count) for part, count in parts), TINY)
    half = student_quantile(degrees) * sqrt(variance)
    most = 1.0 if bounded else inf
    return Interval(
        float(differences.mean()), float(max(-most, centre - half)), float(min(most, centre + half))
    )


def permutation_p(first: Floats, second: Floats, seed: int = 0) -> float:
    """Two-sided p of the permutation test that two sets of runs are of one population, by the difference of their means.

    Exact where all divisions of the runs are tried. Where 10,000 are drawn at random, the one observed counts as one more,
    which keeps the level (Phipson & Smyth 2010). It does not depend on which set comes first.

    Of the C(10, 5) = 252 ways to divide ten runs, two put the five best on one side:

    >>> round(permutation_p(np.arange(5.0), np.arange(5.0) + 5), 4) == round(2 / 252, 4)
    True
    """
    smaller = min((first, second), key=len)
    pooled = np.sort(np.concatenate([first, second]))
    sums = np.fromiter(_sums(pooled, smaller, seed), np.float64)
    deviations = np.abs(sums - pooled.mean() * len(smaller))
    observed = abs(float(smaller.sum() - pooled.mean() * len(smaller)))
    return float(np.mean(deviations >= observed - 1e-9))  # equal sums differ by rounding


def student_quantile(degrees: float) -> float:
    """The 97.5 % quantile of Student's t, for 1 to 1,000 degrees of freedom, which need not be whole.

    With t = sqrt(degrees) tan(angle), the density of the angle is in proportion to cos(angle)^(degrees - 1).

    >>> round(student_quantile(8), 3)
    2.306
    """
    degrees = min(max(1.0, degrees), MOST_DEGREES)
    angles = np.linspace(0, np.pi / 2, 20_001)
    density = np.cos(angles) ** (degrees - 1)
    below = np.concatenate(([0.0], np.cumsum(density[1:] + density[:-1])))
    return float(sqrt(degrees) * np.tan(np.interp(CONFIDENCE_LEVEL, below / below[-1], angles)))


def mean_intervals(values: Floats, seed: int = 0) -> list[Interval]:
    """For each column of [runs, columns], the mean over runs with its 95 % bootstrap interval.

    Of R runs, R - 1 are drawn with replacement, so that the variance is unbiased (Rao & Wu 1988).
    """
    rng = np.random.default_rng(seed)
    runs = len(values)
    drawn = rng.integers(runs, size=(RESAMPLES, max(1, runs - 1)))
    weights = np.stack([np.bincount(draw, minlength=runs) for draw in drawn]) / drawn.shape[1]
    means = weights @ values  # [resamples, columns]
    ends = np.quantile(means, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2], axis=0)
    return [Interval(*cell) for cell in np.stack([values.mean(axis=0), *ends], axis=1).tolist()]


def spread_intervals(values: Floats, size: int, seed: int = 0) -> dict[str, tuple[float, float]]:
    """Between what the four numbers of `Spread` lie, each in 95 % of the sets of `size` runs drawn from these.

    That is what a paper with so many runs would have printed of the same training. Runs are drawn with replacement; ends
    are values that occur.

    Nine runs in ten that solve a task: ten out of ten, or seven, come about.

    >>> spread_intervals(np.array([0.0] + 9 * [1.0]), 10)
    {'min': (0.0, 1.0), 'max': (1.0, 1.0), 'median': (1.0, 1.0), 'mean': (0.7, 1.0)}
    """
    drawn = np.random.default_rng(seed).choice(values, (SETS, size))
    numbers = {name: getattr(np, name)(drawn, axis=1) for name in ("min", "max", "median", "mean")}
    ends = ((1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2)
    return {
        name: (
            float(np.quantile(found, ends[0], method="lower")),
            float(np.quantile(found, ends[1], method="higher")),
        )
        for name, found in numbers.items()
    }


def _variance_of_mean(of_runs: Floats) -> float:
    """The squared standard error of a mean over runs; 0 of a single one."""
    return float(of_runs.var(ddof=1)) / len(of_runs) if len(of_runs) > 1 else 0.0


def _variance_of_residuals(values: Values) -> float:
    """What answers vary by beyond run and string, in a mean over all: the variance of runs holds it, that of strings too."""
    runs, rows = values.shape
    if min(runs, rows) < 2:
        return 0.0
    strings = values.mean(axis=0) - values.mean()  # [rows]
    squares = sum(float(np.square(run - run.mean() - strings).sum()) for run in values)
    return float(squares / ((runs - 1) * (rows - 1)) / (runs * rows))


def _sums(pooled: Floats, smaller: Floats, seed: int) -> Iterator[float]:
    """Sums of as many of the pooled means: of every choice, or of the smaller set and of random choices."""
    if comb(len(pooled), len(smaller)) <= PERMUTATIONS:
        yield from map(sum, combinations(pooled.tolist(), len(smaller)))
        return
    yield float(smaller.sum())
    rng = np.random.default_rng(seed)
    for _ in range(PERMUTATIONS // BATCH):
        yield from rng.permuted(np.tile(pooled, (BATCH, 1)), axis=1)[:, : len(smaller)].sum(axis=1)
