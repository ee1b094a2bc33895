"""Suzgun, Gehrmann, Belinkov & Shieber 2019, section 3 and appendix A, with the biases of the published code.

Memories have all their cells throughout; their operations are matrices, as section 3.3 has them.
"""

from functools import partial

import torch
from torch import Tensor, nn

from helpers.equations import Equations
from marnn_bench.baselines.cells.cell import Cell


def softmax(z: Tensor, temperature: float, noise: Tensor) -> Tensor:
    """Section 3.4; the plain one has no temperature."""
    return z.exp() / z.exp().sum()


def softmax_temp(z: Tensor, temperature: float, noise: Tensor) -> Tensor:
    """Section 3.4"""
    return (z / temperature).exp() / (z / temperature).exp().sum()


def gumbel_softmax(z: Tensor, temperature: float, noise: Tensor) -> Tensor:
    """Section 3.4, where the published code has z for log x."""
    weights = ((z + noise) / temperature).exp()
    return weights / weights.sum()


class Vanilla(Equations):
    """h' = RNN(x, h) or h', c' = LSTM(x, h, c);  y = sigmoid(W_y h' + b_y)"""

    def __init__(self, layer: type[nn.RNNCellBase], cell: Cell) -> None:
        super().__init__(cell)
        hidden = cell.controller.hidden  # type: ignore[attr-defined]
        self.controller = layer(cell.symbols, hidden)
        self.output = nn.Linear(hidden, cell.columns)

    def outputs(self, inputs: Tensor, temperature: float, noise: Tensor) -> Tensor:
        state, outputs = None, []
        for x in inputs:
            state = self.controller(x, state)
            h = state[0] if isinstance(state, tuple) else state
            outputs.append(torch.sigmoid(self.output(h)))
        return torch.stack(outputs)


class WithMemory(Equations):
    """Sections 3.1 to 3.3. `operations` are the matrices of the memory's actions, [action, cells, cells]."""

    def __init__(self, layer, gate, cell: Cell, bias: bool = True, depth: int = 1) -> None:  # type: ignore[no-untyped-def]
        super().__init__(cell)
        hidden, memory = cell.controller.hidden, cell.memory  # type: ignore[attr-defined]
        self.cells, self.width, self.gate, self.depth = memory.cells, memory.width, gate, depth
        self.controller = layer(cell.symbols, hidden, bias=bias)
        self.read = nn.Linear(depth * self.width, hidden, bias=bias)
        self.action = nn.Linear(hidden, len(self.operations(1)), bias=bias)
        self.write = nn.Linear(hidden, self.width, bias=bias)
        self.output = nn.Linear(hidden, cell.columns, bias=bias)

    @staticmethod
    def operations(cells: int) -> Tensor:
        """PUSH moves every element one cell down, POP one cell up."""
        down = torch.diag(torch.ones(cells - 1), -1).double()
        return torch.stack([down, down.T])

    def written(self, action: Tensor, n: Tensor) -> Tensor:
        """What comes into the first cell: a stack's is weighed by PUSH."""
        return action[0] * n

    def control(self, x: Tensor, h: Tensor, c: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """The controller on h~ = h + W_sh s(0)."""
        state = h + self.read(memory[0])
        if isinstance(self.controller, nn.LSTMCell):
            return self.controller(x, (state, c))
        return self.controller(x, state), c

    def outputs(self, inputs: Tensor, temperature: float, noise: Tensor) -> Tensor:
        h = c = inputs.new_zeros(self.controller.hidden_size)
        memory, operations = inputs.new_zeros(self.cells, self.width), self.operations(self.cells)
        first = torch.eye(self.cells, 1, dtype=torch.float64)
        outputs = []
        for x, g in zip(inputs, noise, strict=True):
            h, c = self.control(x, h, c, memory)
            outputs.append(torch.sigmoid(self.output(h)))
            a = self.gate(self.action(h), temperature, g)
            n = torch.sigmoid(self.write(h))
            memory = torch.einsum("a,aij,jm->im", a, operations, memory) + first * self.written(a, n)
        return torch.stack(outputs)


class BabyNTM(WithMemory):
    """Section 3.3, with the operations in the order of the published code."""

    @staticmethod
    def operations(cells: int) -> Tensor:
        """For [a, b, c, d, e]: bcdea, eabcd, abcde, 0abcd, bcde0."""
        stay = torch.eye(cells).double()
        rotate_left, rotate_right = stay.roll(-1, 0), stay.roll(1, 0)
        pop_right, pop_left = rotate_right.clone(), rotate_left.clone()
        pop_right[0], pop_left[-1] = 0, 0
        return torch.stack([rotate_left, rotate_right, stay, pop_right, pop_left])

    def written(self, action: Tensor, n: Tensor) -> Tensor:
        """M(0) = M(0) + n, whatever the action."""
        return n


class JoulinMikolov(WithMemory):
    """Appendix A: h' = sigmoid(W_ih x + W_hh h + W_sh s(0:k)), no biases; k is 2."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(nn.RNNCell, softmax, cell, bias=False, depth=2)

    def control(self, x: Tensor, h: Tensor, c: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        w_ih, w_hh = self.controller.weight_ih, self.controller.weight_hh
        top = memory[: self.depth].flatten()
        return torch.sigmoid(w_ih @ x + w_hh @ h + self.read.weight @ top), c


GATES = {"": softmax, "-temperature": softmax_temp, "-gumbel": gumbel_softmax}

EQUATIONS = {
    "rnn": partial(Vanilla, nn.RNNCell),
    "lstm": partial(Vanilla, nn.LSTMCell),
    "stack-rnn-joulin-mikolov": JoulinMikolov,
    **{f"stack-rnn{name}": partial(WithMemory, nn.RNNCell, gate) for name, gate in GATES.items()},
    **{f"stack-lstm{name}": partial(WithMemory, nn.LSTMCell, gate) for name, gate in GATES.items()},
    **{f"baby-ntm{name}": partial(BabyNTM, nn.RNNCell, gate) for name, gate in GATES.items()},
}
