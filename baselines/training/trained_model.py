"""A trained model as the evaluator asks it: what the `model.py` of a train folder offers."""

from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from marnn_bench.baselines.cells.controllers import State
from marnn_bench.baselines.cells.parameters import Affine, Parameters
from marnn_bench.baselines.training.checkpoint import TrainedRun, load_run
from marnn_bench.baselines.training.folder import CHECKPOINT
from marnn_bench.baselines.training.lanes import round_up
from marnn_bench.baselines.training.loop import one_thread
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.protocol import ModelTask


class TrainedModel:
    """`load`, `reset` and `step` of a train folder.

    Each stream is a run of its own, of one string and with the same parameters: the arithmetic of a stream, and so
    every bit of its scores, does not depend on how many others there are.
    """

    def __init__(self, folder: Path) -> None:
        self._checkpoint = folder / CHECKPOINT
        self._run: TrainedRun
        self._parameters: Parameters
        self._state: State
        self._ids: Tensor

    def load(self, task: ModelTask) -> None:
        """Take the parameters of run `task.run`. UsageError if the model was trained on other symbols."""
        self._run = load_run(self._checkpoint, task.run)
        trained = self._run.record.task
        if (trained.alphabet, trained.columns) != (task.alphabet, task.columns):
            raise UsageError(
                f"This {self._run.record.model} was trained on {trained.name}, whose symbols are not those of "
                f"{task.name}: train it with --task {task.name}."
            )

    def reset(self, n: int) -> None:
        """Begin n streams, with a memory of zeros."""
        lanes = round_up(n)
        self._ids = torch.zeros(lanes, 1, dtype=torch.int64)
        self._state = self._run.cell.initial_state(lanes, 1)
        self._parameters = {
            name: Affine(affine.weight.expand(lanes, -1, -1), affine.bias.expand(lanes, -1, -1))
            for name, affine in self._run.parameters.items()
        }

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give each stream a symbol: [n] -> [n, columns], the sigmoid outputs."""
        cell, w = self._run.cell, self._parameters
        n = len(ids)
        self._ids[:n, 0] = torch.from_numpy(ids)
        with torch.inference_mode(), one_thread():
            self._state, h = cell.step(w, self._state, cell.encode(w, self._ids))
            scores = cell.decode(w, h)
        result: NDArray[np.float64] = scores[:n, 0].numpy()
        return result
