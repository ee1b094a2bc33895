"""What follows on an epoch, for each run by itself: its validation, its rate, the parameters that are kept."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.recipes import Halving

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Standing:
    """Where the runs stand: [run]

    rates:   learning rates, 0 for a run that has ended
    best:    the least validation loss so far
    epochs:  after how many epochs it was that; 0 before the first
    """

    rates: Floats
    best: Floats
    epochs: NDArray[np.int64]

    @classmethod
    def at_first(cls, runs: int, rate: float) -> "Standing":
        """Before the first epoch."""
        return cls(np.full(runs, rate), np.full(runs, np.inf), np.zeros(runs, np.int64))

    @property
    def going(self) -> Flags:
        """Which runs go on."""
        return self.rates > 0


class Step(NamedTuple):
    """What follows on an epoch.

    gained:  whose parameters are the best so far, and are to be kept
    back:    which take up the best parameters again
    """

    standing: Standing
    gained: Flags
    back: Flags


def after_epoch(
    standing: Standing, epoch: int, losses: Floats, validation: Floats, schedule: Halving | None
) -> Step:
    """What follows on an epoch, counted from 0, with these losses in training and in validation.

    A run whose loss is no finite number ends. The others are halved as `Halving` says.

    >>> two = Standing(np.array([0.1, 0.1]), np.array([0.5, 0.5]), np.array([1, 1]))
    >>> step = after_epoch(two, 1, np.ones(2), np.array([0.4, 0.6]), Halving(patient=1, floor=1e-5))
    >>> step.standing.rates, step.gained, step.back
    (array([0.1 , 0.05]), array([ True, False]), array([False,  True]))
    """
    lost = standing.going & ~np.isfinite(losses)
    gained = standing.going & ~lost & (validation < standing.best)
    best, epochs = np.where(gained, validation, standing.best), np.where(gained, epoch + 1, standing.epochs)
    rates = np.where(lost, 0.0, standing.rates)
    back = np.zeros(len(rates), np.bool_)
    if schedule and epoch >= schedule.patient:
        back = (rates > 0) & ~gained
        rates = np.where(back, rates / 2, rates)
        rates[rates < schedule.floor] = 0.0
    return Step(replace(standing, rates=rates, best=best, epochs=epochs), gained, back)
