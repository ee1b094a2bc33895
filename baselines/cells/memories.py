"""Memories: what a controller reads, and writes by actions that it weighs.

Those of this file hold their contents in superposition: one step makes every cell a weighted sum of itself, its
neighbours and what is written.

    S'(i) = p(i) S(i-1) + s(i) S(i) + f(i) S(i+1)

Stack, ring and list differ in the weights p, s and f, in what lies beyond the two ends, and in where they write.

Such a memory is [run, batch, cell, stack, width]: `count` of them side by side ("stack"), each with actions of its own.
Weights are [run, batch, 1 (or cell), stack, 1]; what is written is [run, batch, 1, stack, width].
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import Parameters

Content = TypeVar("Content")
"""What a memory holds: a tensor, or a tuple of tensors."""


class Memory(ABC, Generic[Content]):
    """One or several memories of a kind, without their content, which is carried in the state of a cell."""

    @property
    @abstractmethod
    def scores(self) -> int:
        """How many numbers weigh the actions of all memories."""

    @property
    @abstractmethod
    def read_size(self) -> int:
        """How many numbers are read."""

    @property
    @abstractmethod
    def write_size(self) -> int:
        """How many numbers are written."""

    @abstractmethod
    def initial(self, w: Parameters, batch: int, steps: int | None = None) -> Content:
        """The content before the first symbol; `steps` is the length of the strings, where it is known."""

    @abstractmethod
    def read(self, memory: Content) -> Tensor:
        """[run, batch, read_size]"""

    @abstractmethod
    def as_actions(self, scores: Tensor) -> Tensor:
        """The scores of all actions, [run, batch, scores], as gates take them: the actions of one memory lie on the last axis."""

    @abstractmethod
    def update(self, memory: Content, weights: Tensor, written: Tensor) -> Content:
        """The content after one step; weights: as `as_actions` shapes them, written: [run, batch, write_size]"""


@dataclass(frozen=True)
class Superposition(Memory[Tensor]):
    """One or several memories in superposition.

    width:  numbers in a cell
    cells:  how many there are
    count:  how many memories side by side
    depth:  how many cells are read, from HEAD on
    fill:   what every cell begins with, and what comes in from beyond the ends
    """

    width: int
    cells: int
    count: int = 1
    depth: int = 1
    fill: float = 0.0

    def __post_init__(self) -> None:
        if min(self.width, self.count, self.depth) < 1 or self.head + self.depth > self.cells:
            raise ValueError(f"{self} has not the cells that it reads: make it larger, or read less.")

    @property
    @abstractmethod
    def actions(self) -> tuple[str, ...]:
        """What can be done with a memory, in the order of the weights."""

    @property
    def head(self) -> int:
        """The first cell that is read."""
        return 0

    @property
    def scores(self) -> int:
        """How many numbers weigh the actions of all memories."""
        return self.count * len(self.actions)

    @property
    def read_size(self) -> int:
        """How many numbers are read."""
        return self.depth * self.count * self.width

    @property
    def write_size(self) -> int:
        """How many numbers are written."""
        return self.count * self.width

    def initial(self, w: Parameters, batch: int, steps: int | None = None) -> Tensor:
        """The memory before the first symbol; `steps` is the length of the strings, where it is known."""
        return w.full((batch, self._initial_cells(steps), self.count, self.width), self.fill)

    def _initial_cells(self, steps: int | None) -> int:
        return self.cells

    def read(self, memory: Tensor) -> Tensor:
        """[run, batch, depth * count * width], the first cell first"""
        return memory[:, :, self.head : self.head + self.depth].flatten(2)

    def as_actions(self, scores: Tensor) -> Tensor:
        """The scores of all actions, [run, batch, scores], as gates take them: [run, batch, 1, count, 1, actions]"""
        return scores.view(*scores.shape[:2], 1, self.count, 1, len(self.actions))

    def update(self, memory: Tensor, weights: Tensor, written: Tensor) -> Tensor:
        """The memory after one step; weights: as `as_actions` shapes them, written: [run, batch, write_size]"""
        new = written.view(*written.shape[:2], 1, self.count, self.width)
        return self.step(memory, weights.unbind(-1), new)

    @abstractmethod
    def step(self, memory: Tensor, weights: Sequence[Tensor], new: Tensor) -> Tensor:
        """The equations: weights in the order of `actions`, each [run, batch, 1, count, 1]."""


@dataclass(frozen=True)
class Stack(Superposition):
    """A stack whose top is cell 0.

        S'(0) = push n      + pop S(1)   + no_op S(0)
        S'(i) = push S(i-1) + pop S(i+1) + no_op S(i)

    Below the last cell lies `fill`, and what is pushed past it is dropped. After t steps the cells below the first t
    still hold `fill`, since the weights sum to one. They are left out: the memory grows by one cell a step until it has
    `cells`.
    """

    no_op: bool = False

    @property
    def actions(self) -> tuple[str, ...]:
        return ("push", "pop", "no-op") if self.no_op else ("push", "pop")

    def _initial_cells(self, steps: int | None) -> int:
        return min(self.depth, self.cells)

    def step(self, memory: Tensor, weights: Sequence[Tensor], new: Tensor) -> Tensor:
        push, pop, *no_op = weights
        runs, batch, held, count, width = memory.shape
        grown = min(held + 1, self.cells)
        below = memory.new_full((runs, batch, grown - held + 1, count, width), self.fill)
        return superpose(torch.cat([new, memory, below], 2), push, pop, *no_op)


@dataclass(frozen=True)
class Ring(Superposition):
    """The memory of the Baby-NTM. With cells [a, b, c, d, e] the actions give

        rotate-left [b, c, d, e, a]   rotate-right [e, a, b, c, d]   no-op [a, b, c, d, e]
        pop-left    [b, c, d, e, 0]   pop-right    [0, a, b, c, d]

    and then what is written is added to the first cell.

    In T steps nothing goes once around a ring of T cells and is read, be it after the last: more are left out where T is known.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fill:
            raise ValueError(f"The cells of a ring begin with 0, not {self.fill}: leave out `fill`.")

    @property
    def actions(self) -> tuple[str, ...]:
        return ("rotate-left", "rotate-right", "no-op", "pop-right", "pop-left")

    def _initial_cells(self, steps: int | None) -> int:
        return self.cells if steps is None else min(self.cells, steps + self.depth - 1)

    def step(self, memory: Tensor, weights: Sequence[Tensor], new: Tensor) -> Tensor:
        rotate_left, rotate_right, no_op, pop_right, pop_left = weights
        inner = memory.shape[2] - 1
        previous = regions((rotate_right, 1), (rotate_right + pop_right, inner))
        following = regions((rotate_left + pop_left, inner), (rotate_left, 1))
        around = torch.cat([memory[:, :, -1:], memory, memory[:, :, :1]], 2)
        return add_to_cell(superpose(around, previous, following, no_op), new, 0)


@dataclass(frozen=True)
class List(Superposition):
    """A list that is read and written at HEAD, its middle cell (Joulin & Mikolov 2015, section 3.3).

    L'(i) = left L(i-1) + right L(i+1) + no_op L(i) + insert (n at HEAD, L(i+1) below HEAD, L(i) above)
    """

    no_op: bool = False

    @property
    def actions(self) -> tuple[str, ...]:
        return ("left", "right", "insert", "no-op") if self.no_op else ("left", "right", "insert")

    @property
    def head(self) -> int:
        return self.cells // 2

    def step(self, memory: Tensor, weights: Sequence[Tensor], new: Tensor) -> Tensor:
        left, right, insert, *no_op = weights
        stay = no_op[0] if no_op else torch.zeros_like(insert)
        below, above = self.head, self.cells - self.head - 1
        beyond = torch.full_like(memory[:, :, :1], self.fill)
        moved = superpose(
            torch.cat([beyond, memory, beyond], 2),
            left,
            regions((right + insert, below), (right, 1 + above)),
            regions((stay, below + 1), (stay + insert, above)),
        )
        return add_to_cell(moved, insert * new, self.head)


def superpose(around: Tensor, previous: Tensor, following: Tensor, stay: Tensor | None = None) -> Tensor:
    """S'(i) = previous S(i-1) + following S(i+1) + stay S(i), where `around` is S with a cell before and one after."""
    cells = around.shape[2] - 2
    moved = previous * around[:, :, :cells] + following * around[:, :, 2:]
    return moved if stay is None else moved + stay * around[:, :, 1:-1]


def regions(*parts: tuple[Tensor, int]) -> Tensor:
    """Weights that differ by cell: each for so many cells, in order."""
    return torch.cat([weight.expand(-1, -1, cells, -1, -1) for weight, cells in parts], 2)


def add_to_cell(memory: Tensor, new: Tensor, cell: int) -> Tensor:
    """The memory with `new` added to one of its cells."""
    after = memory.shape[2] - cell - 1
    return memory + torch.nn.functional.pad(new, (0, 0, 0, 0, cell, after))
