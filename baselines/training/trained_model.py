"""A trained model as the evaluator asks it: what the `model.py` of a train folder offers."""

from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from marnn_bench.asking.protocol import ModelTask
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.noise import PrefixNoise
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.engine.choice import compiled_program
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.engine.streams import CompiledStreams
from marnn_bench.baselines.training.checkpoint import TrainedRun, load_run
from marnn_bench.baselines.training.folder import CHECKPOINT
from marnn_bench.baselines.training.lanes import round_up
from marnn_bench.baselines.training.loop import one_thread
from marnn_bench.errors import UsageError


class Streams(Protocol):
    """Strings that one run is given side by side, symbol by symbol.

    The arithmetic of a stream, and so every bit of its scores, does not depend on how many others there are. Noise is a
    function of run and prefix.
    """

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give each stream a symbol: [n] -> [n, columns]"""


class TrainedModel:
    """`load`, `reset` and `step` of a train folder.

    A model that the compiled engine trained answers by it where it can be compiled, else by torch.
    """

    def __init__(self, folder: Path) -> None:
        self._checkpoint = folder / CHECKPOINT
        self._run: TrainedRun
        self._number: int
        self._cell: Cell | None = None
        self._program: Program | None = None
        self._streams: Streams

    def load(self, task: ModelTask) -> None:
        """Take the parameters of run `task.run`. UsageError if the model was trained on other symbols."""
        self._run, self._number = load_run(self._checkpoint, task.run), task.run
        trained = self._run.record.task
        if (trained.alphabet, trained.columns) != (task.alphabet, task.columns):
            raise UsageError(
                f"This {self._run.record.model} was trained on {trained.name}, whose symbols are not those of "
                f"{task.name}: train it with --task {task.name}."
            )
        if self._run.record.engine == "compiled" and self._run.cell != self._cell:  # all runs have one
            self._cell, self._program = self._run.cell, compiled_program(self._run.cell)

    def reset(self, n: int) -> None:
        """Begin n streams, with a memory of zeros."""
        record, cell, parameters = self._run
        asked = record.seed, self._number, record.temperature, n
        if self._program is None:
            self._streams = ReferenceStreams(cell, parameters, *asked)
        else:
            arrays = {name: tensor.numpy() for name, tensor in parameters.tensors.items()}
            self._streams = CompiledStreams(self._program, arrays, *asked)

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give each stream a symbol: [n] -> [n, columns], the sigmoid outputs."""
        return self._streams.step(ids)


class ReferenceStreams:
    """Streams by torch: each is a run of its own, of one string and with the same parameters."""

    def __init__(
        self, cell: Cell, parameters: Parameters, seed: int, run: int, temperature: float, streams: int
    ) -> None:
        self._cell, lanes = cell, round_up(streams)
        self._ids = torch.zeros(lanes, 1, dtype=torch.int64)
        self._parameters = parameters.each(lambda tensor: tensor.expand(lanes, *tensor.shape[1:]))
        self._state = cell.initial_state(self._parameters, 1)
        self._noise = PrefixNoise(seed, run, streams, cell.noise)
        self._inputs = StepInputs(
            temperature=torch.tensor(temperature, dtype=torch.float64),
            noise=torch.zeros(lanes, 1, cell.noise, dtype=torch.float64) if cell.noise else None,
            clock=0,
            training=False,
        )

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give each stream a symbol: [n] -> [n, columns]"""
        cell, w = self._cell, self._parameters
        n = len(ids)
        self._ids[:n, 0] = torch.from_numpy(ids)
        if self._inputs.noise is not None:
            self._inputs.noise[:n, 0] = torch.from_numpy(self._noise.after(ids))
        with torch.inference_mode(), one_thread():
            self._state, features = cell.step(w, self._state, cell.encode(w, self._ids), self._inputs)
            scores = cell.decode(w, features)
        self._inputs = self._inputs._replace(clock=self._inputs.clock + 1)
        result: NDArray[np.float64] = scores[:n, 0].numpy()
        return result
