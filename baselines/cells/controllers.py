"""Controllers: the recurrent half of a model."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
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

    @property
    def matrices(self) -> Mapping[str, int]:
        """Of tensors of higher order, by name, how many numbers each of their matrices has."""
        return {}

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


class PeepholeLSTM(LSTM):
    """The LSTM whose gates see the cells (Gers & Schmidhuber 2000): 3 H parameters more.

    i, f, g, o = W_ih x + b_ih + W_hh h + b_hh
    c' = sigmoid(f + p_f c) c + sigmoid(i + p_i c) tanh(g)
    h' = sigmoid(o + p_o c') tanh(c')
    """

    def shapes(self, symbols: int) -> dict[str, AffineShape]:
        peepholes = AffineShape(1, 3 * self.hidden, linear_law(self.hidden), None)
        return {**super().shapes(symbols), "peephole": peepholes}

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        h, c = state
        i, f, g, o = (x + w["hidden"](h)).chunk(4, -1)
        of_input, of_forget, of_output = w["peephole"].weight.chunk(3, -1)
        c = torch.sigmoid(f + of_forget * c) * c + torch.sigmoid(i + of_input * c) * torch.tanh(g)
        return torch.sigmoid(o + of_output * c) * torch.tanh(c), c


def multiplicative(controller: Controller, symbols: int, maps: Mapping[str, int]) -> dict[str, AffineShape]:
    """Maps of the symbol and of these vectors, so many units each from all hidden ones, and how both are integrated.

    alpha, beta_x and beta_h begin with 1, b with 0 (ours: Wu et al. 2016 choose them by task).
    """
    law, width = linear_law(controller.hidden), controller.gates * controller.hidden
    return {
        "input": AffineShape(symbols, width, law, None),
        **{name: AffineShape(controller.hidden, units, law, None) for name, units in maps.items()},
        "integrate": AffineShape(3, width, Constant(1.0), Constant(0.0)),
    }


def integrated(w: Parameters, x: Tensor, of_state: Tensor, first: int = 0) -> Tensor:
    """alpha (W x) (U h) + beta_x W x + beta_h U h + b, unit by unit, of the units from `first` on (Wu et al. 2016, equation 4)"""
    units = slice(first, first + of_state.shape[-1])
    factors, x = w["integrate"].weight[..., units], x[..., units]
    alpha, beta_x, beta_h = factors[:, :1], factors[:, 1:2], factors[:, 2:]
    return alpha * x * of_state + beta_x * x + beta_h * of_state + w.tensors["integrate.bias"][..., units]


class MultiplicativeRNN(Controller):
    """MI-RNN (Wu et al. 2016): h' = tanh(alpha (W x) (U h) + beta_x W x + beta_h U h + b)"""

    def shapes(self, symbols: int) -> dict[str, AffineShape]:
        return multiplicative(self, symbols, {"hidden": self.hidden})

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        (h,) = state
        return (torch.tanh(integrated(w, x, w["hidden"](h))),)


class MultiplicativeLSTM(Controller):
    """MI-LSTM: the LSTM, i, f, g and o as in `MultiplicativeRNN`."""

    gates = 4
    vectors = 2

    def shapes(self, symbols: int) -> dict[str, AffineShape]:
        return multiplicative(self, symbols, {"hidden": 4 * self.hidden})

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        h, c = state
        i, f, g, o = integrated(w, x, w["hidden"](h)).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(c), c


class MultiplicativeGRU(Controller):
    """MI-GRU: `GRU`, z, r and h~ as in `MultiplicativeRNN`."""

    gates = 3

    def shapes(self, symbols: int) -> dict[str, AffineShape]:
        return multiplicative(self, symbols, {"hidden": 2 * self.hidden, "candidate": self.hidden})

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        (h,) = state
        z, r = torch.sigmoid(integrated(w, x, w["hidden"](h))).chunk(2, -1)
        candidate = torch.tanh(integrated(w, x, w["candidate"](r * h), first=2 * self.hidden))
        return ((1 - z) * h + z * candidate,)
