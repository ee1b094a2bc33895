"""A recipe with a stream carried out: epoch after epoch, each with strings of its own, then a validation."""

import time
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.lazy import Tensor
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.epochs import EpochTraining, Floats, Numbers, as_parameters, listed, part_of
from marnn_bench.baselines.ongoing import PARAMETERS
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.stream.rule import Rule
from marnn_bench.baselines.stream.strings import StreamCourse, Streamed, stream_of

SECONDS: Final = 0.5
"""That a call of `update` is to take."""

RULE: Final = "rule/"
"""The tensors of a state beside those of all trainings: RULE + what the rule says."""


class StreamTraining(EpochTraining):
    """Runs that are trained side by side on one stream, some strings at a time: `done` and `total` count these.

    An epoch has one loss, the mean of all that is learned from. A run that has ended keeps its last one.

    engine:  that computes: reference or compiled
    """

    unit: ClassVar = "strings"

    def __init__(self, rule: Rule, engine: str, course: StreamCourse, recipe: Recipe, runs: int) -> None:
        self.engine = engine
        self._rule, self._course, self._stream = rule, course, stream_of(recipe)
        super().__init__(recipe, runs, course.strings, losses=1)
        self._drawn: tuple[int, Streamed] | None = None
        self._at_once = 1

    @property
    def strings_left(self) -> int:
        """How many strings are still to be learned from, over all epochs."""
        return self.total - self.done

    def update(self) -> int:
        """Learn from as many strings as take about SECONDS, of one epoch: how many these were."""
        began, first = time.monotonic(), self.done % self._in_epoch
        count = min(self._rule.strings(first, self._at_once, self._stream), self._in_epoch - first)
        self.do(count)
        shorter_by = SECONDS / max(time.monotonic() - began, 1e-6)
        self._at_once = max(1, int(self._at_once * min(shorter_by, 8)))
        return count

    def _go_on(self, epoch: int, first: int, count: int) -> None:
        """Until an epoch ends its loss is a sum."""
        places, begin = self._strings(epoch)
        span = range(int(begin[first]), int(begin[first + count]))
        rates = self._recipe.learning_rate * self.factors
        self._rule.learn(places, span, rates.tolist(), self._losses[epoch, 0])

    def _strings(self, epoch: int) -> Streamed:
        if self._drawn is None or self._drawn[0] != epoch:
            self._drawn = epoch, self._course.epoch(epoch)
        return self._drawn[1]

    def _end(self, epoch: int) -> None:
        asked = int((self._strings(epoch).places.answers >= 0).sum())
        mean, before = self._losses[epoch, 0] / asked, self._losses[max(epoch - 1, 0), 0]
        self._losses[epoch, 0] = np.where(self.factors > 0, mean, before)
        super()._end(epoch)

    def _measure(self, name: str, epoch: int) -> Floats:
        return self._rule.losses(self._course.validation(epoch).places)

    def accuracy(self) -> None:
        """None: on a stream strings are not asked about by themselves."""

    def selected(self) -> dict[str, Any] | None:
        """As of all trainings, but where there is something to select by `best_run` has the least loss, with the parameters that are kept, on larger strings than any
        split has, at the positions that count: in validation the runs hardly differ, also where some of them fail on longer
        strings. The runs take up the parameters that are kept.
        """
        chosen = super().selected()
        if chosen is None or self._course.selection is None:
            return chosen
        self.take_up_kept()
        losses = self._rule.losses(self._course.selection().places)
        best = int(np.where(np.isfinite(losses), losses, np.inf).argmin())
        return {**chosen, "loss on larger strings": listed(losses), "best_run": best}

    def numbers(self) -> Numbers:
        tensors = self._rule.parameters().tensors.items()
        return {name: tensor.numpy() for name, tensor in tensors}

    def set_numbers(self, numbers: Numbers, runs: NDArray[np.bool_]) -> None:
        self._rule.take(as_parameters(numbers), runs.tolist())

    def engine_state(self) -> dict[str, Tensor]:
        tensors = {PARAMETERS + name: tensor for name, tensor in self._rule.parameters().tensors.items()}
        return tensors | {RULE + name: tensor for name, tensor in self._rule.state().items()}

    def restore_engine(self, state: Mapping[str, Tensor]) -> None:
        self._rule.take(Parameters(part_of(state, PARAMETERS)), [True] * self._runs)
        self._rule.restore(part_of(state, RULE))
