"""Unused stacks are removed: the largest set that a trained model can do without (Joulin & Mikolov 2015, section 4.2).

"While brute-force would be exponential in the number of stacks, we can do it efficiently by building a tree of removable stacks
and exploring it with deep first search." The paper does not say when a stack is removable: here, when the loss in validation
does not grow by more than a share of it.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

import numpy as np
import torch

from marnn_bench.baselines.cells.memories import Superposition
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.models.joulin2015 import StackRNN


def largest_removable(stacks: int, can_do_without: Callable[[tuple[int, ...]], bool]) -> tuple[int, ...]:
    """The largest set of stacks that a model can do without; of several as large, the first in order.

    A node of the tree is a set, its children are those with one more stack. A stack that cannot be removed at a node is not
    tried below it, and no branch is explored that has no larger set than the one found.

    >>> largest_removable(4, lambda removed: not {0, 2} <= {*removed} and 3 not in removed)
    (0, 1)
    """
    best: tuple[int, ...] = ()

    def explore(removed: tuple[int, ...], others: Sequence[int]) -> None:
        nonlocal best
        best = max(best, removed, key=len)
        removable = [stack for stack in others if can_do_without((*removed, stack))]
        for place, stack in enumerate(removable):
            if len(removed) + len(removable) - place > len(best):
                explore((*removed, stack), removable[place + 1 :])

    explore((), range(stacks))
    return best


def unread(memory: Superposition, w: Parameters, stacks: Collection[int]) -> Parameters:
    """The parameters of a model that reads nothing of these stacks."""
    read = w.tensors["read.weight"].detach().clone()
    read.view(len(read), memory.depth, memory.count, -1)[:, :, [*stacks]] = 0
    return Parameters(w.tensors | {"read.weight": read})


def without(cell: StackRNN, w: Parameters, stacks: Collection[int]) -> tuple[StackRNN, Parameters]:
    """A model without these stacks: it answers as `unread` does. Parameters are [run, inputs, outputs]."""
    memory = cell.memory
    kept = np.array([stack for stack in range(memory.count) if stack not in stacks])
    actions = len(memory.actions)
    places = {
        "read.weight": (1, np.add.outer(np.arange(memory.depth) * memory.count, kept)),
        "action.weight": (2, np.add.outer(kept * actions, np.arange(actions))),
        "write.weight": (2, kept),
    }
    smaller = {
        name: w.tensors[name].detach().index_select(axis, torch.from_numpy(of.ravel()))
        for name, (axis, of) in places.items()
    }
    return replace(cell, memory=replace(memory, count=len(kept))), Parameters(w.tensors | smaller)
