"""Cells: a controller, a memory, and the gates between them, as one function of parameters, state and input."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from marnn_bench.baselines.cells.controllers import Controller, State
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters, linear


@dataclass(frozen=True)
class Cell(ABC):
    """A model without its parameters.

    Every tensor leads with [run, batch, ...] and every parameter with [run, ...], so that any number of runs is
    computed by one program, each by its own mathematics.
    """

    symbols: int
    columns: int
    controller: Controller

    @property
    def shapes(self) -> Mapping[str, AffineShape]:
        """Its affine maps."""
        output = linear(self.controller.hidden, self.columns)
        return {**self.controller.shapes(self.symbols), **self.memory_shapes(), "output": output}

    @property
    def num_parameters(self) -> int:
        """Number of parameters of one run."""
        return sum(shape.num_parameters for shape in self.shapes.values())

    def memory_shapes(self) -> dict[str, AffineShape]:
        """The maps between controller and memory."""
        return {}

    def initial_state(self, runs: int, batch: int) -> State:
        """The state before the first symbol."""
        return self.controller.initial_state(runs, batch)

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        """What the controller is given of these symbols: [run (or 1 for all), batch] -> [run, batch, ...]"""
        return w["input"].of_symbols(ids)

    @abstractmethod
    def step(self, w: Parameters, state: State, x: Tensor) -> tuple[State, Tensor]:
        """The state after one more symbol, which is x encoded, and the hidden units to decode the output from."""

    def decode(self, w: Parameters, h: Tensor) -> Tensor:
        """y = sigmoid(W_y h + b_y): [run, batch, hidden] -> [run, batch, columns]"""
        return torch.sigmoid(w["output"](h))

    def scores(self, w: Parameters, ids: Tensor) -> Tensor:
        """The outputs after every symbol of strings of one length.

        ids [run (or 1 for all), batch, steps] -> [run, batch, steps, columns]

        Neither encoding nor decoding depends on the order of the symbols: both are done for all steps at once.
        """
        runs, batch, steps = len(w["input"].weight), *ids.shape[1:]
        state = self.initial_state(runs, batch)
        hidden = []
        for x in self.encode(w, ids.flatten(1)).view(runs, batch, steps, -1).unbind(2):
            state, h = self.step(w, state, x)
            hidden.append(h)
        return self.decode(w, torch.stack(hidden, 2).flatten(1, 2)).view(runs, batch, steps, self.columns)
