"""How the answers of two models to the same strings differ, and whether that could be chance."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from marnn_bench.leaderboard.statistics import (
    Correct,
    Interval,
    Values,
    difference_interval,
    mcnemar,
    permutation_p,
)

ALPHA: Final = 0.05
"""The level of the tests."""

FEWEST_RUNS: Final = 5
"""Of each model, for a verdict on their trainings."""


@dataclass(frozen=True)
class McNemar:
    """How many strings only one of two runs has right, and the p of McNemar's exact test."""

    only_a: int
    only_b: int
    p: float

    @classmethod
    def of(cls, a: Correct, b: Correct) -> "McNemar":
        """The test of two runs: [rows] each."""
        only_a, only_b = int(np.sum(a & ~b)), int(np.sum(b & ~a))
        return cls(only_a, only_b, mcnemar(only_a, only_b))


@dataclass(frozen=True)
class Difference:
    """The mean of B's values less that of A's.

    interval:       over runs and strings; None of too few runs for a verdict
    mcnemar:        of two single runs, whose answers are right or wrong
    permutation_p:  of several runs, that their trainings are of one population

    Single runs differ by McNemar's test, or by the interval where answers may be right in part. Trainings differ if the
    interval leaves out zero and the permutation test agrees, each of which errs where the other does not: the interval
    where most runs solve the task, some fail and five stand against a hundred; the test where runs hardly vary and one
    string tells all of A from all of B, or where runs of equal means vary unequally.
    """

    value: float
    interval: Interval | None = None
    mcnemar: McNemar | None = None
    permutation_p: float | None = None

    @classmethod
    def between(cls, a: Values, b: Values, bounded: bool = True) -> "Difference":
        """The difference of two models' values, [runs, rows] each; the strings are the same, in one order.

        bounded:  whether values lie between 0 and 1

        >>> Difference.between(np.ones((1, 9), bool), np.zeros((1, 9), bool)).shown
        True
        """
        means = a.mean(axis=1), b.mean(axis=1)  # [runs] each
        value = float(means[1].mean() - means[0].mean())
        if len(a) == len(b) == 1:
            binary = a.dtype == b.dtype == bool
            return cls(value, difference_interval(a, b, bounded), McNemar.of(a[0], b[0]) if binary else None)
        if min(len(a), len(b)) < FEWEST_RUNS:
            return cls(value)
        return cls(value, difference_interval(a, b, bounded), permutation_p=permutation_p(*means))

    @property
    def decided(self) -> bool:
        """Whether there are runs enough for a verdict."""
        return self.interval is not None

    @property
    def p(self) -> float | None:
        """Of the test that was made, if one was."""
        return self.mcnemar.p if self.mcnemar else self.permutation_p

    @property
    def excludes_zero(self) -> bool:
        """Whether there is an interval and it leaves out zero."""
        return self.interval is not None and not self.interval.lower <= 0 <= self.interval.upper

    @property
    def shown(self) -> bool:
        """Whether it is significant."""
        if self.mcnemar:
            return self.mcnemar.p < ALPHA
        return self.excludes_zero and (self.p is None or self.p < ALPHA)
