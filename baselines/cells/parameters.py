"""Parameters: named affine maps, one copy per run. Every model here is made of nothing else."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.generators.keys import Key, derive_key


@dataclass(frozen=True)
class AffineShape:
    """The shape of an affine map, and `bound`: its weights and biases begin uniform in [-bound, bound]."""

    inputs: int
    outputs: int
    bound: float

    @property
    def num_parameters(self) -> int:
        """Number of weights and biases."""
        return (self.inputs + 1) * self.outputs


def linear(inputs: int, outputs: int) -> AffineShape:
    """The shape and initial law of torch.nn.Linear(inputs, outputs)."""
    return AffineShape(inputs, outputs, inputs**-0.5)


class Affine(NamedTuple):
    """x -> W x + b, in all runs at once.

    weight: [run, inputs, outputs]  the transpose of torch's layout, so that no step has to transpose
    bias:   [run, 1, outputs]
    """

    weight: Tensor
    bias: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        """[run, batch, inputs] -> [run, batch, outputs]"""
        return torch.baddbmm(self.bias, x, self.weight)

    def of_symbols(self, ids: Tensor) -> Tensor:
        """The map of one-hot vectors, given by their ids: [run (or 1 for all), batch] -> [run, batch, outputs]"""
        runs = torch.arange(len(self.weight)).unsqueeze(1)
        return self.weight[runs, ids] + self.bias

    def take(self, runs: Sequence[int]) -> "Affine":
        """The same of these runs only, by their places, without their gradients."""
        return Affine(self.weight[runs].detach(), self.bias[runs].detach())


Parameters = Mapping[str, Affine]


def initialise(shapes: Mapping[str, AffineShape], seed: int, runs: Iterable[int]) -> dict[str, Affine]:
    """Fresh parameters of these runs. Those of a run depend on the seed and its number, not on the other runs."""
    drawn = [
        _draw(shapes, derive_key({"purpose": "initial parameters", "seed": seed, "run": run})) for run in runs
    ]
    return {
        name: Affine(
            torch.stack([run[name].weight for run in drawn]).requires_grad_(),
            torch.stack([run[name].bias for run in drawn]).requires_grad_(),
        )
        for name in shapes
    }


def leaves(parameters: Parameters) -> list[Tensor]:
    """Every weight and bias, in a fixed order."""
    return [tensor for affine in parameters.values() for tensor in affine]


def _draw(shapes: Mapping[str, AffineShape], key: Key) -> dict[str, Affine]:
    """The parameters of one run. A generator of torch would do, but takes only 32 bits of the key."""
    words = np.random.Philox(key=key)

    def uniform(rows: int, shape: AffineShape) -> Tensor:
        unit = (words.random_raw(rows * shape.outputs) >> np.uint64(11)) * 2.0**-53  # [0, 1)
        return torch.from_numpy((2 * unit - 1) * shape.bound).view(rows, shape.outputs)

    return {name: Affine(uniform(shape.inputs, shape), uniform(1, shape)) for name, shape in shapes.items()}
