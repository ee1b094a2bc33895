"""Suzgun, Gehrmann, Belinkov & Shieber 2019, "Memory-Augmented Recurrent Neural Networks Can Learn Generalized Dyck
Languages": the models of section 3.

The published code has biases that the paper leaves out: in the maps of output (b_y), read (b_sh), action (b_a) and
write (b_n). They are here.
"""

from dataclasses import dataclass

from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import LSTM, RNN, State
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.memory import update_stack
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters, linear
from marnn_bench.baselines.recipes import SUZGUN2019


class VanillaCell(Cell):
    """A controller alone: h' = RNN(x, h) or h', c' = LSTM(x, h, c);  y = sigmoid(W_y h' + b_y)."""

    def step(self, w: Parameters, state: State, x: Tensor) -> tuple[State, Tensor]:
        state = self.controller.step(w, state, x)
        return state, state[0]


@dataclass(frozen=True)
class StackCell(Cell):
    """A controller with a stack of superposed elements (sections 3.1 and 3.2).

    h~    = h + W_sh s(0) + b_sh
    h'    = RNN(x, h~)
    y     = sigmoid(W_y h' + b_y)
    a     = softmax(W_a h' + b_a)                               push, pop
    n     = sigmoid(W_n h' + b_n)
    s'(0) = a_push n      + a_pop s(1)
    s'(i) = a_push s(i-1) + a_pop s(i+1)
    """

    width: int
    cells: int

    def memory_shapes(self) -> dict[str, AffineShape]:
        hidden = self.controller.hidden
        return {
            "read": linear(self.width, hidden),
            "action": linear(hidden, 2),
            "write": linear(hidden, self.width),
        }

    def initial_state(self, runs: int, batch: int) -> State:
        return *self.controller.initial_state(runs, batch), torch.zeros(
            runs, batch, 1, self.width, dtype=torch.float64
        )

    def step(self, w: Parameters, state: State, x: Tensor) -> tuple[State, Tensor]:
        h, *rest, stack = state
        h, *rest = self.controller.step(w, (h + w["read"](stack[:, :, 0]), *rest), x)
        push, pop = torch.softmax(w["action"](h), -1)[..., None, None].unbind(2)  # [run, batch, 1, 1] each
        n = torch.sigmoid(w["write"](h)).unsqueeze(2)  # [run, batch, 1, width]
        return (h, *rest, update_stack(stack, push, pop, n, self.cells)), h


def rnn(symbols: int, columns: int, sizes: Sizes) -> Cell:
    """The vanilla RNN."""
    return VanillaCell(symbols, columns, RNN(sizes.hidden))


def lstm(symbols: int, columns: int, sizes: Sizes) -> Cell:
    """The vanilla LSTM."""
    return VanillaCell(symbols, columns, LSTM(sizes.hidden))


def stack_rnn(symbols: int, columns: int, sizes: Sizes) -> Cell:
    """The Stack-RNN."""
    return StackCell(symbols, columns, RNN(sizes.hidden), sizes.memory_width, sizes.memory_cells)


DEFAULT_SIZES = Sizes(hidden=8, memory_width=1, memory_cells=104)
"""Section 4.2. In the published code the stacks, too, have 104 cells; the longest string has 100 symbols."""

SIZES = {
    "dyck6": Sizes(hidden=12, memory_width=5, memory_cells=104),
    "marked-palindrome": Sizes(hidden=8, memory_width=5, memory_cells=104),
}
"""Sections 5.2 and 6.2: memories five wide, and for six kinds of brackets twelve hidden units."""

BASELINES = (
    Baseline("rnn", "suzgun2019", SUZGUN2019, rnn, DEFAULT_SIZES, SIZES, "Vanilla RNN"),
    Baseline("lstm", "suzgun2019", SUZGUN2019, lstm, DEFAULT_SIZES, SIZES, "Vanilla LSTM"),
    Baseline("stack-rnn", "suzgun2019", SUZGUN2019, stack_rnn, DEFAULT_SIZES, SIZES, "Stack-RNN+Softmax"),
)
