"""Trainings by epochs, whatever executes them: updates, then what a recipe does after an epoch, for each run by itself."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.course import Course, Exam, finite_course
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.ongoing import LOSSES_SO_FAR, TrainingResult
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.examples import Examples

Floats = NDArray[np.float64]
Numbers = dict[str, NDArray[Any]]
"""Parameters by name: [run, ...]"""

THRESHOLD: Final = 0.5
"""A score of this or more puts its symbol into the set."""

FACTORS: Final = "epochs/factors"
BEST: Final = "epochs/best"
BEST_EPOCHS: Final = "epochs/best epochs"
MEASURED: Final = "epochs/measured/"
KEPT: Final = "epochs/kept/"
"""The tensors of a state beside those of the engine."""


class Measured(NamedTuple):
    """How some strings are answered, by each run: [run]

    loss:     averaged over the positions that are asked
    right:    the share of these that are right
    strings:  the share of the strings that are right at all of them
    """

    loss: Floats
    right: Floats
    strings: Floats


class EpochTraining(ABC):
    """Runs that are trained side by side, some updates at a time: `OngoingTraining`, of which an engine does the updates.

    done:     updates so far
    total:    updates in all; fewer once every run has ended
    factors:  [run]  what each run's learning rate is multiplied by; 0 for one that has ended
    """

    def __init__(self, recipe: Recipe, strings: Examples | Course, runs: int) -> None:
        self._recipe, self._runs = recipe, runs
        self._course = strings if isinstance(strings, Course) else finite_course(strings, recipe)
        self.done, self.total = 0, recipe.epochs * self._in_epoch
        self.factors = np.ones(runs)
        self._losses = np.zeros((self.total, runs))
        self._best, self._best_epochs = np.full(runs, np.inf), np.zeros(runs, np.int64)
        self._kept: Numbers = {}
        self._measured = {name: np.full((recipe.epochs, runs), np.nan) for name in recipe.measured}

    # -- what an engine does

    @abstractmethod
    def update(self) -> int:
        """Do the next update, or some: how many strings were learned from."""

    @abstractmethod
    def _learn(self, lessons: Lessons, count: int) -> Floats:
        """Do the next updates, of these strings and by the rates of now: their losses, [update, run]"""

    @abstractmethod
    def measure(self, exam: Exam) -> Measured:
        """How the runs as they are now answer these strings."""

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

    @property
    def _in_epoch(self) -> int:
        return -(-self._course.strings // self._recipe.batch)

    @property
    def strings_left(self) -> int:
        """How many strings are still to be learned from, over all epochs."""
        epochs, updates = divmod(self.done, self._in_epoch)
        left = (self._recipe.epochs - epochs) * self._course.strings - updates * self._recipe.batch
        return left if self.done < self.total else 0

    def do(self, count: int) -> None:
        """Do so many updates, or those that are left."""
        last = self.done + count
        while self.done < min(last, self.total):
            epoch, place = divmod(self.done, self._in_epoch)
            some = min(last - self.done, self._in_epoch - place)
            self._losses[self.done : self.done + some] = self._learn(self._course.epoch(epoch), some)
            self.done += some
            if place + some == self._in_epoch:
                self._end(epoch)

    def _end(self, epoch: int) -> None:
        """What follows on an epoch."""
        of_epoch = self._losses[self.done - self._in_epoch : self.done]
        going = self.factors > 0
        for name, values in self._measured.items():
            values[epoch] = np.where(going, self._measure(name, of_epoch), np.nan)
        if self._recipe.selection != "last":
            self._select(epoch, going)
        self.factors[~np.isfinite(of_epoch).all(0)] = 0
        if not self.factors.any():
            self.total = self.done

    def _measure(self, name: str, of_epoch: Floats) -> Floats:
        if name == "training loss":
            return np.asarray(of_epoch.mean(0))
        if name == "validation loss" and self._course.validation:
            return self.measure(self._course.all_columns(self._course.validation)).loss
        if name == "test accuracy" and self._course.exam:
            return self.measure(self._course.exam).right
        raise TypeError(f"no strings were given for the {name}")

    def _select(self, epoch: int, going: NDArray[np.bool_]) -> None:
        """Keep the best parameters; halve the rates of runs that gain nothing, and end those that have waited long."""
        recipe, now = self._recipe, self.numbers()
        values = self._measured[recipe.selection][epoch] * (-1 if recipe.selection == "test accuracy" else 1)
        kept = self._kept or now
        gained = going & (values < self._best)
        self._best[gained], self._best_epochs[gained] = values[gained], epoch + 1
        self._kept = {name: np.where(_like(gained, of), of, kept[name]) for name, of in now.items()}
        if recipe.patience:
            self.factors[going & (epoch + 1 - self._best_epochs >= recipe.patience)] = 0
        if (schedule := recipe.schedule) and epoch >= schedule.patient:
            back = going & ~gained
            self.set_numbers(self._kept, back)
            self.factors[back] /= 2
            self.factors[recipe.learning_rate * self.factors < schedule.floor] = 0

    # -- what comes out

    def result(self) -> TrainingResult:
        """What the updates so far give; the losses of those to come are 0. Of a training with a selection, the best epochs."""
        numbers = self._kept or self.numbers()
        tensors = {name: torch.from_numpy(array.copy()) for name, array in numbers.items()}
        losses = self._losses[: -(-self.total // self._in_epoch) * self._in_epoch]
        by_epoch = losses.reshape(-1, self._in_epoch, self._runs)
        return TrainingResult(Parameters(tensors), torch.from_numpy(by_epoch.copy()))

    def accuracy(self) -> list[float] | None:
        """The share of the strings of the last epoch, the empty one among them, that each run has all right; None where strings
        are not right or wrong. The runs take up the parameters that are kept.
        """
        course = self._course
        if not course.graded:
            return None
        if self._kept:
            self.set_numbers(self._kept, np.ones(self._runs, np.bool_))
        lessons = course.epoch((self.done - 1) // self._in_epoch)
        shares = self.measure(course.all_columns(lessons)).strings
        found: list[float] = ((shares * len(lessons) + course.empty) / (len(lessons) + course.empty)).tolist()
        return found

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
        arrays = {LOSSES_SO_FAR: self._losses[: self.done], FACTORS: self.factors, BEST: self._best}
        arrays |= {BEST_EPOCHS: self._best_epochs.astype(np.float64)}
        arrays |= {MEASURED + name: values for name, values in self._measured.items()}
        arrays |= {KEPT + name: array for name, array in self._kept.items()}
        return self.engine_state() | {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the `state` of a training that was begun with the same arguments."""
        self.restore_engine(state)
        self.done = len(state[LOSSES_SO_FAR])
        self._losses[: self.done] = state[LOSSES_SO_FAR].numpy()
        self.factors[:], self._best[:] = state[FACTORS].numpy(), state[BEST].numpy()
        self._best_epochs[:] = state[BEST_EPOCHS].numpy()
        for name, values in self._measured.items():
            values[:] = state[MEASURED + name].numpy()
        self._kept = {
            name.removeprefix(KEPT): tensor.numpy().copy()
            for name, tensor in state.items()
            if name.startswith(KEPT)
        }
        if not self.factors.any():
            self.total = self.done


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
