"""A baseline that learns a text."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.baseline import Baseline
from marnn_bench.baselines.engines import Engine
from marnn_bench.baselines.stream.choice import rule_of
from marnn_bench.baselines.stream.text import as_stream, text_course, text_recipe
from marnn_bench.baselines.stream.training import StreamTraining

RUN = 0


class TextTraining:
    """One run of a baseline on a text; the parameters of the best epoch in validation are kept.

    symbols:     of the vocabulary, each of which can come next
    parameters:  how many the model has
    """

    def __init__(
        self,
        baseline: Baseline,
        symbols: int,
        learned: NDArray[np.int32],
        validated: NDArray[np.int32],
        epochs: int,
        hidden: int | None = None,
        seed: int = 0,
        engine: Engine = "auto",
        tell: Callable[[str], object] = lambda said: None,
    ) -> None:
        changed: dict[str, Any] = {"hidden": hidden} if hidden else {}
        cell = baseline.build(symbols, symbols, replace(baseline.default_sizes, **changed))
        course = text_course(as_stream(learned), as_stream(validated))
        recipe = text_recipe(baseline.recipe, course, epochs)
        self.parameters, self.symbols = cell.num_parameters, epochs * (len(learned) - 1)
        self._rule, name = rule_of(engine, cell, recipe, [RUN], seed, 1, tell)
        self._training = StreamTraining(self._rule, name, course, recipe, 1)
        self._learned, self._pieces = len(learned) - 1, course.strings

    def finish(self, told: Callable[[int], object]) -> None:
        """Do all epochs; the runs take up the best parameters.

        told:  how many symbols more were learned from
        """
        while self._training.done < self._training.total:
            pieces = self._training.update()
            told(pieces * self._learned // self._pieces)
        self._training.take_up_kept()

    @property
    def epochs(self) -> int:
        """How many were done."""
        return self._training.done // self._pieces

    def loss(self, ids: NDArray[np.int32]) -> float:
        """The mean cross-entropy of the symbols of a text but its first, in nats."""
        return float(self._rule.losses(as_stream(ids).places)[RUN])
