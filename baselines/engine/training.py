"""The compiled engine: a recipe carried out by the program of a cell, block by block of runs, on several threads."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import torch
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.noise import noise_key
from marnn_bench.baselines.cells.parameters import Parameters, initialise
from marnn_bench.baselines.engine.gpu import GpuProgram
from marnn_bench.baselines.engine.program import Block, Program, Strings, updates_of
from marnn_bench.baselines.engines import Precision
from marnn_bench.baselines.ongoing import LOSSES_SO_FAR, OPTIMISER, PARAMETERS, TrainingResult
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.errors import UsageError
from marnn_bench.examples import SetExamples

SECONDS: Final = 0.2
"""That a call of `update` is to take: so often one is told how far it is, and Ctrl-C waits so long."""

AVERAGES: Final = {"average": "exp_avg", "square": "exp_avg_sq"}
"""Adam's words for its averages, of which its state consists."""


class CompiledTraining:
    """The runs of these numbers, trained by the recipe: `OngoingTraining` as the reference's.

    A run depends on the seed and its number: not on the runs beside it, the threads, or how many updates are done at once.

    threads:  how many blocks of runs are computed at once; by default one for each core
    device:   cpu, cuda, or cuda:1 for the second GPU, which computes all blocks at once
    """

    def __init__(
        self,
        cell: Cell,
        recipe: Recipe,
        examples: SetExamples,
        runs: Sequence[int],
        seed: int = 0,
        threads: int | None = None,
        precision: Precision = "float64",
        device: str = "cpu",
    ) -> None:
        self._program = Program(cell, precision) if device == "cpu" else GpuProgram(cell, precision, device)
        self._recipe, self._runs = recipe, len(runs)
        self._strings = training_strings(examples)
        drawn = initialise(cell.shapes, seed, runs).tensors
        parameters = self._program.packed({name: tensor.detach().numpy() for name, tensor in drawn.items()})
        keys, self._evaluation_keys = np.zeros((2, len(parameters), self._program.lanes), np.uint64)
        keys.flat[: len(runs)] = [noise_key("training noise", seed, run) for run in runs]
        self._evaluation_keys.flat[: len(runs)] = [noise_key("evaluation noise", seed, run) for run in runs]
        self._blocks = [
            Block(numbers, self._program.zeros(1)[0], self._program.zeros(1)[0], of_lanes)
            for numbers, of_lanes in zip(parameters, keys, strict=True)
        ]
        self._empty = len(examples) - len(self._strings)
        self.threads = min(threads or os.cpu_count() or 1, len(self._blocks))
        self._at_once = 1
        self.done, self.total = 0, recipe.epochs * self._in_epoch
        self._losses = np.zeros((self.total, len(runs)))

    @property
    def _in_epoch(self) -> int:
        return -(-len(self._strings) // self._recipe.batch)

    @property
    def strings_left(self) -> int:
        """How many strings are still to be learned from, over all epochs."""
        epochs, updates = divmod(self.done, self._in_epoch)
        return (self._recipe.epochs - epochs) * len(self._strings) - updates * self._recipe.batch

    def update(self) -> int:
        """Do as many updates as take about SECONDS: how many strings were learned from."""
        began, left = time.monotonic(), self.strings_left
        self.do(min(self._at_once, self.total - self.done))
        shorter_by = SECONDS / max(time.monotonic() - began, 1e-6)
        self._at_once = max(1, int(self._at_once * min(shorter_by, 8)))
        return left - self.strings_left

    def do(self, count: int) -> None:
        """Do so many updates."""
        updates = updates_of(self._recipe, self.done + 1, count, len(self._strings))
        losses = self._program.train_blocks(self._blocks, self._strings, self._recipe, updates, self.threads)
        self._losses[self.done : self.done + count] = losses[:, : self._runs]
        self.done += count

    def accuracy(self, threshold: float) -> list[float]:
        """For each run the share of the strings, the empty one among them, that it has all right.

        The columns of scores from `threshold` on are its set. Steps are not learned from, and noise is that of
        evaluation, as where a trained model is asked.
        """
        temperature = self._recipe.temperature(self.total)
        pairs = zip(self._blocks, self._evaluation_keys, strict=True)
        asked = [replace(block, keys=keys) for block, keys in pairs]
        counted = self._program.right_blocks(asked, self._strings, temperature, threshold, self.threads)
        counts = counted[: self._runs]
        shares: list[float] = ((counts + self._empty) / (len(self._strings) + self._empty)).tolist()
        return shares

    def result(self) -> TrainingResult:
        """What the updates so far give; the losses of those to come are 0."""
        losses = self._losses.reshape(self._recipe.epochs, -1, self._runs)
        return TrainingResult(Parameters(self._tensors("parameters")), torch.from_numpy(losses.copy()))

    def state(self) -> dict[str, Tensor]:
        """All that updates change."""
        tensors = {LOSSES_SO_FAR: torch.from_numpy(self._losses[: self.done].copy())}
        tensors |= {PARAMETERS + name: tensor for name, tensor in self._tensors("parameters").items()}
        for kind, word in AVERAGES.items():
            tensors |= {f"{OPTIMISER}{word}/{name}": tensor for name, tensor in self._tensors(kind).items()}
        return tensors

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the `state` of a training that was begun with the same arguments."""
        self.done = len(state[LOSSES_SO_FAR])
        self._losses[: self.done] = state[LOSSES_SO_FAR].numpy()
        beginnings = {"parameters": PARAMETERS} | {
            kind: f"{OPTIMISER}{word}/" for kind, word in AVERAGES.items()
        }
        for kind, beginning in beginnings.items():
            tensors = {
                entry.removeprefix(beginning): tensor.numpy()
                for entry, tensor in state.items()
                if entry.startswith(beginning)
            }
            for block, numbers in zip(self._blocks, self._program.packed(tensors), strict=True):
                getattr(block, kind)[:] = numbers

    def _tensors(self, kind: str) -> dict[str, Tensor]:
        """Tensors [run, ...] of parameters or averages."""
        packed = np.stack([getattr(block, kind) for block in self._blocks])
        unpacked = self._program.unpacked(packed, self._runs)
        return {name: torch.from_numpy(array.copy()) for name, array in unpacked.items()}


def training_strings(examples: SetExamples) -> Strings:
    """The strings in their order, without the empty one, which asks nothing."""
    lengths = examples.strings.lengths
    if not lengths.any():
        raise UsageError(f"{examples.task.name} {examples.split} has nothing to learn from; use more rows.")
    offsets = np.concatenate([[0], np.cumsum(lengths[lengths > 0])]).astype(np.int64)
    return Strings(examples.strings.ids.astype(np.int32), examples.answers.astype(np.uint64), offsets)
