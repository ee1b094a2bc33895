"""The program for a GPU on a CPU: its kernels called for one thread after another."""

import ctypes
from collections.abc import Callable

import numpy as np

from helpers.c_programs import address
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.course import Exam
from marnn_bench.baselines.engine.build import compile_library
from marnn_bench.baselines.engine.codegen.source import THREADS, source_for_gpu
from marnn_bench.baselines.engine.gpu import ThreadedProgram
from marnn_bench.baselines.engine.program import LOSSES, Block, Counts, addresses, aligned, recipe_numbers
from marnn_bench.baselines.engines import Precision
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.recipes import Recipe

CUDA = """
#define __global__
static struct index { unsigned x; } blockIdx, threadIdx;
void marnn_be(unsigned block, unsigned thread) { blockIdx.x = block, threadIdx.x = thread; }
"""


class ThreadsOnCpu(ThreadedProgram):
    """The program of a GPU, carried out here."""

    def __init__(self, cell: Cell, precision: Precision = "float64") -> None:
        self._library = compile_library(CUDA + source_for_gpu(cell, precision))
        super().__init__(cell, precision, THREADS, self._sizes(1)[0])

    def _sizes(self, longest: int) -> list[int]:
        sizes = np.zeros(2, np.int64)
        self._library.marnn_sizes(ctypes.c_long(longest), address(sizes))
        return sizes.tolist()

    def train(
        self, runs: Block, lessons: Lessons, recipe: Recipe, updates: np.ndarray, losses: np.ndarray
    ) -> None:
        arrays = [runs.parameters, runs.average, runs.square, losses, runs.keys, runs.factors]
        loss, optimiser, *numbers = recipe_numbers(recipe)
        self._launch(
            self._library.marnn_train_threads,
            len(runs.parameters),
            *map(address, arrays),
            *map(ctypes.c_void_p, addresses(lessons)),
            loss,
            optimiser,
            *map(ctypes.c_double, numbers),
            address(updates),
            ctypes.c_longlong(len(updates)),
            ctypes.c_long(lessons.longest),
            address(self._space(len(runs.parameters), lessons.longest)),
        )

    def measure(
        self, runs: Block, exam: Exam, recipe: Recipe, temperature: float, threshold: float, found: Counts
    ) -> None:
        lessons = exam.lessons
        self._launch(
            self._library.marnn_measure_threads,
            len(runs.parameters),
            *map(address, [runs.parameters, runs.keys]),
            *map(ctypes.c_void_p, addresses(lessons)),
            LOSSES.index(recipe.loss),
            *map(ctypes.c_double, (temperature, threshold)),
            address(exam.columns),
            ctypes.c_longlong(len(lessons)),
            ctypes.c_long(lessons.longest),
            address(self._space(len(runs.parameters), lessons.longest)),
            *map(address, found),
        )

    def _launch(self, kernel: Callable[..., object], blocks: int, *arguments: object) -> None:
        for block in range(blocks):
            for thread in range(THREADS):
                self._library.marnn_be(block, thread)
                kernel(*arguments)

    def _space(self, blocks: int, longest: int) -> np.ndarray:
        self._kept = aligned(blocks * self._sizes(longest)[1], self._type)  # for as long as the kernels run
        return self._kept
