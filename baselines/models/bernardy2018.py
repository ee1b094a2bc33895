"""Bernardy 2018, "Can Recurrent Neural Networks Learn Nested Recursion?": the recurrent unit with a stack-like state (RUSS), LSTMs
and GRUs, in the eleven configurations of section 2.4.

The initial laws are those of the author's library TypedFlow, in which the RUSS was published: Glorot-uniform maps of inputs,
orthogonal maps of hidden units, biases 0 but for the forget gate's 1, dense biases normal with deviation .1, embeddings uniform
in [-.05, .05]. Ours: dropout draws anew in every step and scales what it keeps, since the paper gives neither.
"""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import GRU, LSTM, Controller, State
from marnn_bench.baselines.cells.gates import Softmax
from marnn_bench.baselines.cells.initial import (
    Blocks,
    Glorot,
    InitialLaw,
    Orthogonal,
    TruncatedNormal,
    Uniform,
)
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.layers import SoftmaxCell
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.memories import Memory, Stack
from marnn_bench.baselines.cells.parameters import AffineShape, Parameters, Shapes, TensorShape, part
from marnn_bench.baselines.recipes import Recipe

DENSE_BIAS = TruncatedNormal(0.1)


@dataclass(frozen=True)
class NestedRecursionCell(SoftmaxCell):
    """Layers of LSTM or GRU, and perhaps a RUSS on top (sections 2.1 to 2.4).

    x   = E symbol
    h   = LSTM(x, h, c) or GRU(x, h)                     of each layer, fed by the one below it
    a   = softmax(W_a [s(0), x] + b_a)                   push, pop, no-op; x of the RUSS is the h of the layer below
    s'  = a_push (x, s(0), ..., s(d-2)) + a_pop (s(1), ..., s(d-1), 0) + a_no-op s
    y   = softmax(V h + b), of the RUSS softmax(V s'(0) + b)

    With inputs of m numbers: 4 (n + m) n + 4 n parameters in an LSTM of n units, 3 (n + m) n in a GRU, 6 m + 3 in a RUSS, which do
    not depend on its depth d. In training x and h of LSTM and GRU lose a share `dropout` of their numbers, c and the RUSS none.
    """

    embedding: int
    controllers: tuple[Controller, ...]
    memory: Memory[Any] | None
    dropout: float

    @property
    def shapes(self) -> Shapes:
        shapes: dict[str, AffineShape | TensorShape] = {
            "embedding": AffineShape(self.symbols, self.embedding, Uniform(0.05), None)
        }
        width = self.embedding
        for layer, controller in enumerate(self.controllers):
            shapes |= part(_name(layer), _controller_shapes(controller, width))
            width = controller.hidden
        if self.memory:
            shapes["action"] = AffineShape(2 * width, self.memory.scores, Glorot(), DENSE_BIAS)
        return {**shapes, "output": AffineShape(width, self.columns, Glorot(), DENSE_BIAS)}

    @property
    def noise(self) -> int:
        """One number for each that may be dropped: x and h of each layer."""
        return sum(self._widths()) if self.dropout else 0

    def _widths(self) -> list[int]:
        hidden = [controller.hidden for controller in self.controllers]
        return [width for pair in zip([self.embedding, *hidden], hidden, strict=False) for width in pair]

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        carried = [h for controller in self.controllers for h in controller.initial_state(w, batch)]
        return (*carried, self.memory.initial(w, batch, steps)) if self.memory else tuple(carried)

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        """The embedding, which is dropped from before any map."""
        return w["embedding"].of_symbols(ids)

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        kept = iter(self._kept(inputs))
        after: list[Any] = []
        for layer, controller in enumerate(self.controllers):
            of_layer = w.part(_name(layer))
            h, *cell = state[len(after) : len(after) + controller.vectors]
            fed = of_layer["input"](x * next(kept))
            carried = controller.step(of_layer, (h * next(kept), *cell), fed)
            after += carried
            x = carried[0]
        if self.memory:
            scores = w["action"](torch.cat([self.memory.read(state[-1]), x], -1))
            weights = Softmax()(self.memory.as_actions(scores), inputs)
            after.append(self.memory.update(state[-1], weights, x))
            x = self.memory.read(after[-1])
        return tuple(after), x

    def _kept(self, inputs: StepInputs) -> list[Any]:
        """What x and h of each layer are multiplied by: 0 or 1 / (1 - dropout) in training, 1 at evaluation."""
        widths = self._widths()
        if not (self.dropout and inputs.training):
            return [1.0] * len(widths)
        if inputs.noise is None:
            raise TypeError("dropout takes noise: give the step Cell.noise standard Gumbel numbers")
        kept = (inputs.noise >= gumbel_quantile(self.dropout)).to(inputs.noise.dtype)
        scaled = kept / (1 - self.dropout)
        return [*torch.split(scaled, widths, -1)]


def gumbel_quantile(share: float) -> float:
    """Below this lies such a share of standard Gumbel numbers.

    >>> round(math.exp(-math.exp(-gumbel_quantile(0.1))), 12)
    0.1
    """
    return -math.log(-math.log(share))


def _controller_shapes(controller: Controller, inputs: int) -> dict[str, AffineShape]:
    """The maps of an LSTM or a GRU, each gate of them by a law of its own; an LSTM has one bias."""
    shapes = {}
    for name, shape in controller.shapes(inputs).items():
        of_input = name == "input"
        law: InitialLaw = Glorot() if of_input else Orthogonal()
        gates = Blocks((law,) * (shape.outputs // controller.hidden))
        bias = controller.bias_law if of_input and controller.bias else None
        shapes[name] = AffineShape(shape.inputs, shape.outputs, gates, bias)
    return shapes


def _name(layer: int) -> str:
    return f"layer{layer + 1}"


@dataclass(frozen=True)
class LayerSizes(Sizes):
    """Hidden units of each layer; numbers in an embedding; the share that is dropped."""

    hidden: int
    embedding: int = 12
    dropout: float = 0.1


@dataclass(frozen=True)
class StackSizes(Sizes):
    """Numbers in an embedding; how many elements a stack has."""

    memory_cells: int = 10
    embedding: int = 12


@dataclass(frozen=True)
class LayerAndStackSizes(LayerSizes):
    """Those of a layer and of the stack above it."""

    memory_cells: int = 10


def layers(controllers: tuple[type[Controller], ...], symbols: int, columns: int, sizes: LayerSizes) -> Cell:
    """LSTMs and GRUs without a RUSS."""
    stacked = tuple(controller(sizes.hidden) for controller in controllers)
    return NestedRecursionCell(symbols, columns, sizes.embedding, stacked, None, sizes.dropout)


def russ(symbols: int, columns: int, sizes: StackSizes) -> Cell:
    """The RUSS alone: of depth d, d elements as wide as the embedding."""
    stack = Stack(sizes.embedding, sizes.memory_cells, no_op=True)
    return NestedRecursionCell(symbols, columns, sizes.embedding, (), stack, dropout=0.0)


def layer_and_russ(
    controller: type[Controller], symbols: int, columns: int, sizes: LayerAndStackSizes
) -> Cell:
    """A RUSS above an LSTM or a GRU, its elements as wide as their hidden units."""
    stack = Stack(sizes.hidden, sizes.memory_cells, no_op=True)
    below = (controller(sizes.hidden),)
    return NestedRecursionCell(symbols, columns, sizes.embedding, below, stack, sizes.dropout)


RECIPE = Recipe(
    name="bernardy2018",
    procedure=(
        "minibatches of strings with END behind, states from zero for each; the cross-entropy of the next symbol, summed over "
        "symbols; Adam; 100 epochs, of which the one with the best accuracy on the test strings is kept"
    ),
    learns="next symbols",
    epochs=100,
    learning_rate=1e-4,
    loss="cross-entropy",
    batch=512,
    selection="test accuracy",
    inferred=("batch",),
)
"""Sections 2.4 and 5. The batch is inferred from sizes of data sets that are multiples of 512."""


ONE_KIND = replace(
    RECIPE,
    name="bernardy2018-section4",
    procedure=(
        "strings with END behind, one an update, states from zero for each; the cross-entropy of the next symbol, summed over "
        "symbols; Adam; five epochs, of which the last parameters are kept"
    ),
    epochs=5,
    batch=1,
    selection="last",
)
"""Section 4, where all models are right within five epochs of 512 strings: with 512 a batch these would be five updates. Its test
is not which closing bracket comes, of which there is but one, so that no epoch can be chosen by that.
"""

NO_END = replace(
    RECIPE,
    name="bernardy2018-no-end",
    procedure=(
        "ours, where END is not asked for: as the paper's, but at thirty times its rate, and the epoch with the least loss on "
        "strings held out of train"
    ),
    epochs=10,
    learning_rate=3e-3,
    selection="validation loss",
    inferred=(),
)


def baseline(name: str, build: partial[Cell], sizes: Sizes) -> Baseline:
    """A configuration of section 2.4."""
    return Baseline(
        name, RECIPE, build, sizes, "bernardy2018", recipes={"dyck1-short": ONE_KIND, "dyck5--no-end": NO_END}
    )


SMALL, LARGE, WITH_STACK = LayerSizes(40), LayerSizes(160), LayerAndStackSizes(40)

BASELINES = (
    baseline("bernardy-gru-40", partial(layers, (GRU,)), SMALL),
    baseline("bernardy-lstm-40", partial(layers, (LSTM,)), SMALL),
    baseline("bernardy-gru-160", partial(layers, (GRU,)), LARGE),
    baseline("bernardy-lstm-160", partial(layers, (LSTM,)), LARGE),
    baseline("russ", partial(russ), StackSizes()),
    baseline("bernardy-gru-gru", partial(layers, (GRU, GRU)), SMALL),
    baseline("bernardy-lstm-lstm", partial(layers, (LSTM, LSTM)), SMALL),
    baseline("bernardy-lstm-gru", partial(layers, (LSTM, GRU)), SMALL),
    baseline("bernardy-gru-lstm", partial(layers, (GRU, LSTM)), SMALL),
    baseline("bernardy-lstm-russ", partial(layer_and_russ, LSTM), WITH_STACK),
    baseline("bernardy-gru-russ", partial(layer_and_russ, GRU), WITH_STACK),
    *(baseline(f"russ-{depth}", partial(russ), StackSizes(depth)) for depth in (2, 4, 6, 8)),
)
"""In the paper's order; then the RUSS with stacks of fewer elements, as in Figure 2, of which the text gives no depths."""
