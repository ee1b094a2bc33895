"""Parameters: affine maps and plain tensors under names, one copy per run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.initial import InitialLaw, linear_law
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.generators.keys import derive_key

WEIGHT, BIAS = ".weight", ".bias"


@dataclass(frozen=True)
class TensorShape:
    """A tensor of each run, of any order, and its initial law: a learned initial state, a tensor of third order."""

    shape: tuple[int, ...]
    law: InitialLaw

    def tensors(self, name: str) -> "dict[str, TensorShape]":
        """Itself."""
        return {name: self}


@dataclass(frozen=True)
class AffineShape:
    """The shape of an affine map, and the initial laws of its weight and its bias, if it has one."""

    inputs: int
    outputs: int
    weight: InitialLaw
    bias: InitialLaw | None

    def tensors(self, name: str) -> dict[str, TensorShape]:
        """NAME.weight and NAME.bias."""
        weight = {name + WEIGHT: TensorShape((self.inputs, self.outputs), self.weight)}
        return weight | ({name + BIAS: TensorShape((1, self.outputs), self.bias)} if self.bias else {})


Shapes = Mapping[str, AffineShape | TensorShape]


def linear(inputs: int, outputs: int, bias: bool = True) -> AffineShape:
    """The shape and initial law of torch.nn.Linear(inputs, outputs, bias)."""
    law = linear_law(inputs)
    return AffineShape(inputs, outputs, law, law if bias else None)


def part(name: str, shapes: Shapes) -> dict[str, AffineShape | TensorShape]:
    """The shapes of a part of a model, such as a layer, under the names by which `Parameters.part` finds them.

    >>> list(part("layer1", {"input": linear(4, 8), "hidden": linear(8, 8)}))
    ['layer1/input', 'layer1/hidden']
    """
    return {f"{name}/{of_part}": shape for of_part, shape in shapes.items()}


def tensor_shapes(shapes: Shapes) -> dict[str, TensorShape]:
    """Every tensor of a model, in the order in which they are drawn.

    >>> {name: tensor.shape for name, tensor in tensor_shapes({"read": linear(1, 8)}).items()}
    {'read.weight': (1, 8), 'read.bias': (1, 8)}
    """
    return {part: tensor for name, shape in shapes.items() for part, tensor in shape.tensors(name).items()}


def count_parameters(shapes: Shapes) -> int:
    """How many numbers a run has."""
    return sum(prod(tensor.shape) for tensor in tensor_shapes(shapes).values())


class Affine(NamedTuple):
    """x -> W x + b, in all runs at once.

    weight: [run, inputs, outputs]  the transpose of torch's layout, so that no step has to transpose
    bias:   [run, 1, outputs]
    """

    weight: Tensor
    bias: Tensor | None

    def __call__(self, x: Tensor) -> Tensor:
        """[run, batch, inputs] -> [run, batch, outputs]"""
        if self.bias is None:
            return torch.bmm(x, self.weight)
        return torch.baddbmm(self.bias, x, self.weight)

    def of_symbols(self, ids: Tensor) -> Tensor:
        """The map of one-hot vectors, given by their ids: [run (or 1 for all), batch] -> [run, batch, outputs]"""
        runs = torch.arange(len(self.weight), device=self.weight.device).unsqueeze(1)
        chosen = self.weight[runs, ids]
        return chosen if self.bias is None else chosen + self.bias


class Parameters:
    """The parameters of some runs.

    tensors:  by name, [run, ...]; those of an affine map are called MAP.weight and MAP.bias

    `parameters["read"]` is the affine map of that name, `parameters.tensors["h0"]` a tensor that belongs to none.
    """

    def __init__(self, tensors: Mapping[str, Tensor]) -> None:
        self.tensors = dict(tensors)
        self._maps = {
            name.removesuffix(WEIGHT): Affine(weight, tensors.get(name.removesuffix(WEIGHT) + BIAS))
            for name, weight in tensors.items()
            if name.endswith(WEIGHT)
        }
        self._parts: dict[str, Parameters] = {}

    def __getitem__(self, name: str) -> Affine:
        return self._maps[name]

    def part(self, name: str) -> "Parameters":
        """The parameters of a part of the model, under their names in it."""
        if name not in self._parts:
            prefix = name + "/"
            within = {
                key.removeprefix(prefix): t for key, t in self.tensors.items() if key.startswith(prefix)
            }
            self._parts[name] = Parameters(within)
        return self._parts[name]

    @property
    def runs(self) -> int:
        """How many runs these are of."""
        return len(next(iter(self.tensors.values())))

    def full(self, size: tuple[int, ...], value: float = 0.0) -> Tensor:
        """A tensor of one value, [run, *size], of the parameters' type and on their device."""
        return next(iter(self.tensors.values())).new_full((self.runs, *size), value)

    def each(self, change: Callable[[Tensor], Tensor]) -> "Parameters":
        """The same with every tensor changed."""
        return Parameters({name: change(tensor) for name, tensor in self.tensors.items()})


def initialise(shapes: Shapes, seed: int, runs: Iterable[int]) -> Parameters:
    """Fresh parameters of these runs. Those of a run depend on the seed and its number, not on the other runs."""
    drawn = [_draw(tensor_shapes(shapes), seed, run) for run in runs]
    return Parameters(
        {name: torch.from_numpy(np.stack([run[name] for run in drawn])).requires_grad_() for name in drawn[0]}
    )


def _draw(shapes: Mapping[str, TensorShape], seed: int, run: int) -> dict[str, NDArray[np.float64]]:
    """The parameters of one run. A generator of torch would do, but takes only 32 bits of the key."""
    key = derive_key({"purpose": "initial parameters", "seed": seed, "run": run})
    words = np.random.Philox(key=key)

    def uniforms(count: int) -> NDArray[np.float64]:
        return (words.random_raw(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    return {name: tensor.law.draw(tensor.shape, uniforms) for name, tensor in shapes.items()}
