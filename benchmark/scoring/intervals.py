"""Intervals of shares and of ratios, numpy alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

CONFIDENCE_LEVEL: Final = 0.95
QUANTILE: Final = 1.959963984540054
"""Of the normal law, at (1 + CONFIDENCE_LEVEL) / 2."""

RESAMPLES: Final = 1_000

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ratio:
    """A metric as the ratio of two sums over strings (or other units that are drawn): [n], [n].

    A share of strings has weights of one and values of 0 or 1.
    """

    values: Floats
    weights: Floats
    bounded: bool = True
    """Whether it lies between 0 and 1."""

    classes: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None
    """Of a mean of two shares, the hits of each."""

    @classmethod
    def share(cls, hits: NDArray[np.bool_]) -> "Ratio":
        """The share of hits: [n]."""
        return cls(hits.astype(np.float64), np.ones(len(hits)))

    @property
    def value(self) -> float:
        """The ratio; NaN without any weight."""
        weight = float(self.weights.sum())
        return float(self.values.sum()) / weight if weight else float("nan")

    @property
    def is_share(self) -> bool:
        """Whether it counts hits among equals."""
        return bool((self.weights == 1).all() and np.isin(self.values, (0, 1)).all())

    @property
    def effective_n(self) -> float:
        """How many strings of equal weight know as much (Kish 1965)."""
        squares = float((self.weights**2).sum())
        return float(self.weights.sum()) ** 2 / squares if squares else 0.0


def wilson(correct: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval of a proportion (Wilson 1927; Brown, Cai & DasGupta 2001, equation 4).

    >>> [round(end, 4) for end in wilson(98, 100)]
    [0.93, 0.9945]
    """
    share, z2n = correct / n, QUANTILE**2 / n
    centre = share + z2n / 2
    spread = QUANTILE * sqrt(share * (1 - share) / n + z2n / n / 4)
    lower = (centre - spread) / (1 + z2n) if correct else 0.0
    upper = (centre + spread) / (1 + z2n) if correct < n else 1.0
    return lower, upper


def intervals(ratios: Sequence[Ratio], digest: str) -> list[dict[str, Any]]:
    """The 95 % interval of each ratio, and how it was found.

    Shares have Wilson's, means of two shares Newcombe's. For the others strings are resampled, not positions, since the answers about one string go
    wrong together (Efron & Tibshirani 1993, section 8.3). The digest of the data is the seed: equal for all runs and
    models, on every machine. Where all resamples agree, as if nothing could be otherwise, the interval is Wilson's for
    as many strings.
    """
    shares = [ratio.classes is not None or ratio.is_share for ratio in ratios]
    ends = iter(
        _bootstrap([ratio for ratio, is_share in zip(ratios, shares, strict=True) if not is_share], digest)
    )
    return [
        _of_classes(*ratio.classes)
        if ratio.classes
        else _wilson(ratio)
        if is_share
        else _widened(ratio, *next(ends))
        for ratio, is_share in zip(ratios, shares, strict=True)
    ]


def _wilson(ratio: Ratio) -> dict[str, Any]:
    n = len(ratio.values)
    if not n:
        return {"lower": 0.0, "upper": 1.0, "level": CONFIDENCE_LEVEL, "method": "wilson"}
    lower, upper = wilson(float(ratio.values.sum()), n)
    return {"lower": lower, "upper": upper, "level": CONFIDENCE_LEVEL, "method": "wilson"}


def _of_classes(*classes: NDArray[np.bool_]) -> dict[str, Any]:
    """Of the mean of two shares, by the squares of the distances to their Wilson ends (Newcombe 1998, method 10)."""
    known = [hits for hits in classes if len(hits)]
    below = above = 0.0
    for hits in known:
        lower, upper = wilson(float(hits.sum()), len(hits))
        below, above = below + (hits.mean() - lower) ** 2, above + (upper - hits.mean()) ** 2
    mean = float(np.mean([hits.mean() for hits in known])) if known else 0.5
    half = 1 / max(len(known), 1)
    ends = (max(0.0, mean - half * sqrt(below)), min(1.0, mean + half * sqrt(above))) if known else (0.0, 1.0)
    return {"lower": ends[0], "upper": ends[1], "level": CONFIDENCE_LEVEL, "method": "newcombe"}


def _widened(ratio: Ratio, lower: float, upper: float) -> dict[str, Any]:
    method = "bootstrap over strings"
    if ratio.bounded and lower == upper and ratio.effective_n:
        lower, upper = wilson(ratio.value * ratio.effective_n, ratio.effective_n)
        method = "wilson over strings"
    return {"lower": lower, "upper": upper, "level": CONFIDENCE_LEVEL, "method": method}


def _bootstrap(ratios: Sequence[Ratio], digest: str) -> list[list[float]]:
    """The 2.5th and the 97.5th percentile of each ratio, all of the same number of strings in the same resamples."""
    found: dict[int, list[float]] = {}
    finite = [bool(np.isfinite(ratio.values).all()) for ratio in ratios]
    for n in {len(ratio.values) for ratio in ratios}:
        chosen = [i for i, ratio in enumerate(ratios) if len(ratio.values) == n and finite[i]]
        if not chosen:
            continue
        weights = {id(ratios[i].weights): ratios[i].weights for i in chosen}
        place = {key: column for column, key in enumerate(weights)}
        sums = _resampled(np.column_stack([*weights.values(), *(ratios[i].values for i in chosen)]), digest)
        below = sums[:, [place[id(ratios[i].weights)] for i in chosen]]
        each = sums[:, len(weights) :] / np.where(below > 0, below, np.nan)
        quantile = np.nanquantile if np.isnan(each).any() else np.quantile
        ends = quantile(each, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2], axis=0).T
        found.update(zip(chosen, ends.tolist(), strict=True))
    return [found.get(i, [np.nan, np.nan]) for i in range(len(ratios))]


def _resampled(columns: Floats, digest: str) -> Floats:
    """Sums of columns [n, k] over strings drawn with replacement: [RESAMPLES, k]."""
    n = len(columns)
    rng = np.random.default_rng(list(digest.encode()))
    sums = np.empty((RESAMPLES, columns.shape[1]))
    for resample in sums:
        times = np.bincount(rng.integers(n, size=n), minlength=n)  # how often each string is drawn, [n]
        resample[:] = times @ columns
    return sums
