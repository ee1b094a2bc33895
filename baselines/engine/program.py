"""A compiled cell, called from Python: blocks of runs, strings, and the updates that are to be done."""

import ctypes
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import tensor_shapes
from marnn_bench.baselines.engine.build import compile_library, find_library
from marnn_bench.baselines.engine.identity import identity
from marnn_bench.baselines.engines import Precision
from marnn_bench.baselines.recipes import Recipe

Array = NDArray[Any]

UPDATE: Final = np.dtype(
    [
        ("number", "i8"),
        ("first", "i8"),
        ("last", "i8"),
        ("temperature", "f8"),
        ("rate", "f8"),
        ("scale", "f8"),
    ]
)
"""`struct update`: its number, counted from 1; its strings, from first to before last; the temperature of the gates; by
what the gradient, or Adam's average of it, is multiplied; by what the root of Adam's average of squares is divided.
"""

LOSSES: Final = ("squared error", "cross-entropy")
OPTIMISERS: Final = ("sgd", "adam")


class _Strings(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("ids", "answers", "offsets")]


class _Recipe(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int) for name in ("loss", "optimiser")),
        *((name, ctypes.c_double) for name in ("beta1", "beta2", "epsilon")),
    ]


class _Block(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("parameters", "average", "square", "losses", "keys")]


@dataclass(frozen=True)
class Strings:
    """Strings one behind another, none of them empty.

    ids:      [symbols]      int32
    answers:  [symbols]      uint64, a bit for each column
    offsets:  [strings + 1]  int64, where each begins
    """

    ids: NDArray[np.int32]
    answers: NDArray[np.uint64]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def longest(self) -> int:
        """The length of the longest one."""
        return int(np.diff(self.offsets).max())


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
        for name in ("marnn_train", "marnn_right", "marnn_step"):
            getattr(self._library, name).restype = None
        self._symbols, self._columns = cell.symbols, cell.columns
        super().__init__(cell, precision, self._library.marnn_lanes(), self._library.marnn_stride())

    def space(self, longest: int) -> Array:
        """What `train` works in, of strings up to this length. Its first block is the last gradient."""
        return aligned(self._library.marnn_space(ctypes.c_long(longest)), self._type)

    def train(
        self,
        block: "Block",
        strings: Strings,
        recipe: Recipe,
        updates: Array,
        losses: NDArray[np.float64],
        space: Array,
    ) -> None:
        """Do these updates (UPDATE) of a block of runs; losses [update, lane] are filled. Other threads may run meanwhile."""
        loss, optimiser = LOSSES.index(recipe.loss), OPTIMISERS.index(recipe.optimiser)
        self._library.marnn_train(
            ctypes.byref(
                _Block(*map(_address, (block.parameters, block.average, block.square, losses, block.keys)))
            ),
            ctypes.byref(_Strings(*map(_address, (strings.ids, strings.answers, strings.offsets)))),
            ctypes.byref(_Recipe(loss, optimiser, *recipe.betas, recipe.epsilon)),
            ctypes.c_void_p(_address(updates)),
            ctypes.c_longlong(len(updates)),
            ctypes.c_long(strings.longest),
            ctypes.c_void_p(_address(space)),
        )

    def right(
        self, block: "Block", strings: Strings, temperature: float, threshold: float, space: Array
    ) -> NDArray[np.int64]:
        """In each lane, how many strings have the right set after every symbol; the keys are those of evaluation."""
        counts = np.zeros(self.lanes, np.int64)
        self._library.marnn_right(
            ctypes.byref(_Block(_address(block.parameters), None, None, None, _address(block.keys))),
            ctypes.byref(_Strings(*map(_address, (strings.ids, strings.answers, strings.offsets)))),
            ctypes.c_double(temperature),
            ctypes.c_double(threshold),
            ctypes.c_longlong(len(strings)),
            ctypes.c_long(strings.longest),
            ctypes.c_void_p(_address(space)),
            ctypes.c_void_p(_address(counts)),
        )
        return counts

    def train_blocks(
        self, blocks: Sequence["Block"], strings: Strings, recipe: Recipe, updates: Array, threads: int
    ) -> Array:
        """Do these updates of blocks, so many at once: their losses, [update, lane of all blocks]."""

        def train(block: Block) -> Array:
            losses = np.zeros((len(updates), self.lanes))
            self.train(block, strings, recipe, updates, losses, self.space(strings.longest))
            return losses

        with ThreadPoolExecutor(threads) as pool:
            return np.concatenate([*pool.map(train, blocks)], 1)

    def stream_spaces(self, blocks: int) -> Array:
        """What `step` works in, of so many blocks of streams."""
        return aligned(blocks * self._library.marnn_stream_space(), self._type)

    def step(
        self,
        parameters: Array,
        key: int,
        temperature: float,
        spaces: Array,
        prefixes: NDArray[np.uint64],
        ids: NDArray[np.int64],
        clock: int,
    ) -> NDArray[np.float64]:
        """Step `clock`, counted from 0, of streams: [stream] -> their scores [stream, columns]

        parameters:        of one run, in every lane of a block
        spaces, prefixes:  zeros before the first step, and kept from one to the next; of whole blocks
        """
        ids = np.ascontiguousarray(ids, np.int64)
        if len(ids) > len(prefixes) or not ((ids >= 0) & (ids < self._symbols)).all():
            raise ValueError(f"up to {len(prefixes)} symbols are given, each from 0 to {self._symbols - 1}")
        scores = np.empty((len(ids), self._columns))
        self._library.marnn_step(
            ctypes.c_void_p(_address(parameters)),
            ctypes.c_uint64(key),
            ctypes.c_double(temperature),
            ctypes.c_void_p(_address(spaces)),
            ctypes.c_void_p(_address(prefixes)),
            ctypes.c_void_p(_address(ids)),
            ctypes.c_longlong(len(ids)),
            ctypes.c_long(clock),
            ctypes.c_void_p(_address(scores)),
        )
        return scores

    def right_blocks(
        self, blocks: Sequence["Block"], strings: Strings, temperature: float, threshold: float, threads: int
    ) -> NDArray[np.int64]:
        """`right` of blocks, so many at once: [lane of all blocks]."""

        def right(block: Block) -> NDArray[np.int64]:
            return self.right(block, strings, temperature, threshold, self.space(strings.longest))

        with ThreadPoolExecutor(threads) as pool:
            return np.concatenate([*pool.map(right, blocks)])


@dataclass(frozen=True)
class Block:
    """The runs of a block: [number, lane] each, and the keys of their noise, [lane].

    average, square:  the running averages of Adam, of gradients and of their squares
    """

    parameters: Array
    average: Array
    square: Array
    keys: NDArray[np.uint64]


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


def updates_of(recipe: Recipe, first: int, count: int, strings: int) -> Array:
    """The updates of these numbers, counted from 1: consecutive strings of each epoch, the last batch perhaps smaller."""
    numbers = np.arange(first, first + count)
    in_epoch = -(-strings // recipe.batch)
    begin = (numbers - 1) % in_epoch * recipe.batch
    updates = np.zeros(count, UPDATE)
    updates["number"], updates["first"] = numbers, begin
    updates["last"] = np.minimum(begin + recipe.batch, strings)
    updates["temperature"] = [recipe.temperature(number) for number in numbers.tolist()]
    updates["rate"], updates["scale"] = recipe.learning_rate, 1.0
    if recipe.optimiser == "adam":
        updates["rate"] /= [1 - recipe.betas[0] ** number for number in numbers.tolist()]
        updates["scale"] = [(1 - recipe.betas[1] ** number) ** 0.5 for number in numbers.tolist()]
    return updates
