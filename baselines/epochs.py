"""Trainings by epochs, whatever executes them, and what a recipe does after an epoch, for each run by itself."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.ongoing import LOSSES_SO_FAR, TrainingResult
from marnn_bench.baselines.orders import rate_of_epoch
from marnn_bench.baselines.recipes import Recipe, Rounding

Floats = NDArray[np.float64]
Numbers = dict[str, NDArray[Any]]
"""Parameters by name: [run, ...]"""

PLACE: Final = "epochs/place"
FACTORS: Final = "epochs/factors"
BEST: Final = "epochs/best"
BEST_EPOCHS: Final = "epochs/best epochs"
MEASURED: Final = "epochs/measured/"
KEPT: Final = "epochs/kept/"
"""The tensors of a state beside those of the engine."""


class EpochTraining(ABC):
    """Runs that are trained side by side, some updates at a time: `OngoingTraining`, of which others say what an epoch is.

    recipe:    what follows on an epoch
    in_epoch:  updates, or what else `done` and `total` count
    losses:    how many are kept of an epoch
    done:      updates so far
    total:     updates in all; fewer once every run has ended
    rounding:  whether what goes on is that of the recipe
    factors:   [run]  what each run's learning rate is multiplied by; 0 for one that has ended
    """

    def __init__(self, recipe: Recipe, runs: int, in_epoch: int, losses: int) -> None:
        self._recipe, self._runs, self._in_epoch = recipe, runs, in_epoch
        self.done, self.total = 0, recipe.most_epochs * in_epoch
        self.rounding = False
        self.factors = np.ones(runs)
        self._losses = np.zeros((recipe.most_epochs, losses, runs))
        self._best, self._best_epochs = np.full(runs, np.inf), np.zeros(runs, np.int64)
        self._kept: Numbers = {}
        self._measured = {name: np.full((recipe.most_epochs, runs), np.nan) for name in recipe.measured}

    @property
    def epoch_rates(self) -> Floats:
        """What each run's learning rate is multiplied by in the epoch at hand: [run]"""
        recipe, epoch = self._recipe, self.done // self._in_epoch
        if recipe.random_rate is None or epoch >= recipe.epochs:
            return self.factors
        return self.factors * rate_of_epoch(recipe.random_rate, recipe.order, epoch, recipe.epochs)

    # -- what others say

    @abstractmethod
    def update(self) -> int:
        """Do the next update, or some: how many strings were learned from."""

    @abstractmethod
    def _go_on(self, epoch: int, first: int, count: int) -> None:
        """Do so many updates of an epoch, by the rates of now, and note their losses."""

    @abstractmethod
    def _measure(self, name: str, epoch: int) -> Floats:
        """What a recipe has measured after an epoch: [run]"""

    @abstractmethod
    def numbers(self) -> Numbers:
        """A copy of the parameters as they are now."""

    @abstractmethod
    def set_numbers(self, numbers: Numbers, runs: NDArray[np.bool_]) -> None:
        """Give these runs those parameters."""

    @abstractmethod
    def engine_state(self) -> dict[str, Tensor]:
        """All that updates change."""

    @abstractmethod
    def restore_engine(self, state: Mapping[str, Tensor]) -> None:
        """Go on from it."""

    # -- epochs

    def do(self, count: int) -> None:
        """Do so many updates, or those that are left."""
        last = self.done + count
        while self.done < min(last, self.total):
            epoch, place = divmod(self.done, self._in_epoch)
            some = min(last - self.done, self._in_epoch - place)
            self._go_on(epoch, place, some)
            self.done += some
            if place + some == self._in_epoch:
                self._end(epoch)

    def _end(self, epoch: int) -> None:
        """What follows on an epoch."""
        going = self.factors > 0
        for name, values in self._measured.items():
            values[epoch] = np.where(going, self._measure(name, epoch), np.nan)
        if self._recipe.selection != "last":
            self._select(epoch, going)
        self.factors[~np.isfinite(self._losses[epoch]).all(0)] = 0
        if self._recipe.rounding:
            self._round(self._recipe.rounding, epoch + 1)
        if not self.factors.any():
            self.total = self.done

    def _select(self, epoch: int, going: NDArray[np.bool_]) -> None:
        """Keep the best parameters; halve the rates of runs that gain nothing, and end those that have waited long."""
        recipe, now = self._recipe, self.numbers()
        values = self._measured[recipe.selection][epoch] * (-1 if recipe.selection == "test accuracy" else 1)
        kept = self._kept or now
        gained = going & (values < self._best)
        self._best[gained], self._best_epochs[gained] = values[gained], epoch + 1
        self._kept = {name: np.where(_like(gained, of), of, kept[name]) for name, of in now.items()}
        if recipe.patience and not self.rounding:
            self.factors[going & (epoch + 1 - self._best_epochs >= recipe.patience)] = 0
        if (schedule := recipe.schedule) and epoch >= schedule.patient and not self.rounding:
            back = going & ~gained
            self.set_numbers(self._kept, back)
            self.factors[back] /= 2
            self.factors[recipe.learning_rate * self.factors < schedule.floor] = 0

    def _round(self, rounding: Rounding, epochs: int) -> None:
        """After so many epochs: begin the rounding once all runs have ended, each from its best parameters, or go on with it."""
        if not self.rounding and (epochs == self._recipe.epochs or not self.factors.any()):
            self.rounding, self.total = True, (epochs + rounding.epochs) * self._in_epoch
            self.factors[:] = rounding.learning_rate / self._recipe.learning_rate
            self.take_up_kept()
        if self.rounding and self.done < self.total:
            of_map = f"{rounding.of}."
            grown = {
                name: array * rounding.factor if name.startswith(of_map) else array
                for name, array in self.numbers().items()
            }
            self.set_numbers(grown, self.factors > 0)

    def take_up_kept(self) -> None:
        """Give every run the parameters that are kept, if there are any."""
        if self._kept:
            self.set_numbers(self._kept, np.ones(self._runs, np.bool_))

    # -- what comes out

    def result(self) -> TrainingResult:
        """What the updates so far give; the losses of those to come are 0. Of a training with a selection, the best epochs."""
        losses = self._losses[: -(-self.total // self._in_epoch)]
        return TrainingResult(as_parameters(self._kept or self.numbers()), torch.from_numpy(losses.copy()))

    def selected(self) -> dict[str, Any] | None:
        """Of each run, what was measured after each epoch, and which epoch is kept, counted from 1 (0: none was better than no
        number); `best_run` is the one that the selection prefers. Beside a selection on the test splits stands what
        validation would have selected. None without a selection.
        """
        by = self._recipe.selection
        if by == "last":
            return None
        epochs = self.done // self._in_epoch
        measured = {name: values[:epochs] for name, values in self._measured.items()}
        chosen = {
            "by": by,
            **_chosen(measured, by),
            "measured": {name: listed(of.T) for name, of in measured.items()},
        }
        if by == "test accuracy":
            chosen["by_validation"] = _chosen(measured, "validation loss")
        return chosen

    def state(self) -> dict[str, Tensor]:
        """All that a training changes."""
        begun = -(-self.done // self._in_epoch)
        arrays = {
            PLACE: np.array([self.done, self.total, self.rounding]),
            LOSSES_SO_FAR: self._losses[:begun],
        }
        arrays |= {FACTORS: self.factors, BEST: self._best, BEST_EPOCHS: self._best_epochs}
        arrays |= {MEASURED + name: values for name, values in self._measured.items()}
        arrays |= {KEPT + name: array for name, array in self._kept.items()}
        return self.engine_state() | {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the `state` of a training that was begun with the same arguments."""
        self.restore_engine(state)
        self.done, self.total, self.rounding = state[PLACE].tolist()
        self._losses[: len(state[LOSSES_SO_FAR])] = state[LOSSES_SO_FAR].numpy()
        self.factors[:], self._best[:] = state[FACTORS].numpy(), state[BEST].numpy()
        self._best_epochs[:] = state[BEST_EPOCHS].numpy()
        for name, values in self._measured.items():
            values[:] = state[MEASURED + name].numpy()
        self._kept = {name: tensor.numpy().copy() for name, tensor in part_of(state, KEPT).items()}


def part_of(state: Mapping[str, Tensor], beginning: str) -> dict[str, Tensor]:
    """The tensors whose names begin so, without that."""
    return {name.removeprefix(beginning): of for name, of in state.items() if name.startswith(beginning)}


def as_parameters(numbers: Mapping[str, NDArray[Any]]) -> Parameters:
    """A copy of numbers as parameters."""
    return Parameters({name: torch.from_numpy(array.copy()) for name, array in numbers.items()})


def _chosen(measured: Mapping[str, Floats], by: str) -> dict[str, Any]:
    """The best epoch of each run, what was measured after it, and the best run: measured are [epoch, run]."""
    values = measured[by] * (-1 if by == "test accuracy" else 1)
    values = np.where(np.isfinite(values), values, np.inf)
    best, found = values.argmin(0), np.isfinite(values).any(0)
    of_runs = {
        name: listed(np.where(found, of[best, np.arange(len(best))], np.nan)) for name, of in measured.items()
    }
    return {
        "epochs": np.where(found, best + 1, 0).tolist(),
        **of_runs,
        "best_run": int(values.min(0).argmin()),
    }


def listed(values: Floats) -> list[Any]:
    """As lists, with None for what is no number."""
    if values.ndim > 1:
        return [listed(row) for row in values]
    return [value if np.isfinite(value) else None for value in values.tolist()]


def _like(runs: NDArray[np.bool_], array: NDArray[Any]) -> NDArray[np.bool_]:
    """[run] beside an array [run, ...]"""
    return runs.reshape(-1, *[1] * (array.ndim - 1))
