"""Models that are written as a torch.nn.Module: from all ids of a string to the answers after each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import State
from marnn_bench.baselines.cells.initial import Uniforms
from marnn_bench.baselines.cells.inputs import StepInputs, StringInputs
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import Parameters, Shapes, TensorShape

Factory = Callable[[int, int], Any]
"""From the numbers of symbols and of columns to a torch.nn.Module."""


@dataclass(frozen=True)
class OfModule:
    """How a module begins a parameter: that of a module made for it with a random seed."""

    make: Callable[[], Any]
    name: str

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(uniforms(1)[0] * 2**53))
            drawn: NDArray[np.float64] = self.make().get_parameter(self.name).detach().double().numpy()
        return drawn


@dataclass(frozen=True)
class ModuleCell(Cell):
    """A module that is called with int64 ids [batch, steps] and gives answers [batch, steps, columns], each from the ids up to
    its own: numbers between 0 and 1, or, if it has a true attribute `distribution`, distributions over the columns.

    It computes in double precision and as at evaluation, without dropout. Symbol by symbol it is given the whole prefix again.
    """

    factory: Factory

    @cached_property
    def module(self) -> Any:
        """One module, whose parameters are not used."""
        return self.factory(self.symbols, self.columns).double().eval()

    @property
    def distribution(self) -> bool:  # type: ignore[override]
        return bool(getattr(self.module, "distribution", False))

    @property
    def shapes(self) -> Shapes:
        return {
            name: TensorShape(tuple(parameter.shape), OfModule(self._make, name))
            for name, parameter in self.module.named_parameters()
        }

    def _make(self) -> Any:
        return self.factory(self.symbols, self.columns)

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        return (torch.zeros(w.runs, batch, 0, dtype=torch.int64),)

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        return ids

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        prefixes = torch.cat([state[0], x.expand(w.runs, -1)[..., None]], 2)
        return (prefixes,), self._answers(w, prefixes)[:, :, -1]

    def decode(self, w: Parameters, features: Tensor) -> Tensor:
        return features

    def scores(self, w: Parameters, ids: Tensor, inputs: StringInputs) -> Tensor:
        """The answers after every symbol, all steps at once."""
        return self._answers(w, ids.expand(w.runs, -1, -1))

    def _answers(self, w: Parameters, ids: Tensor) -> Tensor:
        """[run, batch, steps] -> [run, batch, steps, columns], run by run; runs of the same parameters are one batch."""
        if all(tensor.stride(0) == 0 for tensor in w.tensors.values()):
            of_all = {name: tensor[0] for name, tensor in w.tensors.items()}
            return self._call(of_all, ids.flatten(0, 1)).view(*ids.shape, self.columns)
        runs = [{name: tensor[run] for name, tensor in w.tensors.items()} for run in range(w.runs)]
        return torch.stack([self._call(of_run, given) for of_run, given in zip(runs, ids, strict=True)])

    def _call(self, parameters: Mapping[str, Tensor], ids: Tensor) -> Tensor:
        answers: Tensor = torch.func.functional_call(self.module, dict(parameters), (ids,))
        if answers.shape != (*ids.shape, self.columns):
            expected = [*ids.shape, self.columns]
            raise ValueError(
                f"the module answered ids {[*ids.shape]} with {[*answers.shape]}, not {expected}"
            )
        return answers
