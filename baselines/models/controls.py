"""Controls, ours: what today's sequence models do with as many parameters as a memory-augmented one.

A causal Transformer without positions, with sinusoids, with rotary positions and with ALiBi, and a diagonal state-space model
with eigenvalues in (0, 1) or (-1, 1). In none of the papers; trained by the recipe of Suzgun et al. 2019 at a rate of our own.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.cells.blocks import (
    Attention,
    DiagonalRecurrence,
    Mixer,
    Positions,
    on_steps,
    sinusoids,
)
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import LSTM, State
from marnn_bench.baselines.cells.gates import Softmax
from marnn_bench.baselines.cells.initial import Constant
from marnn_bench.baselines.cells.inputs import StepInputs, StringInputs
from marnn_bench.baselines.cells.layers import EMBEDDING_LAW
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.memories import Stack
from marnn_bench.baselines.cells.parameters import (
    AffineShape,
    Parameters,
    Shapes,
    TensorShape,
    count_parameters,
    linear,
    part,
)
from marnn_bench.baselines.models.suzgun2019 import MEMORY, with_memory
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.errors import UsageError


@dataclass(frozen=True)
class BlockCell(Cell):
    """Residual blocks, normalised before each half (Xiong et al. 2020).

    x = E symbol [+ sinusoids of the position]
    x = x + mixer(norm(x));  x = x + W_2 max(0, W_1 norm(x) + b_1) + b_2         in each block
    y = sigmoid(W_y norm(x) + b_y)
    """

    width: int
    blocks: int
    mixer: Mixer
    feedforward: int
    sinusoidal: bool = False

    @property
    def shapes(self) -> Shapes:
        block: dict[str, AffineShape | TensorShape] = {
            **_norm("before_mixer", self.width),
            **self.mixer.shapes(self.width),
            **_norm("before_feedforward", self.width),
            "widen": linear(self.width, self.feedforward),
            "narrow": linear(self.feedforward, self.width),
        }
        shapes: dict[str, AffineShape | TensorShape] = {
            "embedding": AffineShape(self.symbols, self.width, EMBEDDING_LAW, None)
        }
        for number in range(self.blocks):
            shapes |= part(_name(number), block)
        return {**shapes, **_norm("before_output", self.width), "output": linear(self.width, self.columns)}

    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        return tuple(
            tensor
            for number in range(self.blocks)
            for tensor in self.mixer.initial_state(w.part(_name(number)), batch, self.width)
        )

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        return w["embedding"].of_symbols(ids)

    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        state, features = self._go_on(w, state, x.unsqueeze(2), inputs.clock)
        return state, features[:, :, 0]

    def scores(self, w: Parameters, ids: Tensor, inputs: StringInputs) -> Tensor:
        """The outputs after every symbol, all steps at once."""
        size = (w.runs, *ids.shape[1:])
        x = self.encode(w, ids.flatten(1)).view(*size, self.width)
        _, features = self._go_on(w, self.initial_state(w, size[1], size[2]), x, clock=0)
        return self.decode(w, features.flatten(1, 2)).view(*size, self.columns)

    def _go_on(self, w: Parameters, state: State, x: Tensor, clock: int) -> tuple[State, Tensor]:
        """Some more steps, [run, batch, step, width], `clock` of which came before."""
        if self.sinusoidal:
            at = torch.arange(clock, clock + x.shape[2], dtype=x.dtype, device=x.device)
            x = x + sinusoids(at, self.width)
        after: list[Tensor] = []
        for number in range(self.blocks):
            of_block = w.part(_name(number))
            carried = state[len(after) : len(after) + self.mixer.vectors]
            carried, mixed = self.mixer.mix(of_block, carried, _normalise(of_block, "before_mixer", x), clock)
            after += carried
            x = x + mixed
            wide = torch.relu(on_steps(of_block["widen"], _normalise(of_block, "before_feedforward", x)))
            x = x + on_steps(of_block["narrow"], wide)
        return tuple(after), _normalise(w, "before_output", x)


def _norm(name: str, width: int) -> dict[str, TensorShape]:
    return {
        f"{name}/gain": TensorShape((1, width), Constant(1.0)),
        f"{name}/shift": TensorShape((1, width), Constant(0.0)),
    }


def _normalise(w: Parameters, name: str, x: Tensor) -> Tensor:
    """Layer normalisation (Ba et al. 2016) of the last axis of [run, batch, step, width]."""
    gain, shift = w.tensors[f"{name}/gain"].unsqueeze(2), w.tensors[f"{name}/shift"].unsqueeze(2)
    return torch.nn.functional.layer_norm(x, x.shape[-1:]) * gain + shift


def _name(number: int) -> str:
    return f"block{number + 1}"


@dataclass(frozen=True)
class BlockSizes(Sizes):
    """Numbers in a step; blocks; heads of attention, or units of the recurrence for each number in a step; parameters in all, None
    for as many as the Stack-LSTM of Suzgun et al. with 8 hidden units has for the same symbols and columns.
    """

    hidden: int = 4
    blocks: int = 2
    heads: int = 2
    parameters: int | None = None


def fitted(cell: BlockCell, sizes: BlockSizes) -> BlockCell:
    """The same with feedforward halves so wide that its number of parameters is the nearest to that of the sizes."""
    peer = with_memory(LSTM, Stack, Softmax(), cell.symbols, cell.columns, MEMORY)
    parameters = sizes.parameters or peer.num_parameters
    one, two = (count_parameters(replace(cell, feedforward=units).shapes) for units in (1, 2))
    return replace(cell, feedforward=max(1, 1 + round((parameters - one) / (two - one))))


def transformer(
    positions: Positions, sinusoidal: bool, symbols: int, columns: int, sizes: BlockSizes
) -> Cell:
    """The causal Transformer. UsageError if its heads cannot be as wide as each other, and of pairs."""
    if sizes.hidden % (2 * sizes.heads):
        raise UsageError(
            f"A Transformer of {sizes.heads} heads takes hidden units by multiples of {2 * sizes.heads}, not {sizes.hidden}."
        )
    mixer = Attention(sizes.heads, positions)
    return fitted(BlockCell(symbols, columns, sizes.hidden, sizes.blocks, mixer, 1, sinusoidal), sizes)


def state_space(negative: bool, symbols: int, columns: int, sizes: BlockSizes) -> Cell:
    """The diagonal state-space model."""
    mixer = DiagonalRecurrence(sizes.heads * sizes.hidden, negative)
    return fitted(BlockCell(symbols, columns, sizes.hidden, sizes.blocks, mixer, 1), sizes)


RECIPE = replace(SUZGUN2019, name="controls", learning_rate=3e-3, annealing=None, inferred=("learning_rate",))

SIZES = {
    "dyck6": BlockSizes(hidden=8, parameters=1567),
    "marked-palindrome": BlockSizes(parameters=604),
}
"""As many parameters as the Stack-LSTM has in the tasks for which it is larger."""

BUILDS: dict[str, Callable[[int, int, BlockSizes], Cell]] = {
    "transformer-none": partial(transformer, "none", False),
    "transformer-sinusoidal": partial(transformer, "none", True),
    "transformer-rotary": partial(transformer, "rotary", False),
    "transformer-alibi": partial(transformer, "alibi", False),
    "state-space": partial(state_space, False),
    "state-space-negative": partial(state_space, True),
}

BASELINES = tuple(Baseline(name, RECIPE, build, BlockSizes(), sizes=SIZES) for name, build in BUILDS.items())
