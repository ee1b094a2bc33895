"""A compiled cell, called from Python: blocks of runs, strings, and the updates that are to be done."""

import ctypes
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import tensor_shapes
from marnn_bench.baselines.course import Exam
from marnn_bench.baselines.engine.build import compile_library, find_library
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.identity import identity
from marnn_bench.baselines.engines import Precision
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.recipes import Recipe

Array = NDArray[Any]

UPDATE: Final = np.dtype(
    [
        ("number", "i8"),
        ("first", "i8"),
        ("last", "i8"),
        ("weight", "f8"),
        ("temperature", "f8"),
        ("rate", "f8"),
        ("scale", "f8"),
    ]
)
"""`struct update`: its number, counted from 1; its strings, from first to before last; what each position that is asked weighs
in the loss; the temperature of the gates; by what the gradient, or Adam's average of it, is multiplied; by what the root of Adam's average of squares is divided.
"""

LOSSES: Final = ("squared error", "cross-entropy", "binary cross-entropy")
OPTIMISERS: Final = ("sgd", "adam")
"""RMSProp is Adam without an average of gradients and without corrections."""

STEP: Final = (
    *(ctypes.c_void_p, ctypes.c_uint64, ctypes.c_double, ctypes.c_void_p, ctypes.c_long, ctypes.c_void_p),
    *(ctypes.c_void_p, ctypes.c_longlong, ctypes.c_long, ctypes.c_void_p),
)
"""What `marnn_step` takes."""


class _Strings(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ids", "sets", "choices", "offsets")]


class _Places(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ids", "answers", "emptied")]


class _Recipe(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int) for name in ("loss", "optimiser")),
        *((name, ctypes.c_double) for name in ("beta1", "beta2", "epsilon", "bound")),
    ]


class _Block(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_void_p) for name in ("parameters", "average", "square", "losses", "keys", "factors")
    ]


@dataclass(frozen=True)
class Places:
    """A stream, a place for each symbol that is fed: [places]

    ids:      int32
    answers:  int32, the right column, or -1 where nothing is asked
    emptied:  uint8, whether the state begins anew before
    """

    ids: NDArray[np.int32]
    answers: NDArray[np.int32]
    emptied: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.ids)

    def since(self, span: range, before: int) -> int:
        """How many places went by at the end of a span since the state began anew; `before` did at its beginning."""
        anew = np.flatnonzero(self.emptied[span.start : span.stop])
        return len(span) - int(anew[-1]) if len(anew) else before + len(span)


class Packing:
    """How the tensors of runs lie in blocks.

    lanes:  how many runs lie side by side, a block
    """

    def __init__(self, cell: Cell, precision: Precision, lanes: int, stride: int) -> None:
        self._shapes = {name: tensor.shape for name, tensor in tensor_shapes(cell.shapes).items()}
        self._type, self._stride = np.dtype(precision), stride
        self.lanes = lanes

    def packed(self, tensors: Mapping[str, Array]) -> Array:
        """Tensors [run, ...] as blocks: [block, number, lane]; what lanes are left over hold zeros."""
        flat = np.concatenate([tensors[name].reshape(len(tensors[name]), -1) for name in self._shapes], 1)
        blocks = self.zeros(-(-len(flat) // self.lanes))
        for run, numbers in enumerate(flat):
            blocks[run // self.lanes, : len(numbers), run % self.lanes] = numbers
        return blocks

    def unpacked(self, blocks: Array, runs: int) -> dict[str, Array]:
        """The tensors [run, ...] of so many runs, in double precision."""
        flat = np.moveaxis(blocks, 2, 1).reshape(-1, blocks.shape[1])[:runs].astype(np.float64)
        starts = np.cumsum([0, *map(prod, self._shapes.values())])
        return {
            name: flat[:, start : start + prod(shape)].reshape(runs, *shape)
            for (name, shape), start in zip(self._shapes.items(), starts, strict=False)
        }

    def zeros(self, blocks: int) -> Array:
        """So many blocks of zeros."""
        shape = (blocks, self._stride // self.lanes, self.lanes)
        return aligned(prod(shape), self._type).reshape(shape)


class Program(Packing):
    """The compiled program of a cell, on the CPU."""

    def __init__(self, cell: Cell, precision: Precision = "float64") -> None:
        self._library = _library(cell, precision)
        for name in ("marnn_stride", "marnn_space", "marnn_stream_space"):
            getattr(self._library, name).restype = ctypes.c_longlong
        for name in ("marnn_train", "marnn_measure", "marnn_step"):
            getattr(self._library, name).restype = None
        self._library.marnn_step.argtypes = STEP
        self._symbols, self._columns = cell.symbols, cell.columns
        super().__init__(cell, precision, self._library.marnn_lanes(), self._library.marnn_stride())

    def space(self, longest: int, batch: int) -> Array:
        """What `train` works in, of batches of strings up to this length. Its first block is the last gradient."""
        size = self._library.marnn_space(ctypes.c_long(longest), ctypes.c_longlong(batch))
        return aligned(size, self._type)

    def train(
        self,
        block: "Block",
        lessons: Lessons,
        recipe: Recipe,
        updates: Array,
        losses: NDArray[np.float64],
        space: Array,
    ) -> None:
        """Do these updates (UPDATE) of a block of runs; losses [update, lane] are filled. Other threads may run meanwhile."""
        arrays = block.parameters, block.average, block.square, losses, block.keys, block.factors
        self._library.marnn_train(
            ctypes.byref(_Block(*map(_address, arrays))),
            ctypes.byref(_Strings(*addresses(lessons))),
            ctypes.byref(_Recipe(*recipe_numbers(recipe))),
            ctypes.c_void_p(_address(updates)),
            ctypes.c_longlong(len(updates)),
            ctypes.c_long(lessons.longest),
            ctypes.c_void_p(_address(space)),
        )

    def measure(
        self, block: "Block", exam: Exam, recipe: Recipe, temperature: float, threshold: float, space: Array
    ) -> "Counts":
        """How each lane answers, by the keys of evaluation: [lane]."""
        lessons, found = exam.lessons, Counts.zeros((self.lanes,))
        self._library.marnn_measure(
            ctypes.byref(_Block(_address(block.parameters), None, None, None, _address(block.keys), None)),
            ctypes.byref(_Strings(*addresses(lessons))),
            ctypes.c_int(LOSSES.index(recipe.loss)),
            ctypes.c_double(temperature),
            ctypes.c_double(threshold),
            ctypes.c_void_p(_address(exam.columns)),
            ctypes.c_longlong(len(lessons)),
            ctypes.c_long(lessons.longest),
            ctypes.c_void_p(_address(space)),
            *(ctypes.c_void_p(_address(array)) for array in found),
        )
        return found

    def train_blocks(
        self, blocks: Sequence["Block"], lessons: Lessons, recipe: Recipe, updates: Array, threads: int
    ) -> Array:
        """Do these updates of blocks, so many at once: their losses, [update, lane of all blocks]."""

        def train(block: Block) -> Array:
            losses = np.zeros((len(updates), self.lanes))
            self.train(block, lessons, recipe, updates, losses, self.space(lessons.longest, recipe.batch))
            return losses

        with ThreadPoolExecutor(threads) as pool:
            return np.concatenate([*pool.map(train, blocks)], 1)

    def stream_spaces(self, blocks: int, steps: int) -> Array:
        """What `step` works in, of so many blocks of streams and so many steps: [block, number].

        Of more steps the first numbers of a block are those of fewer.
        """
        size = self._library.marnn_stream_space(ctypes.c_long(steps))
        return aligned(blocks * size, self._type).reshape(blocks, size)

    def step(self, kept: "Kept", ids: NDArray[np.int64], clock: int) -> NDArray[np.float64]:
        """Step `clock`, counted from 0, of streams: [stream] -> their scores [stream, columns]"""
        ids = np.ascontiguousarray(ids, np.int64)
        # As numbers without a sign negative ones are large.
        if len(ids) > len(kept.prefixes) or ids.view(np.uint64).max(initial=0) >= self._symbols:
            raise ValueError(
                f"up to {len(kept.prefixes)} symbols are given, each from 0 to {self._symbols - 1}"
            )
        scores = np.empty((len(ids), self._columns))
        self._library.marnn_step(*kept.arguments, ids.ctypes.data, len(ids), clock, scores.ctypes.data)
        return scores

    def ring_space(self, steps: int) -> Array:
        """What `follow` works in, of a block; with what the last so many steps left it is kept from call to call.

        NotCompiledError if the memory of the cell is none that streams are learned from with.
        """
        if not hasattr(self._library, "marnn_ring_space"):
            raise NotCompiledError(
                "Streams are learned from with stacks, rings and lists that are read before their update."
            )
        self._library.marnn_ring_space.restype = ctypes.c_longlong
        return aligned(self._library.marnn_ring_space(ctypes.c_long(steps)), self._type)

    def follow(
        self,
        parameters: Array,
        places: Places,
        span: range,
        since: int,
        window: tuple[int, float],
        rates: NDArray[np.float64] | None,
        losses: NDArray[np.float64],
        space: Array,
    ) -> None:
        """Follow a stream over these places; the loss of each is added to those of the lanes. Other threads may run meanwhile.

        since:   how many places went by since the state began anew
        window:  through how many steps errors are propagated back, and the bound at which they are clipped
        rates:   of each lane; where 0, it does not change; without, nothing is learned, and steps are those of evaluation
        """
        self._library.marnn_follow.restype = None
        self._library.marnn_follow(
            ctypes.c_void_p(_address(parameters)),
            ctypes.byref(_Places(*map(_address, (places.ids, places.answers, places.emptied)))),
            ctypes.c_longlong(span.start),
            ctypes.c_longlong(span.stop),
            ctypes.c_long(since),
            ctypes.c_long(window[0]),
            ctypes.c_double(window[1]),
            ctypes.c_void_p(None if rates is None else _address(rates)),
            ctypes.c_void_p(_address(losses)),
            ctypes.c_void_p(_address(space)),
        )

    def measure_blocks(
        self,
        blocks: Sequence["Block"],
        exam: Exam,
        recipe: Recipe,
        temperature: float,
        threshold: float,
        threads: int,
    ) -> "Counts":
        """`measure` of blocks, so many at once: [lane of all blocks]."""

        def measure(block: Block) -> Counts:
            return self.measure(
                block, exam, recipe, temperature, threshold, self.space(exam.lessons.longest, 1)
            )

        with ThreadPoolExecutor(threads) as pool:
            return Counts(*map(np.concatenate, zip(*pool.map(measure, blocks), strict=True)))


class Counts(NamedTuple):
    """How runs answer: the loss, summed over what is asked, and how much of that and how many strings are right."""

    loss: NDArray[np.float64]
    right: NDArray[np.int64]
    strings: NDArray[np.int64]

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> "Counts":
        """To be filled."""
        return cls(np.zeros(shape), np.zeros(shape, np.int64), np.zeros(shape, np.int64))


@dataclass(frozen=True)
class Kept:
    """What streams of a run keep from one step to the next.

    parameters:        of the run, in every lane of a block
    spaces, prefixes:  of whole blocks; the prefixes are zeros before the first step
    steps:             for how many the spaces are
    """

    parameters: Array
    key: int
    temperature: float
    spaces: Array
    steps: int
    prefixes: NDArray[np.uint64]

    @cached_property
    def arguments(self) -> tuple[float, ...]:
        """The first ones of `marnn_step`, which are asked for a thousand times a second."""
        arrays = _address(self.spaces), self.steps, _address(self.prefixes)
        return _address(self.parameters), self.key, self.temperature, *arrays


@dataclass(frozen=True)
class Block:
    """The runs of a block: [number, lane] each, and what is by lane.

    average, square:  the running averages of Adam, of gradients and of their squares
    keys:             [lane]  of the noise
    factors:          [lane]  of the rate; a run with 0 stays as it is
    """

    parameters: Array
    average: Array
    square: Array
    keys: NDArray[np.uint64]
    factors: NDArray[np.float64]


def _library(cell: Cell, precision: Precision) -> ctypes.CDLL:
    """The library of a cell; what traces and prints it is imported only if it was not compiled before."""

    def source() -> str:
        from marnn_bench.baselines.engine.codegen.source import source_of

        return source_of(cell, precision)

    key = identity(cell)
    return find_library(f"{key} {precision}", source) if key else compile_library(source())


def aligned(size: int, type: np.dtype[Any], to: int = 64) -> Array:
    """So many zeros, from a multiple of so many bytes on."""
    raw = np.zeros(size * type.itemsize + to, np.uint8)
    first = -raw.ctypes.data % to
    return raw[first : first + size * type.itemsize].view(type)


def _address(array: Any) -> int:
    if not array.flags.c_contiguous:
        raise ValueError("the compiled program takes arrays that lie in order")
    address: int = array.ctypes.data
    return address


def addresses(lessons: Lessons) -> tuple[int | None, ...]:
    """Those of `struct strings`: of sets or of choices there is none."""
    answers = _address(lessons.answers)
    by_kind = (answers, None) if lessons.are_sets else (None, answers)
    return _address(lessons.ids), *by_kind, _address(lessons.offsets)


def recipe_numbers(recipe: Recipe) -> tuple[float, ...]:
    """Those of `struct recipe`; two integers come first."""
    adaptive = recipe.optimiser != "sgd"
    betas = (0.0, recipe.decay) if recipe.optimiser == "rmsprop" else recipe.betas
    bound = recipe.clipping.bound if recipe.clipping else math.inf
    return (
        LOSSES.index(recipe.loss),
        OPTIMISERS.index("adam" if adaptive else "sgd"),
        *betas,
        recipe.epsilon,
        bound,
    )


def updates_of(recipe: Recipe, first: int, count: int, lessons: Lessons) -> Array:
    """The updates of these numbers, counted from 1: consecutive strings of each epoch, the last batch perhaps smaller."""
    numbers = np.arange(first, first + count)
    in_epoch = -(-len(lessons) // recipe.batch)
    begin = (numbers - 1) % in_epoch * recipe.batch
    end = np.minimum(begin + recipe.batch, len(lessons))
    asked = lessons.asked[lessons.offsets]
    updates = np.zeros(count, UPDATE)
    updates["number"], updates["first"], updates["last"] = numbers, begin, end
    updates["weight"] = 1 / np.maximum(asked[end] - asked[begin], 1)
    updates["temperature"] = [recipe.temperature(number) for number in numbers.tolist()]
    updates["rate"], updates["scale"] = recipe.learning_rate, 1.0
    if recipe.optimiser == "adam":
        updates["rate"] /= [1 - recipe.betas[0] ** number for number in numbers.tolist()]
        updates["scale"] = [(1 - recipe.betas[1] ** number) ** 0.5 for number in numbers.tolist()]
    return updates
