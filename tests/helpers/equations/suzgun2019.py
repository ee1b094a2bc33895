"""Suzgun, Gehrmann, Belinkov & Shieber 2019, section 3."""

import torch
from torch import Tensor, nn

from helpers.equations import Equations
from marnn_bench.baselines.cells.cell import Cell


class VanillaRNN(Equations):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh)"""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self.controller = nn.RNNCell(cell.symbols, cell.controller.hidden)

    def hidden_units(self, inputs: Tensor) -> Tensor:
        h, hidden = None, []
        for x in inputs:
            h = self.controller(x, h)
            hidden.append(h)
        return torch.stack(hidden)


class VanillaLSTM(Equations):
    """h', c' = LSTM(x, h, c)"""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        self.controller = nn.LSTMCell(cell.symbols, cell.controller.hidden)

    def hidden_units(self, inputs: Tensor) -> Tensor:
        state, hidden = None, []
        for x in inputs:
            state = self.controller(x, state)
            hidden.append(state[0])
        return torch.stack(hidden)


class StackRNN(Equations):
    """Section 3.1, with the biases of the published code and all cells of the stack throughout."""

    def __init__(self, cell: Cell) -> None:
        super().__init__(cell)
        hidden = cell.controller.hidden
        self.width, self.cells = cell.width, cell.cells  # type: ignore[attr-defined]
        self.controller = nn.RNNCell(cell.symbols, hidden)
        self.read = nn.Linear(self.width, hidden)  # W_sh
        self.action = nn.Linear(hidden, 2)  # W_a
        self.write = nn.Linear(hidden, self.width)  # W_n

    def hidden_units(self, inputs: Tensor) -> Tensor:
        h = inputs.new_zeros(self.controller.hidden_size)
        stack = inputs.new_zeros(self.cells, self.width)
        hidden = []
        for x in inputs:
            h = self.controller(x, h + self.read(stack[0]))
            push, pop = torch.softmax(self.action(h), -1)
            pushed = torch.cat([torch.sigmoid(self.write(h))[None], stack[:-1]])
            popped = torch.cat([stack[1:], stack.new_zeros(1, self.width)])
            stack = push * pushed + pop * popped
            hidden.append(h)
        return torch.stack(hidden)


EQUATIONS = {"rnn": VanillaRNN, "lstm": VanillaLSTM, "stack-rnn": StackRNN}
