"""A stack of symbols: whole ones, moved by whole actions."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.memories import Memory
from marnn_bench.baselines.cells.parameters import Parameters

BOTTOM = 0
"""What is read of the empty stack; of any other 1 + the symbol on top."""


class Pile(NamedTuple):
    """The content.

    read:    [run, batch, 1 + symbols]  float64, one-hot: what is on top
    height:  [run, batch, 1]            int64
    items:   [run, batch, 1 + steps]    int64: BOTTOM, then 1 + symbol each; what lies above `height` was popped
    """

    read: Tensor
    height: Tensor
    items: Tensor


@dataclass(frozen=True)
class DiscreteStack(Memory[Pile]):
    """A stack that pushes the symbol it is given, pops, or does nothing; popping the empty stack does nothing either.

    Pointer and items are whole numbers, and no error goes back through them. It does through what is read, of one step:

    r' = push x + pop (what lies beneath) + no-op r

    where push, pop and no-op are 0 or 1, but have derivatives.
    """

    symbols: int
    actions: ClassVar = ("push", "pop", "no-op")

    @property
    def scores(self) -> int:
        return len(self.actions)

    @property
    def read_size(self) -> int:
        return 1 + self.symbols

    @property
    def write_size(self) -> int:
        return self.symbols

    def initial(self, w: Parameters, batch: int, steps: int | None = None) -> Pile:
        """The empty stack, of which BOTTOM is read."""
        nothing = torch.full_like(w.full((batch, 1)), BOTTOM, dtype=torch.int64)
        return Pile(one_hot(nothing, w.full((batch, self.read_size))), torch.zeros_like(nothing), nothing)

    def as_actions(self, scores: Tensor) -> Tensor:
        return scores

    def read(self, memory: Pile) -> Tensor:
        return memory.read

    def update(self, memory: Pile, weights: Tensor, written: Tensor) -> Pile:
        """weights: [run, batch, (push, pop, no-op)], one of which is 1; written: the symbol, one-hot, [run, batch, symbols]"""
        read, height, items = memory
        push, pop, no_op = torch.split(weights, 1, -1)
        beneath = items.gather(-1, (height - 1).clamp(min=0))
        pushed = torch.nn.functional.pad(written, (1, 0))
        read = push * pushed + pop * one_hot(beneath, read.detach()) + no_op * read
        number = torch.arange(self.read_size, dtype=pushed.dtype, device=pushed.device)
        item = (pushed * number).sum(-1, keepdim=True).long()
        items = torch.cat([items, item], -1)
        items = items.scatter(-1, height + 1, item)  # counts only if the stack then grows so far
        height = (height + (push > 1 / 2).long() - (pop > 1 / 2).long()).clamp(min=0)
        return Pile(read, height, items)


def one_hot(places: Tensor, like: Tensor) -> Tensor:
    """1 in these places, [run, batch, 1], else 0: shaped and typed as `like`."""
    return torch.zeros_like(like).scatter(-1, places, 1.0)
