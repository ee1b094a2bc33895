"""Any controller with any memory and any gate, by name: `gru+stack+gumbel`, `lstm+neural-queue`, `rnn`.

Ours, for questions that no paper asks. The parts are joined as in the models of Suzgun et al. 2019, `MemoryCell`, and trained by
their recipe; where one symbol alone is right, or a distribution is asked for, the outputs are a softmax's, and the loss is
cross-entropy. An interval memory has a gate of its own, and the pop bias of Grefenstette et al. 2015.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import partial
from typing import Any, Final

from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import GRU, LSTM, RNN, Controller
from marnn_bench.baselines.cells.gates import Gate, GumbelSoftmax, Sigmoid, Softmax, TemperatureSoftmax
from marnn_bench.baselines.cells.initial import Blocks, Constant, linear_law
from marnn_bench.baselines.cells.intervals import NeuralDeQue, NeuralMemory, NeuralQueue, NeuralStack
from marnn_bench.baselines.cells.layers import SoftmaxCell
from marnn_bench.baselines.cells.memories import List, Memory, Ring, Stack, Superposition
from marnn_bench.baselines.cells.parameters import AffineShape, Shapes
from marnn_bench.baselines.models.suzgun2019 import MemoryCell, VanillaCell
from marnn_bench.baselines.recipes import SUZGUN2019, Clipping, Recipe
from marnn_bench.errors import UsageError
from marnn_bench.task import Task
from marnn_bench.views import LanguageModelling, Transduce

JOINED: Final = "+"
"""Between the parts of a name."""

CONTROLLERS: Final[Mapping[str, type[Controller]]] = {"rnn": RNN, "lstm": LSTM, "gru": GRU}

SUPERPOSED: Final[Mapping[str, type[Superposition]]] = {"stack": Stack, "ring": Ring, "list": List}

INTERVALS: Final[Mapping[str, type[NeuralMemory]]] = {
    "neural-stack": NeuralStack,
    "neural-queue": NeuralQueue,
    "neural-deque": NeuralDeQue,
}

GATES: Final[Mapping[str, Gate]] = {
    "softmax": Softmax(),
    "temperature": TemperatureSoftmax(),
    "gumbel": GumbelSoftmax(),
}

POP_BIAS: Final = -1.0


@dataclass(frozen=True)
class IntervalCell(MemoryCell):
    """The same with an interval memory, whose pops are rare at first."""

    @property
    def shapes(self) -> Shapes:
        shapes, hidden = dict(super().shapes), self.controller.hidden
        push, pop = linear_law(hidden), Constant(POP_BIAS)
        biases = Blocks((push, pop) * (self.memory.scores // 2))
        return {**shapes, "action": AffineShape(hidden, self.memory.scores, linear_law(hidden), biases)}


@dataclass(frozen=True)
class SoftmaxVanillaCell(SoftmaxCell, VanillaCell):
    """y = softmax(W_y h' + b_y)"""


@dataclass(frozen=True)
class SoftmaxMemoryCell(SoftmaxCell, MemoryCell):
    """y = softmax(W_y h' + b_y)"""


@dataclass(frozen=True)
class SoftmaxIntervalCell(SoftmaxCell, IntervalCell):
    """y = softmax(W_y h' + b_y)"""


@dataclass(frozen=True)
class ControllerSizes(Sizes):
    """Hidden units; whether outputs are a distribution."""

    hidden: int = 8
    distribution: bool = False


@dataclass(frozen=True)
class ComposedSizes(ControllerSizes):
    """Those of a controller, and of its memory: numbers in a cell or value; cells, of which an interval memory has no number."""

    memory_width: int = 1
    memory_cells: int = 104


@dataclass(frozen=True)
class ComposedBaseline(Baseline):
    """A baseline whose outputs, and with them its recipe, follow from what its task asks."""

    def sizes_for(self, task: Task) -> Sizes:
        return replace(self.default_sizes, distribution=_asks_for_one(task))  # type: ignore[call-arg]

    def recipe_for(self, task: Task) -> Recipe:
        if isinstance(task.view, Transduce):
            return TRANSDUCTION
        return CROSS_ENTROPY if _asks_for_one(task) else SUZGUN2019


def composed(name: str) -> Baseline:
    """The baseline of this name, CONTROLLER, CONTROLLER+MEMORY or CONTROLLER+MEMORY+GATE. UsageError if it has an unknown part.

    >>> composed("gru+stack").build(4, 4, ComposedSizes(hidden=8)).num_parameters
    352
    """
    parts = name.split(JOINED)
    known = (CONTROLLERS, {**SUPERPOSED, **INTERVALS}, GATES)
    for part, names in zip(parts, known, strict=False):
        if part not in names:
            near = get_close_matches(part, names, n=1, cutoff=0.5) or [*names]
            raise UsageError(f"{name} has the unknown part {part!r}. Did you mean {' or '.join(near)}?")
    if len(parts) > len(known):
        raise UsageError(f"{name} has too many parts: name a controller, a memory and a gate.")
    controller, memory, gate = (*parts, "", "")[:3]
    if memory in INTERVALS and gate:
        raise UsageError(f"{memory} has a gate of its own: leave out {gate}.")
    build = partial(_build, controller, memory, gate or "softmax")
    return ComposedBaseline(name, SUZGUN2019, build, ComposedSizes() if memory else ControllerSizes())


def _build(controller: str, memory: str, gate: str, symbols: int, columns: int, sizes: Any) -> Cell:
    control = CONTROLLERS[controller](sizes.hidden)
    if not memory:
        vanilla = SoftmaxVanillaCell if sizes.distribution else VanillaCell
        return vanilla(symbols, columns, control)
    held: Memory[Any]
    if memory in INTERVALS:
        held, weigh = INTERVALS[memory](sizes.memory_width), Sigmoid()
        intervals = SoftmaxIntervalCell if sizes.distribution else IntervalCell
        return intervals(symbols, columns, control, held, weigh)
    held = SUPERPOSED[memory](sizes.memory_width, sizes.memory_cells)
    superposed = SoftmaxMemoryCell if sizes.distribution else MemoryCell
    return superposed(symbols, columns, control, held, GATES[gate])


def _asks_for_one(task: Task) -> bool:
    """Whether one symbol alone is right, or a distribution over them is asked for."""
    return (
        isinstance(task.view, Transduce | LanguageModelling) or getattr(task.view, "scored", "all") != "all"
    )


CROSS_ENTROPY = replace(
    SUZGUN2019,
    name="composed",
    procedure="one string, one update; cross-entropy of the next symbol; Adam; float64; the last parameters are kept",
    learns="next symbols",
    loss="cross-entropy",
)

TRANSDUCTION = replace(
    CROSS_ENTROPY,
    procedure="ten strings, one update; cross-entropy of the target's symbols; Adam; gradients are clipped at 1",
    learns="targets",
    batch=10,
    clipping=Clipping(1.0, of="gradients"),
)

BASELINES: tuple[Baseline, ...] = ()
"""They are made by name: `find_baseline`."""
