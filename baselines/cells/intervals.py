"""Neural Stack, Queue and DeQue (Grefenstette et al. 2015, section 3), as one operation on intervals of a line.

An item that was pushed with strength d is an interval of length d. Items lie end to end between `bottom` and `top`;
pushing at an end moves that end out, popping u there moves it back in and clips the items that it passes; reading at an end
weighs every item by its overlap with the last unit of length there. The strength s_t[i] of the paper is the length of item
i, and its sums over j > i or j < i are distances to an end, which need not be summed:

    top    = max(top - u_top, bottom)                        pops, the top first
    bottom = min(bottom + u_bot, top)
    high_i = min(high_i, top);  low_i = max(low_i, bottom)
    [top, top + d_top] and [bottom - d_bot, bottom]          new items, and the new ends
    r_top  = sum_i max(0, high_i - max(low_i, top - 1)) v_i
    r_bot  = sum_i max(0, min(high_i, bottom + 1) - low_i) v_i

A Stack does all at the top; a Queue pushes at the top, pops and reads at the bottom; a DeQue does all at both. Values and
gradients are those of equations 2 to 11, except where both arguments of a maximum or minimum are equal: there the paper takes
the derivative of the left one, torch half of each.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.memories import Memory
from marnn_bench.baselines.cells.parameters import Parameters

End = Literal["top", "bottom"]


class Line(NamedTuple):
    """The items between two ends; one that was popped has no positive length.

    top, bottom:  [run, batch, 1]
    lows, highs:  [run, batch, item]
    values:       [run, batch, item, width], in blocks of 2^k steps each: the powers of two whose sum is the number of
                  steps, the largest first
    """

    top: Tensor
    bottom: Tensor
    lows: Tensor
    highs: Tensor
    values: tuple[Tensor, ...]


@dataclass(frozen=True)
class NeuralMemory(Memory[Line]):
    """A memory of vectors with strengths; its push and pop signals lie in (0, 1), each for itself (gate: `Sigmoid`)."""

    width: int

    pushes: ClassVar[tuple[End, ...]]
    """Where each value of a step is pushed."""
    pops: ClassVar[tuple[End, ...]]
    """Where each pop signal of a step pops, and where is read."""
    actions: ClassVar = ("push", "pop")

    @property
    def scores(self) -> int:
        return len(self.pushes) + len(self.pops)

    @property
    def read_size(self) -> int:
        return len(self.pops) * self.width

    @property
    def write_size(self) -> int:
        return len(self.pushes) * self.width

    def initial(self, w: Parameters, batch: int, steps: int | None = None) -> Line:
        """Nothing: both ends in one point."""
        point, nothing = w.full((batch, 1)), w.full((batch, 0))
        return Line(point, point, nothing, nothing, ())

    def as_actions(self, scores: Tensor) -> Tensor:
        """[run, batch, push or pop of each end] -> [run, batch, end, (push, pop)]"""
        return scores.view(*scores.shape[:2], len(self.pushes), 2)

    def read(self, memory: Line) -> Tensor:
        """What lies within one unit of each end, the top first: [run, batch, read_size]"""
        top, bottom, lows, highs, values = memory
        if not values:
            return top.new_zeros(*top.shape[:2], self.read_size)
        overlaps = {
            "top": lambda: highs - torch.maximum(lows, top - 1),
            "bottom": lambda: torch.minimum(highs, bottom + 1) - lows,
        }
        weights = torch.stack([torch.relu(overlaps[end]()) for end in self.pops], 2)
        return weighted_sum(weights, values).flatten(2)

    def update(self, memory: Line, weights: Tensor, written: Tensor) -> Line:
        """The line after one step; weights: [run, batch, end, (push, pop)]"""
        top, bottom, lows, highs, values = memory
        push = {end: weights[:, :, i, :1] for i, end in enumerate(self.pushes)}
        pop = {end: weights[:, :, i, 1:] for i, end in enumerate(self.pops)}
        if "top" in pop:
            top = torch.maximum(top - pop["top"], bottom)
            highs = torch.minimum(highs, top)
        if "bottom" in pop:
            bottom = torch.minimum(bottom + pop["bottom"], top)
            lows = torch.maximum(lows, bottom)
        if "top" in push:
            lows, top = torch.cat([lows, top], -1), top + push["top"]
            highs = torch.cat([highs, top], -1)
        if "bottom" in push:
            highs, bottom = torch.cat([highs, bottom], -1), bottom - push["bottom"]
            lows = torch.cat([lows, bottom], -1)
        pushed = written.view(*written.shape[:2], len(self.pushes), self.width)
        return Line(top, bottom, lows, highs, append(values, pushed))


class NeuralStack(NeuralMemory):
    """Equations 1 to 3: pushes, pops and reads at the top."""

    pushes, pops = ("top",), ("top",)


class NeuralQueue(NeuralMemory):
    """Equations 4 and 5: pushes at the top, pops and reads at the bottom."""

    pushes, pops = ("top",), ("bottom",)


class NeuralDeQue(NeuralMemory):
    """Equations 6 to 11: all at both ends; the top pops first."""

    pushes, pops = ("top", "bottom"), ("top", "bottom")


def append(blocks: Sequence[Tensor], items: Tensor) -> tuple[Tensor, ...]:
    """The blocks with the items of one more step behind: blocks of one size are joined.

    No block ever changes, so that what the gradient needs is kept once: in T steps each item is copied log2 T times at most,
    where one tensor that is concatenated anew in every step leaves T/2 copies of each.
    """
    *before, last = *blocks, items
    while before and before[-1].shape[2] == last.shape[2]:
        last = torch.cat([before.pop(), last], 2)
    return *before, last


def weighted_sum(weights: Tensor, blocks: Sequence[Tensor]) -> Tensor:
    """Weights [run, batch, end, item] of the items of all blocks: [run, batch, end, width]"""
    parts = torch.split(weights, [block.shape[2] for block in blocks], -1)
    first, *others = (torch.matmul(part, block) for part, block in zip(parts, blocks, strict=True))
    return sum(others, first)
