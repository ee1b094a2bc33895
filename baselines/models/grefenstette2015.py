"""Grefenstette, Hermann, Suleyman & Blunsom 2015, "Learning to Transduce with Unbounded Memory": LSTMs with a Neural Stack,
Queue or DeQue, and Deep LSTMs (sections 3.4 and 4.4; Table 2 of appendix D).

Strings are joint sequences, `marnn_bench.baselines.joint`, whose source and target symbols have embeddings of their own.

The paper's counts of parameters follow from single biases, outputs o of as many numbers as an embedding has, and embeddings that
feed every layer of a Deep LSTM; they leave out embeddings, the softmax and h_0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import LSTM, Controller, State
from marnn_bench.baselines.cells.gates import Gate, Sigmoid
from marnn_bench.baselines.cells.initial import Blocks, Constant, Uniform, linear_law
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.intervals import NeuralDeQue, NeuralMemory, NeuralQueue, NeuralStack
from marnn_bench.baselines.cells.layers import EMBEDDING_LAW, LayeredCell, SoftmaxCell
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters, Shapes, TensorShape
from marnn_bench.baselines.recipes import Clipping, Recipe


@dataclass(frozen=True)
class NeuralCell(SoftmaxCell):
    """A controller with a memory of intervals (section 3.4).

    e       = E x
    h', c'  = LSTM([e, r], h, c)                             r: what was read after the last step, 0 at first
    d, u    = sigmoid(W_d h' + b_d), sigmoid(W_u h' + b_u)   push and pop, of each end
    v       = tanh(W_v h' + b_v)                             for each end
    o       = tanh(W_o h' + b_o)
    y       = softmax(E_out o + b)
    r'      = what the memory reads after these               see `NeuralMemory`

    h_0 is learned, all else begins with 0. With embeddings and outputs of e numbers, H hidden units, values of m numbers and k
    ends (1, of a DeQue 2): 4 H (e + k m + H + 1) + k (m + 2) (H + 1) + e (H + 1) parameters, beside those for symbols.

    pop_bias:          what b_u begins with, -1 (appendix D): what is popped early cuts the gradient
    bottom_push_bias:  what b_d of a DeQue's bottom begins with
    """

    controller: Controller
    memory: NeuralMemory
    gate: Gate
    embedding: int
    pop_bias: float
    bottom_push_bias: float

    @property
    def shapes(self) -> Shapes:
        hidden, memory, embedding = self.controller.hidden, self.memory, self.embedding
        width, law = self.controller.gates * hidden, linear_law(hidden)
        push = (0.0, self.bottom_push_bias)
        biases = [bias for end in range(len(memory.pushes)) for bias in (push[end], self.pop_bias)]
        return {
            "embedding": AffineShape(self.symbols, embedding, EMBEDDING_LAW, None),
            "h0": TensorShape((1, hidden), law),
            "input": AffineShape(embedding, width, law, self.controller.bias_law),
            "read": AffineShape(memory.read_size, width, law, None),
            "hidden": AffineShape(hidden, width, law, None),
            "action": AffineShape(hidden, memory.scores, law, Blocks(tuple(map(Constant, biases)))),
            "write": AffineShape(hidden, memory.write_size, law, Constant(0.0)),
            "embed": AffineShape(hidden, embedding, law, Constant(0.0)),
            "output": AffineShape(embedding, self.columns, linear_law(embedding), Constant(0.0)),
        }

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        _, *rest = self.controller.initial_state(w, batch)
        return w.tensors["h0"].expand(-1, batch, -1), *rest, self.memory.initial(w, batch, steps)

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        return w["input"](w["embedding"].of_symbols(ids))

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        *carried, memory = state
        h, *rest = self.controller.step(w, tuple(carried), x + w["read"](self.memory.read(memory)))
        signals = self.gate(self.memory.as_actions(w["action"](h)), inputs)
        memory = self.memory.update(memory, signals, torch.tanh(w["write"](h)))
        return (h, *rest, memory), h

    def decode(self, w: Parameters, features: Tensor) -> Tensor:
        """o and y, which nothing in the state depends on."""
        return super().decode(w, torch.tanh(w["embed"](features)))


@dataclass(frozen=True)
class NeuralSizes(Sizes):
    """Hidden units; numbers in a value, and in an embedding; what the biases of pop and of the bottom's push begin with."""

    hidden: int
    memory_width: int = 256
    embedding: int = 64
    pop_bias: float = -1.0
    bottom_push_bias: float = 0.0


@dataclass(frozen=True)
class DeepSizes(Sizes):
    """Hidden units of each layer; layers; numbers in an embedding."""

    hidden: int
    layers: int
    embedding: int = 64


def neural(memory: type[NeuralMemory], symbols: int, columns: int, sizes: NeuralSizes) -> Cell:
    """The LSTM with a Neural Stack, Queue or DeQue."""
    biases = sizes.pop_bias, sizes.bottom_push_bias
    return NeuralCell(
        symbols, columns, LSTM(sizes.hidden), memory(sizes.memory_width), Sigmoid(), sizes.embedding, *biases
    )


def deep_lstm(symbols: int, columns: int, sizes: DeepSizes) -> Cell:
    """The Deep LSTM: 4 H (e + H + 1) parameters in the first layer, 4 H (e + 2 H + 1) in each other one."""
    layers, law = (LSTM(sizes.hidden),) * sizes.layers, Uniform(sizes.hidden**-0.5)
    return LayeredCell(symbols, columns, layers, law, sizes.embedding, skip=True)


RECIPE = Recipe(
    name="grefenstette2015",
    procedure=(
        "joint sequences drawn afresh, the target fed as it is right; cross-entropy of its symbols and END; minibatches of ten, "
        "RMSProp; all gradients clipped at 1; the parameters with the least perplexity in training"
    ),
    learns="targets",
    epochs=100,
    fresh_rows=1_000,
    learning_rate=1e-3,
    optimiser="rmsprop",
    loss="cross-entropy",
    batch=10,
    selection="training loss",
    clipping=Clipping(1, of="gradients"),
    learning_rates=(5e-3, 1e-3, 5e-4, 1e-4, 5e-5),
    inferred=("epochs", "learning_rate"),
)
"""Section 4.4. The rate is searched by grid. The data is endless, and perplexity is taken over 100 batches: an epoch here. Training
ends "at convergence"; RMSProp's decay is not given either. "Clipping all gradients above 1" is read as each number of them; the
paper that it cites clips their norm.
"""


COPY, REVERSAL = "sequence-copy-16", "sequence-reversal-16"

SMALLER = replace(
    RECIPE,
    name="grefenstette2015-16",
    procedure=(
        "ours, for 16 symbols: as the paper's, but Adam, at a rate that is not searched, gradients clipped at .02, and the "
        "parameters with the least loss on 1,024 strings of training's lengths, by which the best restart is chosen, too"
    ),
    epochs=40,
    fresh_rows=500,
    optimiser="adam",
    clipping=Clipping(0.02, of="gradients"),
    selection="validation loss",
    learning_rates=(),
    restarts=10,
    inferred=(),
)

RECIPES = {COPY: replace(SMALLER, learning_rate=1e-2), REVERSAL: replace(SMALLER, learning_rate=3e-3)}
"""Ours, of the tasks with 16 symbols: 2,000 batches of ten, ten seconds a run."""


def baseline(
    name: str, build: partial[Cell], sizes: Sizes, smaller: Mapping[str, Sizes], row: str
) -> Baseline:
    """A model of the paper, its sizes for tasks with 16 symbols, and its row in appendix E."""
    return Baseline(name, RECIPE, build, sizes, "grefenstette2015", smaller, RECIPES, row)


def deep(layers: int) -> Baseline:
    """The Deep LSTM of so many layers."""
    smaller = DeepSizes(64, layers, 32)
    both = {COPY: smaller, REVERSAL: smaller}
    return baseline(
        f"deep-lstm-{layers}", partial(deep_lstm), DeepSizes(256, layers), both, f"{layers}-layer LSTM"
    )


def with_memory(name: str, memory: type[NeuralMemory], copying_bias: float, row: str) -> Baseline:
    """An LSTM with a memory.

    copying_bias:  what the bias of the bottom's push begins with where 16 symbols are copied
    """
    smaller = NeuralSizes(32, 32, 32)
    both = {COPY: replace(smaller, bottom_push_bias=copying_bias), REVERSAL: smaller}
    return baseline(name, partial(neural, memory), NeuralSizes(256), both, row)


BASELINES = (
    *map(deep, (1, 2, 4, 8)),
    with_memory("neural-stack-lstm", NeuralStack, 0.0, "Stack-LSTM"),
    with_memory("neural-queue-lstm", NeuralQueue, 0.0, "Queue-LSTM"),
    with_memory("neural-deque-lstm", NeuralDeQue, -2.0, "DeQue-LSTM"),
)
"""With 256 hidden units; the paper has all with 512, too."""
