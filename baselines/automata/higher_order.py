"""Recurrent products of second and third order: of state, symbol and what a stack shows on top.

Symbols are one-hot, so a product with one is the choice of a matrix: a tensor of third order becomes, symbol by symbol, one of
second order. What is read of a stack, r, is not chosen by: errors go back through it to the actions that brought it to the top.

h: states [run, batch, hidden]; r: reads [run, batch, tops]; x: what `encode` gives of the symbols, [run, batch, width].
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from marnn_bench.baselines.automata.quantised import sigmoid
from marnn_bench.baselines.cells.controllers import Controller, State
from marnn_bench.baselines.cells.initial import Constant, Uniform
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters, Shapes, TensorShape

Activation = Callable[[Tensor], Tensor]

LAW = Uniform(0.3)
"""Of all initial weights but biases and those of the output: ours."""


@dataclass(frozen=True)
class Product(ABC):
    """The maps from state, symbol and read to the next state and to the action.

    inputs:  how many symbols there are, END among them if it is a step of its own
    tops:    how many things can be read: BOTTOM, then the symbols
    """

    inputs: int
    tops: int
    hidden: int

    @property
    @abstractmethod
    def shapes(self) -> Shapes:
        """The tensors."""

    @property
    @abstractmethod
    def matrices(self) -> Mapping[str, int]:
        """Of the tensors that are sets of matrices, how many numbers a matrix has."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many weights a symbol chooses."""

    @abstractmethod
    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        """The weights that these symbols choose: [run (or 1 for all), batch] -> [run, batch, width]"""

    @abstractmethod
    def step(self, w: Parameters, x: Tensor, h: Tensor, r: Tensor, g: Activation) -> tuple[Tensor, Tensor]:
        """The next state, [run, batch, hidden], and what decides on push and pop, [run, batch, 1].

        x may be of one symbol for the whole batch; g is the activation of the states.
        """


class SecondOrder(Product):
    """State by symbol and state by read: [x; r] is one vector.

    h'_j = g(sum_ik U_jik h_i [x; r]_k + b_j)
    a    = sum_jk A_jk h'_j [x; r]_k

    The action is read from the new state, since symbol and read add up and never multiply: only a neuron can be their
    conjunction. With d inputs, t tops and n states (n^2 + n) (d + t) + n parameters.
    """

    @property
    def shapes(self) -> Shapes:
        n = self.hidden
        return {
            "state": AffineShape(self.inputs, n * n, LAW, None),
            "state_top": TensorShape((self.tops * n, n), LAW),
            "action": AffineShape(self.inputs, n, LAW, None),
            "action_top": TensorShape((self.tops, n), LAW),
            "bias": TensorShape((1, n), Constant(0.0)),
        }

    @property
    def matrices(self) -> Mapping[str, int]:
        return dict.fromkeys(("state.weight", "state_top"), self.hidden**2)

    @property
    def width(self) -> int:
        return self.hidden * (self.hidden + 1)

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        return torch.cat([w["state"].of_symbols(ids), w["action"].of_symbols(ids)], -1)

    def step(self, w: Parameters, x: Tensor, h: Tensor, r: Tensor, g: Activation) -> tuple[Tensor, Tensor]:
        of_state, of_action = torch.split(x, [self.hidden**2, self.hidden], -1)
        of_top = torch.baddbmm(w.tensors["bias"], outer(r, h), w.tensors["state_top"])
        after = g(of_top + chosen_product(h, of_state))
        weights = of_action + torch.bmm(r, w.tensors["action_top"])
        return after, (weights * after).sum(-1, keepdim=True)


class ThirdOrder(Product):
    """State by symbol by read.

    h'_j = g(sum_ikl W_jikl h_i x_k r_l + b_j)
    a    = sum_ikl A_ikl h_i x_k r_l

    A lies behind W, as if it were of one more state: `weights` is [input, top, from, to or action]. With d inputs, t tops and n
    states (n^2 + n) d t + n parameters.
    """

    @property
    def shapes(self) -> Shapes:
        return {
            "weights": AffineShape(self.inputs, self.width, LAW, None),
            "bias": TensorShape((1, self.hidden), Constant(0.0)),
        }

    @property
    def matrices(self) -> Mapping[str, int]:
        return {"weights.weight": self.hidden * (self.hidden + 1)}

    @property
    def width(self) -> int:
        return self.tops * self.hidden * (self.hidden + 1)

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        return w["weights"].of_symbols(ids)

    def step(self, w: Parameters, x: Tensor, h: Tensor, r: Tensor, g: Activation) -> tuple[Tensor, Tensor]:
        z, action = torch.split(chosen_product(outer(r, h), x), [self.hidden, 1], -1)
        return g(z + w.tensors["bias"]), action


class SecondOrderRNN(Controller):
    """The second-order RNN (Giles et al. 1992), without a stack: the symbol chooses the matrix.

    h'_j = sigmoid(sum_ik W_jik h_i x_k + b_j)

    The first neuron is 1 at first, the others 0. With d symbols and n states n^2 d + n parameters.
    """

    def shapes(self, symbols: int) -> dict[str, AffineShape]:
        return {
            "input": AffineShape(symbols, self.hidden**2, LAW, None),
            "bias": AffineShape(1, self.hidden, Constant(0.0), None),
        }

    @property
    def matrices(self) -> Mapping[str, int]:
        return {"input.weight": self.hidden**2}

    def initial_state(self, w: Parameters, batch: int) -> State:
        return (first_neuron(w, batch, self.hidden),)

    def step(self, w: Parameters, state: State, x: Tensor) -> State:
        (h,) = state
        return (sigmoid(chosen_product(h, x) + w["bias"].weight),)


ORDERS: dict[int, type[Product]] = {2: SecondOrder, 3: ThirdOrder}


def first_neuron(w: Parameters, batch: int, hidden: int) -> Tensor:
    """The state before a string: the first neuron 1, the others 0 (orthogonal state encoding)."""
    return torch.cat([w.full((batch, 1), 1.0), w.full((batch, hidden - 1))], -1)


def outer(r: Tensor, h: Tensor) -> Tensor:
    """All products of a read and a state, the reads one behind the other: [run, batch, tops * hidden]"""
    return (r.unsqueeze(-1) * h.unsqueeze(-2)).flatten(2)


def chosen_product(vectors: Tensor, chosen: Tensor) -> Tensor:
    """Each vector [run, batch, k] times the matrix that was chosen for it, [run, batch or 1, k * n]: [run, batch, n]"""
    (runs, batch, k), of = vectors.shape, chosen.shape[1]
    if of == 1:
        return torch.bmm(vectors, chosen.reshape(runs, k, -1))
    products = torch.bmm(vectors.reshape(runs * batch, 1, k), chosen.reshape(runs * batch, k, -1))
    return products.view(runs, batch, -1)
