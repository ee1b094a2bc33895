"""Cells of other papers' kinds, made of the same parts: no controller, the output read from memory, tensors of third
order, a learned initial state.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import State
from marnn_bench.baselines.cells.gates import Softmax
from marnn_bench.baselines.cells.initial import Constant, Glorot, Uniform
from marnn_bench.baselines.cells.inputs import StepInputs, StringInputs
from marnn_bench.baselines.cells.memories import Stack
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters, TensorShape, initialise, linear

PLAIN = StringInputs(torch.tensor(1.0, dtype=torch.float64))


def one_hot(w: Parameters, ids: Tensor, symbols: int) -> Tensor:
    return nn.functional.one_hot(ids, symbols).double().expand(w.runs, -1, -1)


@dataclass(frozen=True)
class RecurrentUnitWithStack(Cell):
    """Bernardy 2018: a = softmax(W [x; top] + b), the symbol itself is pushed; softmax of the new top here."""

    cells: int = 6

    @property
    def stack(self) -> Stack:
        return Stack(self.symbols, self.cells, no_op=True)

    @property
    def shapes(self):
        return {
            "action": AffineShape(2 * self.symbols, 3, Glorot(), Constant(-1.0)),
            "output": linear(self.symbols, self.columns, bias=False),
        }

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        return one_hot(w, ids, self.symbols)

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        return (self.stack.initial(w, batch),)

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        (memory,) = state
        scores = w["action"](torch.cat([x, self.stack.read(memory)], -1))
        memory = self.stack.update(memory, Softmax()(self.stack.as_actions(scores), inputs), x)
        return (memory,), self.stack.read(memory)

    def decode(self, w: Parameters, features: Tensor) -> Tensor:
        return torch.softmax(w["output"](features), -1)


@dataclass(frozen=True)
class SecondOrderRNN(Cell):
    """Giles et al. 1992: h_i' = sigmoid(sum_jk W_ijk h_j x_k), from a learned h; odd and even steps differ by the clock."""

    hidden: int = 3

    @property
    def shapes(self):
        third = (self.hidden, self.hidden, self.symbols)
        return {
            "h0": TensorShape((1, self.hidden), Uniform(0.5)),
            "transition": TensorShape(third, Glorot()),
            "output": linear(self.hidden, self.columns),
        }

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        return one_hot(w, ids, self.symbols)

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        return (w.tensors["h0"].expand(-1, batch, -1),)

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        (h,) = state
        h = torch.sigmoid(torch.einsum("rijk,rbj,rbk->rbi", w.tensors["transition"], h, x)) + inputs.clock % 2
        return (h,), h


def literal_stack_unit(w: Parameters, run: int, ids: Tensor, cells: int) -> Tensor:
    stack, outputs = [torch.zeros(3, dtype=torch.float64)] * cells, []
    for symbol in ids:
        x = nn.functional.one_hot(symbol, 3).double()
        z = torch.cat([x, stack[0]]) @ w["action"].weight[run] + w["action"].bias[run, 0]
        push, pop, keep = torch.softmax(z, 0)
        below = [*stack[1:], 0 * x]
        stack = [
            push * above + pop * next_ + keep * cell
            for above, next_, cell in zip([x, *stack[:-1]], below, stack, strict=True)
        ]
        outputs.append(torch.softmax(stack[0] @ w["output"].weight[run], 0))
    return torch.stack(outputs)


def literal_second_order(w: Parameters, run: int, ids: Tensor) -> Tensor:
    h, outputs = w.tensors["h0"][run, 0], []
    for step, symbol in enumerate(ids):
        h = torch.sigmoid(w.tensors["transition"][run, :, :, symbol] @ h) + step % 2
        outputs.append(torch.sigmoid(h @ w["output"].weight[run] + w["output"].bias[run, 0]))
    return torch.stack(outputs)


def agree(cell: Cell, literal) -> None:
    w = initialise(cell.shapes, seed=2, runs=range(3))
    ids = torch.tensor([[0, 2, 1, 1, 0, 2, 2, 1, 0], [1, 0, 0, 2, 2, 0, 1, 2, 1]])
    ours = cell.scores(w, ids[None], PLAIN)
    theirs = torch.stack([torch.stack([literal(w, run, string) for string in ids]) for run in range(3)])
    assert (ours - theirs).abs().max().item() <= 1e-12
    tensors = [*w.tensors.values()]
    for a, b in zip(
        torch.autograd.grad(ours.square().sum(), tensors),
        torch.autograd.grad(theirs.square().sum(), tensors),
        strict=True,
    ):
        assert (a - b).abs().max().item() <= 1e-12


def test_an_output_can_be_read_from_memory_by_a_softmax():
    cell = RecurrentUnitWithStack(symbols=3, columns=4)
    agree(cell, lambda w, run, ids: literal_stack_unit(w, run, ids, cell.cells))
    assert cell.num_parameters == 6 * 3 + 3 + 3 * 4  # 6 n + 3, as published, and the output


def test_a_cell_can_have_tensors_of_third_order_and_a_learned_initial_state():
    agree(SecondOrderRNN(symbols=3, columns=2), literal_second_order)
