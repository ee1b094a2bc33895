"""Controllers: the recurrent half of a model."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters

State = tuple[Tensor, ...]
"""What is carried from one step to the next, each tensor [run, batch, ...]; the hidden units come first."""


@dataclass(frozen=True)
class Controller(ABC):
    """A recurrent layer of `hidden` units, with the parameters and initial law of torch's layer of its name.

    Its input arrives as W_ih x + b_ih, which does not depend on the state and is computed for all steps at once.
    """

    hidden: int
    gates: ClassVar[int]
    vectors: ClassVar[int]
    """How many vectors of `hidden` units the state consists of."""

    def shapes(self, symbols: int) -> dict[str, AffineShape]:
        """The maps of input and hidden units: U(-1/sqrt(H), 1/sqrt(H))."""
        width, bound = self.gates * self.hidden, self.hidden**-0.5
        return {"input": AffineShape(symbols, width, bound), "hidden": AffineShape(self.hidden, width, bound)}

    def initial_state(self, runs: int, batch: int) -> State:
        """The state before the first symbol: zeros."""
        return (torch.zeros(runs, batch, self.hidden, dtype=torch.float64),) * self.vectors

    @abstractmethod
    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        """The state after one more symbol; x: [run, batch, gates * hidden]."""


class RNN(Controller):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh)"""

    gates = 1
    vectors = 1

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        (h,) = state
        return (torch.tanh(x + w["hidden"](h)),)


class LSTM(Controller):
    """The LSTM with a forget gate.

    i, f, g, o = W_ih x + b_ih + W_hh h + b_hh
    c' = sigmoid(f) c + sigmoid(i) tanh(g)
    h' = sigmoid(o) tanh(c')
    """

    gates = 4
    vectors = 2

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        h, c = state
        i, f, g, o = (x + w["hidden"](h)).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c
