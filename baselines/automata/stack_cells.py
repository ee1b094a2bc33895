"""Neural pushdown automata: a product of higher order with a continuous or with a discrete stack.

With a continuous stack this is the NNPDA (Das, Giles & Sun 1992; Sun et al. 1998), with a discrete one the NSPDA (Mali et al.
2019). Both push the symbol that they read.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from marnn_bench.baselines.automata.discrete_stack import DiscreteStack, one_hot
from marnn_bench.baselines.automata.higher_order import ORDERS, Product, first_neuron
from marnn_bench.baselines.automata.quantised import quantised, sigmoid, ternary
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import State
from marnn_bench.baselines.cells.initial import InitialLaw
from marnn_bench.baselines.cells.inputs import StepInputs, StringInputs
from marnn_bench.baselines.cells.intervals import NeuralStack
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.memories import Memory
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters, Shapes, TensorShape, linear


@dataclass(frozen=True)
class StackCell(Cell):
    """What both have in common.

    hidden:     state neurons, of which the first is 1 before a string and all others are 0
    order:      2 or 3, of the product
    knowledge:  initial laws that take the place of the usual ones, by tensor: hints and programs
    """

    hidden: int
    order: int
    memory: Memory[Any]
    knowledge: tuple[tuple[str, InitialLaw], ...] = ()

    @property
    def inputs(self) -> int:
        """How many symbols can be a step."""
        return self.symbols

    @cached_property
    def product(self) -> Product:
        """The maps from state, symbol and read."""
        return ORDERS[self.order](self.inputs, 1 + self.symbols, self.hidden)

    @property
    def shapes(self) -> Shapes:
        shapes: dict[str, AffineShape | TensorShape] = {
            **self.product.shapes,
            "output": linear(self.hidden, self.columns),
        }
        for name, law in self.knowledge:
            whole, _, kind = name.partition(".")
            shapes[whole] = _with_law(shapes[whole], kind, law)
        return shapes

    @property
    def matrices(self) -> Mapping[str, int]:
        return self.product.matrices

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        return first_neuron(w, batch, self.hidden), self.memory.initial(w, batch, steps)

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        """The weights that the symbols choose, then the symbols themselves, one-hot."""
        places = ids.expand(w.runs, -1).unsqueeze(-1)
        symbols = one_hot(places, w.full((ids.shape[1], self.symbols)))
        return torch.cat([self.product.encode(w, ids), symbols], -1)

    @abstractmethod
    def transition(self, w: Parameters, h: Tensor, x: Tensor, r: Tensor) -> tuple[Sequence[Tensor], Tensor]:
        """The states after a symbol, x encoded, with r on top, one or of several predictions, the last of which stays, each
        [run, batch, hidden], and what decides on push and pop, [run, batch, 1].
        """

    def _split(self, x: Tensor) -> tuple[Tensor, ...]:
        """The weights that a symbol chooses, and the symbol."""
        return torch.split(x, [self.product.width, self.symbols], -1)


@dataclass(frozen=True)
class NSPDA(StackCell):
    """The neural state pushdown automaton: a discrete stack.

    h' = g(...), the quantised sigmoid or the plain one         see `SecondOrder` and `ThirdOrder`
    a  = ternary(...)                                           push the symbol, pop, or neither
    r' = the symbol on top, one-hot, or BOTTOM
    y  = sigmoid(W_y h' + b_y), or of the state after END, if `end`

    A network sees the top before it acts, so not that its last pop emptied the stack. Either it reads END and with it BOTTOM,
    which every answer is given after, or its states must know.

    Iterative refinement (equations 8 and 9, whose formulas are lost): a step makes K predictions, each from the state before it with
    the same symbol and read, h^(k) = g(... h^(k-1) ...) with h^(0) = h and h' = h^(K); the stack moves once. The loss is the mean over
    all of them. A transition that is hinted at is made once, and predicted from K times.

    quantised:           whether states are 0 or 1
    end:                 whether END is a step
    predictions_a_step:  K
    known:               [input, top]  where transitions are hinted at
    """

    memory: DiscreteStack
    quantised: bool = True
    end: bool = True
    predictions_a_step: int = 1
    known: tuple[tuple[bool, ...], ...] = ()

    @property
    def inputs(self) -> int:
        return self.symbols + self.end

    def activate(self, z: Tensor) -> Tensor:
        """g"""
        return quantised(z) if self.quantised else sigmoid(z)

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        h, stack = state
        inner, action = self.transition(w, h, x, self.memory.read(stack))
        stack = self.memory.update(stack, ternary(action), self._split(x)[1])
        return (inner[-1], stack), torch.cat([inner[-1], self.memory.read(stack), *inner[:-1]], -1)

    def transition(self, w: Parameters, h: Tensor, x: Tensor, r: Tensor) -> tuple[list[Tensor], Tensor]:
        """The states h^(1), ..., h^(K), each [run, batch, hidden], and what decides on push and pop."""
        chosen, symbol = self._split(x)
        after, action = self.product.step(w, chosen, h, r, self.activate)
        inner = [after]
        for _ in range(self.predictions_a_step - 1):
            refined, _ = self.product.step(w, chosen, inner[-1], r, self.activate)
            inner.append(torch.where(self._is_known(symbol, r), after, refined) if self.known else refined)
        return inner, action

    def _is_known(self, symbol: Tensor, r: Tensor) -> Tensor:
        """Whether the transition is hinted at: [run, batch, 1]"""
        known = torch.tensor(self.known, dtype=r.dtype, device=r.device)[: self.symbols]
        return ((symbol @ known) * r.detach()).sum(-1, keepdim=True) > 0

    def predictions(self, w: Parameters, ids: Tensor, inputs: StringInputs) -> Sequence[Tensor]:
        features, size = self.features(w, ids, inputs), (w.runs, *ids.shape[1:], self.columns)
        widths = [self.hidden, self.memory.read_size, *[self.hidden] * (self.predictions_a_step - 1)]
        h, r, *inner = torch.split(features, widths, -1)
        return [self.decode(w, torch.cat([of_step, r], -1)).view(size) for of_step in (*inner, h)]

    def decode(self, w: Parameters, features: Tensor) -> Tensor:
        """The answers by h', after END if that is a step."""
        h, r = features[..., : self.hidden], features[..., self.hidden : self.hidden + self.memory.read_size]
        if self.end:
            ids = torch.full((1, 1), self.symbols, device=h.device)
            h, _ = self.product.step(w, self.product.encode(w, ids), h, r, self.activate)
        return super().decode(w, h)


@dataclass(frozen=True)
class NNPDA(StackCell):
    """The neural network pushdown automaton: a continuous stack, which is `NeuralStack` with symbols as values.

    h' = sigmoid(...)                               see `SecondOrder` and `ThirdOrder`
    a  = max(-1, min(1, ...))                       pushes a of the symbol if positive, pops -a if negative
    r' = the last unit of length of the stack, symbol by symbol, then BOTTOM for what is missing of it
    L' = max(0, L - pop) + push                     how much is on the stack
    D' = D + max(0, pop - L)                        how much was popped below its bottom, which rejects
    y  = sigmoid(W_y h' + b_y) exp(-L' - D')        acceptance by state and empty stack

    Gradients are exact; those of the historical network are approximate, since it takes the derivative of what is read by the
    last action alone. The exponential is ours.
    """

    memory: NeuralStack

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        h, stack = super().initial_state(w, batch, steps)
        return h, w.full((batch, 1)), w.full((batch, 1)), stack

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        h, height, below, stack = state
        read = self.memory.read(stack)
        (after,), action = self.transition(w, h, x, torch.cat([1 - read.sum(-1, keepdim=True), read], -1))
        action = clipped(action)
        push, pop = torch.relu(action), torch.relu(-action)
        below = below + torch.relu(pop - height)
        height = torch.relu(height - pop) + push
        stack = self.memory.update(
            stack, self.memory.as_actions(torch.cat([push, pop], -1)), self._split(x)[1]
        )
        return (after, height, below, stack), torch.cat([after, height + below], -1)

    def transition(self, w: Parameters, h: Tensor, x: Tensor, r: Tensor) -> tuple[list[Tensor], Tensor]:
        after, action = self.product.step(w, self._split(x)[0], h, r, sigmoid)
        return [after], action

    def decode(self, w: Parameters, features: Tensor) -> Tensor:
        """The answers."""
        return super().decode(w, features[..., :-1]) * torch.exp(-features[..., -1:])


def clipped(z: Tensor) -> Tensor:
    """Within -1 and 1; no number where z is infinite."""
    one = torch.ones_like(z)
    return torch.minimum(torch.maximum(z, -one), one) + 0 * z


def _with_law(shape: AffineShape | TensorShape, kind: str, law: InitialLaw) -> AffineShape | TensorShape:
    """The same with another initial law, of its weight, its bias or the whole."""
    if isinstance(shape, TensorShape):
        return replace(shape, law=law)
    return replace(shape, weight=law) if kind == "weight" else replace(shape, bias=law)
