"""Training: a recipe carried out on the examples of a split, for any number of runs at once."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import Parameters, initialise, leaves
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.training.lanes import whole_blocks
from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples


class TrainingExample(NamedTuple):
    """One string and its right answers, for all runs.

    ids:      [1, 1, steps]           int64
    answers:  [1, 1, steps, columns]  1 in the columns of the right set, else 0
    """

    ids: Tensor
    answers: Tensor


class TrainingResult(NamedTuple):
    """What comes out of a training.

    parameters:  [run, ...]
    losses:      [epoch, string, run]  of every update, before the update
    """

    parameters: Parameters
    losses: Tensor


def train(
    cell: Cell,
    recipe: Recipe,
    examples: Examples,
    runs: Sequence[int],
    seed: int = 0,
    on_update: Callable[[], object] = lambda: None,
) -> TrainingResult:
    """Train the runs of these numbers by the recipe; `on_update` is called after every update.

    The loss is summed over runs, so the gradient of each run's parameters is that of its own loss; Adam works on each
    number alone, so one optimiser serves all runs. A run depends on the seed and its number, not on the other runs.
    """
    computed = whole_blocks(runs)
    asked = [computed.index(run) for run in runs]
    parameters = initialise(cell.shapes, seed, computed)
    adam = torch.optim.Adam(
        leaves(parameters), lr=recipe.learning_rate, betas=recipe.betas, eps=recipe.epsilon, fused=True
    )
    listed = training_examples(examples)
    losses = torch.empty(recipe.epochs, len(listed), len(runs), dtype=torch.float64)
    with one_thread():
        for epoch in range(recipe.epochs):
            for string, example in enumerate(listed):
                loss = mean_squared_error(cell.scores(parameters, example.ids), example.answers)
                adam.zero_grad()
                loss.sum().backward()  # type: ignore[no-untyped-call]
                adam.step()
                losses[epoch, string] = loss.detach()[asked]
                on_update()
    return TrainingResult({name: affine.take(asked) for name, affine in parameters.items()}, losses)


def training_examples(examples: Examples) -> list[TrainingExample]:
    """The strings in their order, without the empty one, which asks nothing."""
    columns = np.arange(len(examples.task.columns), dtype=np.uint64)
    ids = torch.from_numpy(examples.strings.ids.astype(np.int64))
    answers = torch.from_numpy((examples.answers[:, None] >> columns & np.uint64(1)).astype(np.float64))
    lengths = examples.strings.lengths.tolist()
    pairs = zip(torch.split(ids, lengths), torch.split(answers, lengths), strict=True)
    listed = [
        TrainingExample(string[None, None], wanted[None, None]) for string, wanted in pairs if len(string)
    ]
    if not listed:
        raise UsageError(f"{examples.task.name} {examples.split} has nothing to learn from; use more rows.")
    return listed


def mean_squared_error(scores: Tensor, answers: Tensor) -> Tensor:
    """The squared error of each run, averaged over strings, steps and columns: [run]"""
    return (scores - answers).square().mean((1, 2, 3))


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread: on several, tensors as small as ours mostly wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
