"""The losses and optimisers that recipes name."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import torch
from torch import Tensor

from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.recipes import Clipping, Recipe

TINY: Final = torch.finfo(torch.float64).tiny


def squared_error(scores: Tensor, answers: Tensor, weights: Tensor | None = None) -> Tensor:
    """The squared error of each run, averaged over columns and by weight over steps: [run]"""
    errors = (scores - answers).square()
    return errors.mean((1, 2, 3)) if weights is None else (errors.mean(3) * weights).sum((1, 2))


def cross_entropy(scores: Tensor, answers: Tensor, weights: Tensor | None = None) -> Tensor:
    """-log of the score of the right column, in nats, averaged by weight over steps: [run]"""
    of_step = -(answers * scores.clamp(min=TINY).log()).sum(3)
    return of_step.mean((1, 2)) if weights is None else (of_step * weights).sum((1, 2))


def binary_cross_entropy(scores: Tensor, answers: Tensor, weights: Tensor | None = None) -> Tensor:
    """-log of the score of a right column, or of 1 - that of a wrong one, averaged as squared errors are: [run]"""
    of_right = torch.where(answers == 1, scores, 1 - scores)
    errors = -of_right.clamp(min=TINY).log()
    return errors.mean((1, 2, 3)) if weights is None else (errors.mean(3) * weights).sum((1, 2))


LOSSES: Final[Mapping[str, Callable[[Tensor, Tensor, Tensor | None], Tensor]]] = {
    "squared error": squared_error,
    "cross-entropy": cross_entropy,
    "binary cross-entropy": binary_cross_entropy,
}
"""By name, of scores and answers [run, batch, steps, columns], and weights [1, batch, steps], or None if all weigh alike."""


def make_optimiser(recipe: Recipe, parameters: Parameters) -> torch.optim.Optimizer:
    """The optimiser of a recipe. It works on each number alone, so one serves all runs."""
    tensors = [*parameters.tensors.values()]
    if recipe.optimiser == "sgd":
        return torch.optim.SGD(tensors, lr=recipe.learning_rate)
    if recipe.optimiser == "rmsprop":
        return torch.optim.RMSprop(tensors, lr=recipe.learning_rate, alpha=recipe.decay, eps=recipe.epsilon)
    return torch.optim.Adam(
        tensors, lr=recipe.learning_rate, betas=recipe.betas, eps=recipe.epsilon, fused=True
    )


def clip(parameters: Parameters, clipping: Clipping | None) -> None:
    """Bring each number of the gradients within the bound."""
    if clipping and clipping.of == "gradients":
        torch.nn.utils.clip_grad_value_(parameters.tensors.values(), clipping.bound)


@contextmanager
def at_rates(parameters: Parameters, factors: Tensor | None) -> Iterator[None]:
    """What a step changes, times the factor of each run, [run]: the parameters of a run whose factor is 0 stay."""
    if factors is None:
        yield
        return
    tensors = parameters.tensors.values()
    before = [tensor.detach().clone() for tensor in tensors]
    yield
    for tensor, old in zip(tensors, before, strict=True):
        of_run = factors.view(-1, *[1] * (tensor.ndim - 1))
        moved = torch.where(of_run == 1, tensor.data, old + of_run * (tensor.data - old))
        tensor.data.copy_(torch.where(of_run == 0, old, moved))
