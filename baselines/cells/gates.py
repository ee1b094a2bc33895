"""Gates: from the scores of a memory's actions to their weights, which are not negative and sum to one.

Only those of `Sigmoid` do not: each action has a weight in (0, 1) for itself, as memories of intervals take them.

Scores and weights are [..., actions]; temperature and noise are inputs of the step.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.lazy import Tensor, torch


class Gate(Protocol):
    """A gate; `noisy` says whether it takes a Gumbel number for each score."""

    @property
    def noisy(self) -> bool: ...

    def __call__(self, scores: Tensor, inputs: StepInputs) -> Tensor: ...


@dataclass(frozen=True)
class Softmax:
    """exp(z_i) / sum_j exp(z_j)"""

    noisy: ClassVar[bool] = False

    def __call__(self, scores: Tensor, inputs: StepInputs) -> Tensor:
        return torch.softmax(scores, -1)


@dataclass(frozen=True)
class Sigmoid:
    """1 / (1 + exp(-z_i)), each for itself"""

    noisy: ClassVar[bool] = False

    def __call__(self, scores: Tensor, inputs: StepInputs) -> Tensor:
        return torch.sigmoid(scores)


@dataclass(frozen=True)
class TemperatureSoftmax:
    """exp(z_i / tau) / sum_j exp(z_j / tau)"""

    noisy: ClassVar[bool] = False

    def __call__(self, scores: Tensor, inputs: StepInputs) -> Tensor:
        return torch.softmax(scores / _beside(inputs.temperature, scores), -1)


@dataclass(frozen=True)
class GumbelSoftmax:
    """exp((z_i + g_i) / tau) / sum_j exp((z_j + g_j) / tau), where g_i are standard Gumbel (Jang et al. 2016)"""

    noisy: ClassVar[bool] = True

    def __call__(self, scores: Tensor, inputs: StepInputs) -> Tensor:
        if inputs.noise is None:
            raise TypeError("a Gumbel-softmax takes noise: give the step Cell.noise standard Gumbel numbers")
        noisy = scores + inputs.noise.view_as(scores)
        return torch.softmax(noisy / _beside(inputs.temperature, scores), -1)


@dataclass(frozen=True)
class HardAtEvaluation:
    """A gate in training; at evaluation the action of the greatest weight alone, the first one if several are."""

    gate: Gate

    @property
    def noisy(self) -> bool:
        return self.gate.noisy

    def __call__(self, scores: Tensor, inputs: StepInputs) -> Tensor:
        weights = self.gate(scores, inputs)
        if inputs.training:
            return weights
        chosen = weights.argmax(-1, keepdim=True)
        return torch.zeros_like(weights).scatter(-1, chosen, 1.0)


def _beside(temperature: Tensor, scores: Tensor) -> Tensor:
    """A temperature, [] or [run, 1, 1], with as many axes behind the run as the scores."""
    return temperature.view(-1, *[1] * (scores.dim() - 1)) if temperature.dim() else temperature
