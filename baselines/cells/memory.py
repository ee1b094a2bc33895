"""Memories of cells in superposition: an update is a weighted sum of shifts of all cells at once."""

from marnn_bench.baselines.cells.lazy import Tensor, torch


def update_stack(memory: Tensor, push: Tensor, pop: Tensor, pushed: Tensor, cells: int) -> Tensor:
    """One step of a stack whose top is cell 0.

        S'(0) = push pushed + pop S(1)
        S'(i) = push S(i-1) + pop S(i+1)

    All cells begin as zeros, and after t steps those below the first t still are. They are left out: the memory grows
    by one cell a step until it has `cells`, and from then on drops what is pushed past the last one.

    memory:    [run, batch, depth, width]
    push, pop: [run, batch, 1, 1]
    pushed:    [run, batch, 1, width]
    returns    [run, batch, min(depth + 1, cells), width]
    """
    runs, batch, depth, width = memory.shape
    grown = min(depth + 1, cells)
    zeros = memory.new_zeros(runs, batch, grown - depth + 1, width)
    padded = torch.cat([pushed, memory, zeros], 2)  # cell i of the memory is at i + 1
    return push * padded[:, :, :grown] + pop * padded[:, :, 2:]
