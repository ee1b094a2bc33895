"""Scores above trivial answers, averaged over tasks, and what chance would make of them.

A score is (value - trivial) / (perfect - trivial): 1 for what is all right, 0 for the best of the trivial answers, and for
what is worse: below a trivial answer that is nearly perfect, a task would outweigh all others. Chance is resampled (Efron & Tibshirani 1993): runs with replacement, of R runs R - 1 (Rao & Wu 1988); other strings of the same
law, by the interval that each value has for that; and tasks, of several in a group, the same for all entries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.leaderboard.standings.entries import Cell, Entry, Measured
from marnn_bench.leaderboard.statistics import RESAMPLES, Interval
from marnn_bench.scoring.intervals import CONFIDENCE_LEVEL, QUANTILE

Floats = NDArray[np.float64]

DRAWS_KEPT: Final = 8192
"""So many results are resampled once, though they count in several groups: 130 MB."""

GROUPS_KEPT: Final = 64
"""So many groups of tasks are resampled once for all entries: 50 MB."""


@dataclass(frozen=True, eq=False)
class Score:
    """A mean over tasks and runs.

    draws:  the same in each resample: [RESAMPLES]
    """

    mean: float
    draws: Floats

    @property
    def interval(self) -> Interval:
        """With the ends between which 95 % of the resamples lie."""
        ends = np.quantile(self.draws, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2])
        return Interval(self.mean, *ends.tolist())


def normalised(measured: Measured, values: Floats) -> Floats:
    """Values of a metric as scores; all 0 where the trivial answers leave nothing to do.

    >>> half = Measured(np.ones(1), np.ones(1), np.ones(1), {"always no": 0.5})
    >>> normalised(half, np.array([0.4, 0.5, 0.75, 1.0])).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """
    if nothing_to_do(measured):
        return np.zeros_like(values)
    perfect, trivial = _perfect(measured), measured.best_trivial
    return np.maximum((values - trivial) / (perfect - trivial), 0.0)


def nothing_to_do(measured: Measured) -> bool:
    """Whether a trivial answer is perfect."""
    return measured.best_trivial == _perfect(measured)


def _perfect(measured: Measured) -> float:
    return 0.0 if measured.lower_is_better else 1.0


def score_of(entry: Entry, cells: Sequence[Cell], parts: bool = False) -> Score:
    """The score of an entry by its results on the tasks of a group.

    parts:  by positions rather than by the headline
    """
    measured = [cell.parts if parts else cell.whole for cell in cells]
    means = np.array([float(normalised(it, it.values).mean()) for it in measured])
    each = [_draws(it, f"{entry.name}/{cell.task}") for it, cell in zip(measured, cells, strict=True)]
    weights = _task_weights(tuple(cell.task for cell in cells))  # [RESAMPLES, tasks]
    return Score(float(means.mean()), np.einsum("bt,bt->b", weights, np.stack(each, axis=1)))


@lru_cache(maxsize=DRAWS_KEPT)
def _draws(measured: Measured, name: str) -> Floats:
    """The mean score of a cell in each resample of runs and strings: [RESAMPLES].

    The name is the seed, so that what else is on the board changes nothing.
    """
    rng = np.random.default_rng(list(name.encode()))
    weights = _weights(rng, len(measured.values))  # [RESAMPLES, runs]
    scores = [normalised(measured, ends) for ends in (measured.values, measured.lower, measured.upper)]
    value, *ends = (weights @ each for each in scores)
    lower, upper = np.minimum(*ends), np.maximum(*ends)
    # All runs are asked the same strings, so that they have good luck or bad together.
    luck = rng.standard_normal(RESAMPLES)
    return np.asarray(value + luck / QUANTILE * np.where(luck > 0, upper - value, value - lower))


@lru_cache(maxsize=GROUPS_KEPT)
def _task_weights(tasks: tuple[str, ...]) -> Floats:
    """How much each task counts in each resample: [RESAMPLES, tasks]; the same for all entries."""
    return _weights(np.random.default_rng(list("/".join(tasks).encode())), len(tasks))


def _weights(rng: np.random.Generator, count: int) -> Floats:
    if count == 1:
        return np.ones((RESAMPLES, 1))
    return rng.multinomial(count - 1, np.full(count, 1 / count), size=RESAMPLES) / (count - 1)
