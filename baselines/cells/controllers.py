"""Controllers: the recurrent half of a model."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from marnn_bench.baselines.cells.initial import Blocks, Constant, InitialLaw, linear_law
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters

State = tuple[Any, ...]
"""What is carried from one step to the next: tensors, [run, batch, ...], and of some memories tuples of these."""


@dataclass(frozen=True)
class Controller(ABC):
    """A recurrent layer of `hidden` units, with the parameters and initial law of torch's layer of its name.

    Its input arrives as W_ih x + b_ih, which does not depend on the state and is computed for all steps at once. The
    hidden units come first in its state.
    """

    hidden: int
    bias: bool = True
    gates: ClassVar[int] = 1
    """How many vectors of `hidden` units W_ih x + b_ih consists of."""
    vectors: ClassVar[int] = 1
    """How many the state consists of."""
    bias_law: ClassVar[InitialLaw] = Constant(0.0)
    """Of the bias, in models that are not initialised as torch does it."""

    def shapes(self, symbols: int) -> dict[str, AffineShape]:
        """The maps of input and hidden units: U(-1/sqrt(H), 1/sqrt(H))."""
        width, law = self.gates * self.hidden, linear_law(self.hidden)
        bias = law if self.bias else None
        return {
            "input": AffineShape(symbols, width, law, bias),
            "hidden": AffineShape(self.hidden, width, law, bias),
        }

    def initial_state(self, w: Parameters, batch: int) -> State:
        """The state before the first symbol: zeros."""
        return (w.full((batch, self.hidden)),) * self.vectors

    @abstractmethod
    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        """The state after one more symbol; x: [run, batch, gates * hidden]."""


class RNN(Controller):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh)"""

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        (h,) = state
        return (torch.tanh(x + w["hidden"](h)),)


class SigmoidRNN(Controller):
    """h' = sigmoid(W_ih x + b_ih + W_hh h + b_hh)"""

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        (h,) = state
        return (torch.sigmoid(x + w["hidden"](h)),)


class LSTM(Controller):
    """The LSTM with a forget gate.

    i, f, g, o = W_ih x + b_ih + W_hh h + b_hh
    c' = sigmoid(f) c + sigmoid(i) tanh(g)
    h' = sigmoid(o) tanh(c')
    """

    gates = 4
    vectors = 2
    bias_law = Blocks((Constant(0.0), Constant(1.0), Constant(0.0), Constant(0.0)))
    """Nothing is forgotten at first."""

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        h, c = state
        i, f, g, o = (x + w["hidden"](h)).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


@dataclass(frozen=True)
class GRU(Controller):
    """The gated recurrent unit as Cho et al. 2014 have it, which is not torch's; it has no biases here.

    z, r = sigmoid(W_ih x + W_hh h)
    h~   = tanh(W_ch x + W_cc (r h))
    h'   = (1 - z) h + z h~
    """

    bias: bool = False
    gates: ClassVar[int] = 3

    def shapes(self, symbols: int) -> dict[str, AffineShape]:
        law = linear_law(self.hidden)
        return {
            "input": AffineShape(symbols, 3 * self.hidden, law, None),
            "hidden": AffineShape(self.hidden, 2 * self.hidden, law, None),
            "candidate": AffineShape(self.hidden, self.hidden, law, None),
        }

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        (h,) = state
        for_gates, for_candidate = x[..., : 2 * self.hidden], x[..., 2 * self.hidden :]
        z, r = torch.sigmoid(for_gates + w["hidden"](h)).chunk(2, -1)
        candidate = torch.tanh(for_candidate + w["candidate"](r * h))
        return ((1 - z) * h + z * candidate,)
