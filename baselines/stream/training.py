"""A recipe with a stream carried out: epoch after epoch, each with strings of its own, then a validation."""

import time
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np

from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.epochs import listed
from marnn_bench.baselines.ongoing import PARAMETERS, TrainingResult
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.stream.epochs import Floats, Standing, after_epoch
from marnn_bench.baselines.stream.rule import Rule
from marnn_bench.baselines.stream.strings import (
    Streamed,
    selection_strings,
    stream_of,
    training_strings,
    validation_strings,
)
from marnn_bench.task import Task

SECONDS: Final = 0.5
"""That a call of `update` is to take."""

KEPT: Final = "kept/"
RULE: Final = "rule/"
"""The tensors of a state beside PARAMETERS + name and numbers of the runs: KEPT + name, RULE + what the rule says."""


class StreamTraining:
    """Runs that are trained side by side on one stream, some strings at a time: `OngoingTraining`.

    Each run has a learning rate of its own, and ends for itself: where its rate falls below the floor of the schedule,
    or where its loss is no finite number.

    done, total:  strings
    engine:       that computes: reference or compiled
    """

    unit: ClassVar = "strings"

    def __init__(self, rule: Rule, engine: str, task: Task, recipe: Recipe, runs: int) -> None:
        self.engine = engine
        self._rule, self._task, self._recipe, self._stream = rule, task, recipe, stream_of(recipe)
        self.done, self.total = 0, recipe.epochs * self._stream.strings
        self.standing = Standing.at_first(runs, recipe.learning_rate)
        self._sums = np.zeros(runs)
        self._losses, self._validation = np.zeros((2, recipe.epochs, runs))
        self._kept = rule.parameters()
        self._drawn: tuple[int, Streamed] | None = None
        self._at_once = 1

    @property
    def strings_left(self) -> int:
        """How many strings are still to be learned from, over all epochs."""
        return self.total - self.done

    def update(self) -> int:
        """Learn from as many strings as take about SECONDS, of one epoch: how many these were."""
        began, first = time.monotonic(), self.done % self._stream.strings
        count = self.do(
            min(self._rule.strings(first, self._at_once, self._stream), self._stream.strings - first)
        )
        shorter_by = SECONDS / max(time.monotonic() - began, 1e-6)
        self._at_once = max(1, int(self._at_once * min(shorter_by, 8)))
        return count

    def do(self, count: int) -> int:
        """Learn from so many strings of an epoch, and end it if it has no more."""
        epoch, first = divmod(self.done, self._stream.strings)
        places, begin = self._strings(epoch)
        span = range(int(begin[first]), int(begin[first + count]))
        self._rule.learn(places, span, self.standing.rates.tolist(), self._sums)
        self.done += count
        if first + count == self._stream.strings:
            self._end(epoch)
        return count

    def _strings(self, epoch: int) -> Streamed:
        if self._drawn is None or self._drawn[0] != epoch:
            self._drawn = epoch, training_strings(self._task, self._recipe, epoch)
        return self._drawn[1]

    def _end(self, epoch: int) -> None:
        """What follows on an epoch. A run that has ended before keeps its last losses."""
        going, before = self.standing.going, max(epoch - 1, 0)
        asked = int((self._strings(epoch).places.answers >= 0).sum())
        validation = self._rule.losses(validation_strings(self._task, self._recipe, epoch).places)
        self._losses[epoch] = np.where(going, self._sums / asked, self._losses[before])
        self._validation[epoch] = np.where(going, validation, self._validation[before])
        self._sums[:] = 0
        step = after_epoch(
            self.standing, epoch, self._losses[epoch], self._validation[epoch], self._recipe.schedule
        )
        self._kept = merged(self._rule.parameters(), self._kept, step.gained.tolist())
        self._rule.take(self._kept, step.back.tolist())
        self.standing = step.standing
        if not self.standing.going.any():
            self.total = self.done

    @property
    def validation(self) -> Floats:
        """The validation loss of each run after each epoch so far, in nats a symbol: [epoch, run]"""
        return self._validation[: self.done // self._stream.strings].copy()

    def accuracy(self) -> None:
        """None: on a stream strings are not asked about by themselves."""

    def selected(self) -> dict[str, Any]:
        """Of each run the loss in validation, and after which epoch its parameters are kept.

        `best_run` has the least loss, with these, on larger strings than any split has, at the positions that count: in
        validation the runs hardly differ, also where some of them fail on longer strings. The runs take up the parameters that
        are kept.
        """
        self._rule.take(self._kept, [True] * len(self._sums))
        losses = self._rule.losses(selection_strings(self._task, self._recipe).places)
        standing = self.standing
        return {
            "by": "validation loss",
            "epochs": standing.epochs.tolist(),
            "validation loss": listed(standing.best),
            "loss on larger strings": listed(losses),
            "best_run": int(np.where(np.isfinite(losses), losses, np.inf).argmin()),
            "measured": {"validation loss": listed(self.validation.T)},
        }

    def result(self) -> TrainingResult:
        """The best parameters of each run so far, and its mean loss in each epoch that came to its end."""
        losses = self._losses[: self.done // self._stream.strings, None]
        return TrainingResult(self._kept, torch.from_numpy(losses.copy()))

    def state(self) -> dict[str, Tensor]:
        """All that updates change."""
        tensors = {PARAMETERS + name: tensor for name, tensor in self._rule.parameters().tensors.items()}
        tensors |= {KEPT + name: tensor for name, tensor in self._kept.tensors.items()}
        tensors |= {RULE + name: tensor for name, tensor in self._rule.state().items()}
        return tensors | {name: torch.from_numpy(array.copy()) for name, array in self._numbers().items()}

    def _numbers(self) -> dict[str, Floats]:
        """Of the runs, each [run] or [epoch, run]; and how many strings were learned from."""
        return {
            "done": np.array([self.done], np.float64),
            "rates": self.standing.rates,
            "best": self.standing.best,
            "best epochs": self.standing.epochs.astype(np.float64),
            "sums": self._sums,
            "losses": self._losses,
            "validation": self._validation,
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the `state` of a training that was begun with the same arguments."""
        numbers = {name: state[name].numpy().copy() for name in self._numbers()}
        self.done = int(numbers["done"][0])
        self.standing = Standing(numbers["rates"], numbers["best"], numbers["best epochs"].astype(np.int64))
        self._sums, self._losses, self._validation = (
            numbers[name] for name in ("sums", "losses", "validation")
        )
        self._kept = Parameters(part_of(state, KEPT))
        self._rule.take(Parameters(part_of(state, PARAMETERS)), [True] * len(self._sums))
        self._rule.restore(part_of(state, RULE))
        if not self.standing.going.any():
            self.total = self.done


def part_of(state: Mapping[str, Tensor], beginning: str) -> dict[str, Tensor]:
    """The tensors whose names begin so, without that."""
    return {name.removeprefix(beginning): of for name, of in state.items() if name.startswith(beginning)}


def merged(new: Parameters, old: Parameters, runs: list[bool]) -> Parameters:
    """The new parameters of these runs, the old ones of the others."""
    chosen = torch.tensor(runs)

    def of_each(name: str) -> Tensor:
        tensor = new.tensors[name]
        return torch.where(chosen.view(-1, *[1] * (tensor.dim() - 1)), tensor, old.tensors[name])

    return Parameters({name: of_each(name) for name in new.tensors})
