"""The program of a cell on a GPU: compiled by NVRTC, a thread for each run, any number of updates in one launch.

This has never run on a GPU. Tested is that the text compiles for one, which needs none, and that on a CPU, one thread
after another, it gives the bits of the CPU's program; how it is launched here is not, where there is no GPU.
"""

import io
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.course import Exam
from marnn_bench.baselines.engine.codegen.source import THREADS, source_for_gpu
from marnn_bench.baselines.engine.compilers import CompilerError
from marnn_bench.baselines.engine.program import LOSSES, Array, Block, Counts, Packing, recipe_numbers
from marnn_bench.baselines.engines import Precision
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.recipes import Recipe

# -- machine code

H200: Final = "sm_90"

OPTIONS: Final[Mapping[str, Any]] = {
    "std": "c++17",
    "fma": False,  # as -ffp-contract=off
    "device_as_default_execution_space": True,
    "ptxas_options": "-v",
}

SAID: Final = re.compile(
    r"entry function '(?P<name>\w+)'.*?(?P<spilled>\d+) bytes spill stores.*?Used (?P<registers>\d+) registers",
    re.DOTALL,
)
"""What ptxas says of a kernel, asked by -v."""


@dataclass(frozen=True)
class Kernel:
    """What a thread of a kernel takes.

    registers:  of 32 bits, 255 at most
    spilled:    bytes that are stored elsewhere since there are no more of them
    """

    registers: int
    spilled: int


@dataclass(frozen=True)
class DeviceCode:
    """Machine code of a GPU, and the kernels in it by name."""

    cubin: bytes
    kernels: Mapping[str, Kernel]


def cuda_core() -> ModuleType:
    """The package cuda.core. CompilerError if the extra `gpu` is not installed."""
    try:
        return import_module("cuda.core")
    except ImportError as error:
        raise CompilerError("There is no CUDA here: pip install 'marnn-bench[gpu]'.") from error


def compile_for_gpu(source: str, architecture: str = H200) -> DeviceCode:
    """The machine code of this C text, whose functions are the GPU's. CompilerError if it does not compile."""
    core, said = cuda_core(), io.StringIO()
    options = core.ProgramOptions(arch=architecture, **OPTIONS)
    try:
        code = core.Program(source, "c++", options).compile("cubin", logs=said)
    except Exception as error:  # those of cuda.core have no public base
        lines = str(error).splitlines()
        first = next((line for line in lines if "error:" in line), lines[0])
        raise CompilerError(
            f"NVRTC does not compile this for {architecture}: {first}", details=str(error)
        ) from error
    found = {kernel["name"]: kernel for kernel in SAID.finditer(said.getvalue())}
    kernels = {
        name: Kernel(int(kernel["registers"]), int(kernel["spilled"])) for name, kernel in found.items()
    }
    return DeviceCode(bytes(code.code), kernels)


# -- programs


class ThreadedProgram(Packing, ABC):
    """The compiled program of a cell, wherever its threads are carried out."""

    @abstractmethod
    def train(
        self, runs: Block, lessons: Lessons, recipe: Recipe, updates: Array, losses: NDArray[np.float64]
    ) -> None:
        """Do these updates of all blocks, [block, number, thread] each; losses [block, update, thread] are filled."""

    @abstractmethod
    def measure(
        self, runs: Block, exam: Exam, recipe: Recipe, temperature: float, threshold: float, found: Counts
    ) -> None:
        """How each run answers, by the keys of evaluation: `found`, [block, thread], is filled."""

    def train_blocks(
        self, blocks: Sequence[Block], lessons: Lessons, recipe: Recipe, updates: Array, threads: int = 1
    ) -> Array:
        """Do these updates of blocks, all at once: their losses, [update, lane of all blocks].

        threads:  of the CPU, which has nothing to do
        """
        together = joined(blocks)
        losses = np.zeros((len(blocks), len(updates), self.lanes))
        self.train(together, lessons, recipe, updates, losses)
        for number, block in enumerate(blocks):
            for array, computed in zip(arrays_of(block), arrays_of(together), strict=True):
                array[:] = computed[number]
        return np.moveaxis(losses, 0, 1).reshape(len(updates), -1)

    def measure_blocks(
        self,
        blocks: Sequence[Block],
        exam: Exam,
        recipe: Recipe,
        temperature: float,
        threshold: float,
        threads: int = 1,
    ) -> Counts:
        """How each run of all blocks answers, [lane of all blocks]; `threads` as in `train_blocks`."""
        found = Counts.zeros((len(blocks), self.lanes))
        self.measure(joined(blocks), exam, recipe, temperature, threshold, found)
        return Counts(found.loss.ravel(), found.right.ravel(), found.strings.ravel())


def joined(blocks: Sequence[Block]) -> Block:
    """All blocks as one: [block, number, lane]."""
    return Block(*(np.stack(arrays) for arrays in zip(*map(arrays_of, blocks), strict=True)))


def arrays_of(block: Block) -> tuple[Array, ...]:
    """Parameters, averages, squares, keys, factors."""
    return block.parameters, block.average, block.square, block.keys, block.factors


class GpuProgram(ThreadedProgram):
    """The compiled program of a cell, on this device: cuda, or cuda:1 for the second GPU. CompilerError if it is not there."""

    def __init__(self, cell: Cell, precision: Precision = "float64", device: str = "cuda") -> None:
        self._core = cuda_core()
        try:
            self._device = self._core.Device(int(device.partition(":")[2] or 0))
            self._device.set_current()
        except Exception as error:  # those of cuda.core have no public base
            raise CompilerError(
                f"There is no {device} here. Take --device cpu.", details=str(error)
            ) from error
        self._stream = self._device.create_stream()
        major, minor = self._device.compute_capability
        code = compile_for_gpu(source_for_gpu(cell, precision), f"sm_{major}{minor}")
        self._code = self._core.ObjectCode.from_cubin(code.cubin)
        super().__init__(cell, precision, THREADS, self._sizes(1)[0])

    def train(
        self, runs: Block, lessons: Lessons, recipe: Recipe, updates: Array, losses: NDArray[np.float64]
    ) -> None:
        blocks = len(runs.parameters)
        changed = [runs.parameters, runs.average, runs.square, losses]
        arrays = [self._copied(array) for array in [*changed, runs.keys, runs.factors]]
        loss, optimiser, *numbers = recipe_numbers(recipe)
        self._launch(
            "marnn_train_threads",
            blocks,
            THREADS,
            *arrays,
            *self._lessons(lessons),
            *map(np.int32, (loss, optimiser)),
            *map(np.float64, numbers),
            self._copied(updates),
            *map(np.int64, (len(updates), lessons.longest)),
            self._space(blocks, lessons.longest),
        )
        for there, array in zip(arrays, changed, strict=False):
            self._copy_back(there, array)

    def measure(
        self, runs: Block, exam: Exam, recipe: Recipe, temperature: float, threshold: float, found: Counts
    ) -> None:
        blocks, lessons = len(runs.parameters), exam.lessons
        there = [self._copied(array) for array in found]
        self._launch(
            "marnn_measure_threads",
            blocks,
            THREADS,
            *map(self._copied, (runs.parameters, runs.keys)),
            *self._lessons(lessons),
            np.int32(LOSSES.index(recipe.loss)),
            *map(np.float64, (temperature, threshold)),
            self._copied(exam.columns),
            *map(np.int64, (len(lessons), lessons.longest)),
            self._space(blocks, lessons.longest),
            *there,
        )
        for computed, array in zip(there, found, strict=True):
            self._copy_back(computed, array)

    def _lessons(self, lessons: Lessons) -> list[Any]:
        """Ids, sets, choices, offsets: of sets and choices one is 0."""
        answers, nothing = self._copied(lessons.answers), np.uint64(0)
        by_kind = [answers, nothing] if lessons.are_sets else [nothing, answers]
        return [self._copied(lessons.ids), *by_kind, self._copied(lessons.offsets)]

    def _space(self, blocks: int, longest: int) -> Any:
        """What so many blocks work in, on strings up to this length."""
        return self._allocated(blocks * self._sizes(longest)[1] * self._type.itemsize)

    def _sizes(self, longest: int) -> list[int]:
        """How many numbers the parameters of a block take, and the work on strings up to this length."""
        sizes = np.zeros(2, np.int64)
        there = self._copied(sizes)
        self._launch("marnn_sizes", 1, 1, np.int64(longest), there)
        self._copy_back(there, sizes)
        return sizes.tolist()

    def _launch(self, name: str, blocks: int, threads: int, *arguments: Any) -> None:
        layout = self._core.LaunchConfig(grid=blocks, block=threads)
        self._core.launch(self._stream, layout, self._code.get_kernel(name), *arguments)

    def _allocated(self, size: int) -> Any:
        """So many bytes of the GPU's memory. CompilerError if it has no more so many."""
        try:
            return self._device.allocate(size, stream=self._stream)
        except Exception as error:
            raise CompilerError(
                f"The GPU has no {size / 2**30:.1f} GiB left for these runs. Train fewer of them at once.",
                details=str(error),
            ) from error

    def _copied(self, array: Any) -> Any:
        """An array's numbers in the GPU's memory."""
        there, here = self._allocated(array.nbytes), self._pinned(array.nbytes)
        np.from_dlpack(here).view(np.uint8)[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        there.copy_from(here, stream=self._stream)
        self._stream.sync()
        return there

    def _copy_back(self, there: Any, array: Array) -> None:
        """The numbers that the GPU has computed, into an array."""
        here = self._pinned(array.nbytes)
        here.copy_from(there, stream=self._stream)
        self._stream.sync()
        array.reshape(-1).view(np.uint8)[:] = np.from_dlpack(here).view(np.uint8)

    def _pinned(self, size: int) -> Any:
        """So many bytes that the CPU and the GPU both see."""
        return self._core.LegacyPinnedMemoryResource().allocate(size)
