"""Between which places an entry stands: by the others that are shown to be better, and those shown to be worse."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.scoring.intervals import CONFIDENCE_LEVEL

Floats = NDArray[np.float64]

TINY: Final = 1e-12
"""A difference that rounding makes."""


def rank_intervals(means: Floats, draws: Floats) -> list[tuple[int, int]]:
    """The first and the last place that each entry may have, each with 95 % confidence.

    means:  [entries], more is better
    draws:  the same in each resample: [resamples, entries]

    An entry's differences from all others are judged together, by the largest of them in each resample, measured in
    standard errors (Mogstad, Romano, Shaikh & Wilhelm 2024, section 3): places are right for all of them at once, so that
    many entries do not make chance look like rank.

    >>> noise = np.random.default_rng(0).normal(0, 0.01, (2000, 3))
    >>> means = np.array([0.9, 0.9, 0.5])
    >>> rank_intervals(means, means + noise)
    [(1, 2), (1, 2), (3, 3)]
    """
    return [_interval(place, means, draws) for place in range(len(means))]


def _interval(place: int, means: Floats, draws: Floats) -> tuple[int, int]:
    differences = means - means[place]  # [entries]
    drawn = draws - draws[:, [place]]
    errors = drawn.std(axis=0)
    known = errors > TINY
    largest = np.zeros(len(draws))
    if known.any():
        largest = (np.abs(drawn[:, known] - differences[known]) / errors[known]).max(axis=1)
    margin = np.maximum(float(np.quantile(largest, CONFIDENCE_LEVEL)) * errors, TINY)
    better, worse = int((differences > margin).sum()), int((differences < -margin).sum())
    return 1 + better, len(means) - worse
