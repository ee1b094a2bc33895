"""A trained model as the evaluator asks it: what the `model.py` of a train folder offers."""

from functools import cached_property
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
from marnn_bench.baselines.joint import InputIds, prefix_symbols
from marnn_bench.baselines.training.checkpoint import Checkpoint, TrainedRun, load_checkpoint
from marnn_bench.baselines.training.folder import CHECKPOINT
from marnn_bench.baselines.training.lanes import round_up
from marnn_bench.baselines.training.loop import one_thread
from marnn_bench.errors import UsageError


class Streams(Protocol):
    """Strings that one run is given side by side, from the empty prefix on, symbol by symbol.

    The arithmetic of a stream, and so every bit of its scores, does not depend on how many others there are. Noise is a
    function of run and prefix.
    """

    def begin(self, n: int) -> None:
        """Begin n streams."""

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give each stream a symbol: [n] -> [n, columns]"""


class TrainedModel:
    """The runs of a train folder. Its checkpoint is read once, when the first of them is asked for.

    A model that the compiled engine trained answers by it where it can be compiled, else by torch.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / CHECKPOINT
        self._loaded: LoadedRun

    def load(self, task: ModelTask) -> "LoadedRun":
        """Run `task.run`. UsageError if there is none, or the model was trained on other symbols, or by another view."""
        record = self._checkpoint.record
        view, alphabet, columns = record.task.view, record.task.alphabet, record.task.columns
        learned = view, prefix_symbols(view, alphabet, columns), columns
        if learned != (task.view, task.alphabet, task.columns):
            raise UsageError(
                f"This {record.model} was trained on {record.task.name}, whose view or symbols are not those of "
                f"{task.name}: train it with --task {task.name}."
            )
        self._loaded = LoadedRun(self._checkpoint.run(task.run), task.run, self._program)
        return self._loaded

    def reset(self, n: int) -> NDArray[np.float64] | None:
        """`reset` of the run that was loaded last, which model files of earlier versions offer."""
        return self._loaded.reset(n)

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """`step` of the run that was loaded last."""
        return self._loaded.step(ids)

    @cached_property
    def _checkpoint(self) -> Checkpoint:
        return load_checkpoint(self._path)

    @cached_property
    def _program(self) -> Program | None:
        checkpoint = self._checkpoint
        return compiled_program(checkpoint.cell) if checkpoint.record.engine == "compiled" else None


class LoadedRun:
    """One run of a model: `reset` and `step`."""

    def __init__(self, run: TrainedRun, number: int, program: Program | None) -> None:
        record, cell, parameters = run
        asked = record.seed, number, record.temperature
        self._inputs = InputIds(record.task.view, record.task.alphabet, record.task.columns)
        self._streams: Streams
        if program is None:
            self._streams = ReferenceStreams(cell, parameters, *asked)
        else:
            arrays = {name: tensor.numpy() for name, tensor in parameters.tensors.items()}
            self._streams = CompiledStreams(program, arrays, *asked)

    def reset(self, n: int) -> NDArray[np.float64] | None:
        """Begin n streams: where they begin with START, the scores after it, [n, columns]."""
        self._streams.begin(n)
        start = self._inputs.begin(n)
        return self._streams.step(start) if self._inputs.has_start else None

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give each stream a symbol: [n] -> [n, columns]"""
        return self._streams.step(self._inputs.of(ids))


class ReferenceStreams:
    """Streams by torch: each is a run of its own, of one string and with the same parameters."""

    def __init__(self, cell: Cell, parameters: Parameters, seed: int, run: int, temperature: float) -> None:
        self._cell, self._of_run = cell, parameters
        self._seed, self._number, self._temperature = seed, run, temperature

    def begin(self, n: int) -> None:
        """Begin n streams."""
        cell, lanes = self._cell, round_up(n)
        self._ids = torch.zeros(lanes, 1, dtype=torch.int64)
        self._parameters = self._of_run.each(lambda tensor: tensor.expand(lanes, *tensor.shape[1:]))
        self._state = cell.initial_state(self._parameters, 1)
        self._noise = PrefixNoise(self._seed, self._number, n, cell.noise)
        self._inputs = StepInputs(
            temperature=torch.tensor(self._temperature, dtype=torch.float64),
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
