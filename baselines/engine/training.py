"""The compiled engine: a recipe carried out by the program of a cell, block by block of runs, on several threads."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.noise import noise_key
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.course import Course, Exam
from marnn_bench.baselines.course_training import THRESHOLD, CourseTraining, Measured
from marnn_bench.baselines.engine.gpu import GpuProgram
from marnn_bench.baselines.engine.program import Block, Program, updates_of
from marnn_bench.baselines.engines import Precision
from marnn_bench.baselines.epochs import Floats, Numbers
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.ongoing import OPTIMISER, PARAMETERS
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.examples import Examples

SECONDS: Final = 0.2
"""That a call of `update` is to take: so often one is told how far it is, and Ctrl-C waits so long."""

AVERAGES: Final = {"average": "exp_avg", "square": "exp_avg_sq"}
"""Adam's words for its averages, of which its state consists."""


class CompiledTraining(CourseTraining):
    """The runs of these numbers, trained by the recipe: `OngoingTraining` as the reference's.

    A run depends on the seed and its number: not on the runs beside it, the threads, or how many updates are done at once.

    threads:  how many blocks of runs are computed at once; by default one for each core
    device:   cpu, cuda, or cuda:1 for the second GPU, which computes all blocks at once
    """

    unit: ClassVar = "updates"

    def __init__(
        self,
        cell: Cell,
        recipe: Recipe,
        strings: Examples | Course,
        runs: Sequence[int],
        seed: int = 0,
        threads: int | None = None,
        precision: Precision = "float64",
        device: str = "cpu",
    ) -> None:
        super().__init__(recipe, strings, len(runs))
        self._program = Program(cell, precision) if device == "cpu" else GpuProgram(cell, precision, device)
        drawn = initialise(cell.shapes, seed, runs).tensors
        parameters = self._program.packed({name: tensor.detach().numpy() for name, tensor in drawn.items()})
        keys, self._evaluation_keys = np.zeros((2, len(parameters), self._program.lanes), np.uint64)
        keys.flat[: len(runs)] = [noise_key("training noise", seed, run) for run in runs]
        self._evaluation_keys.flat[: len(runs)] = [noise_key("evaluation noise", seed, run) for run in runs]
        self._factors = np.ones(keys.shape)
        self._blocks = [
            Block(numbers, self._program.zeros(1)[0], self._program.zeros(1)[0], *of_lanes)
            for numbers, *of_lanes in zip(parameters, keys, self._factors, strict=True)
        ]
        self.threads = min(threads or os.cpu_count() or 1, len(self._blocks))
        self._at_once = 1

    def update(self) -> int:
        """Do as many updates as take about SECONDS: how many strings were learned from."""
        began, left = time.monotonic(), self.strings_left
        self.do(min(self._at_once, self.total - self.done))
        shorter_by = SECONDS / max(time.monotonic() - began, 1e-6)
        self._at_once = max(1, int(self._at_once * min(shorter_by, 8)))
        return left - self.strings_left

    def _learn(self, lessons: Lessons, count: int) -> Floats:
        updates = updates_of(self._recipe, self.done + 1, count, lessons)
        self._factors.flat[: self._runs] = self.epoch_rates
        losses = self._program.train_blocks(self._blocks, lessons, self._recipe, updates, self.threads)
        found: Floats = losses[:, : self._runs]
        return found

    def measure(self, exam: Exam) -> Measured:
        pairs = zip(self._blocks, self._evaluation_keys, strict=True)
        asked = [replace(block, keys=keys) for block, keys in pairs]
        temperature = self._recipe.temperature(self.done)
        counts = self._program.measure_blocks(asked, exam, self._recipe, temperature, THRESHOLD, self.threads)
        loss, right, strings = (of[: self._runs] for of in counts)
        positions = exam.lessons.asked[-1]
        return Measured(loss / positions, right / positions, strings / len(exam.lessons))

    def numbers(self) -> Numbers:
        return self._numbers("parameters")

    def set_numbers(self, numbers: Numbers, runs: NDArray[np.bool_]) -> None:
        now = self.numbers()
        for name, array in now.items():
            array[runs] = numbers[name][runs]
        self._pack("parameters", now)

    def engine_state(self) -> dict[str, Tensor]:
        kinds = {"parameters": PARAMETERS} | {kind: f"{OPTIMISER}{word}/" for kind, word in AVERAGES.items()}
        return {
            beginning + name: torch.from_numpy(array)
            for kind, beginning in kinds.items()
            for name, array in self._numbers(kind).items()
        }

    def restore_engine(self, state: Mapping[str, Tensor]) -> None:
        kinds = {"parameters": PARAMETERS} | {kind: f"{OPTIMISER}{word}/" for kind, word in AVERAGES.items()}
        for kind, beginning in kinds.items():
            self._pack(
                kind,
                {
                    entry.removeprefix(beginning): tensor.numpy()
                    for entry, tensor in state.items()
                    if entry.startswith(beginning)
                },
            )

    def _numbers(self, kind: str) -> Numbers:
        """A copy of parameters or averages: [run, ...]"""
        packed = np.stack([getattr(block, kind) for block in self._blocks])
        return {name: array.copy() for name, array in self._program.unpacked(packed, self._runs).items()}

    def _pack(self, kind: str, numbers: Numbers) -> None:
        """Take these for all runs; what lanes are left over hold zeros."""
        for block, packed in zip(self._blocks, self._program.packed(numbers), strict=True):
            getattr(block, kind)[:] = packed
