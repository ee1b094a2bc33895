"""Mali, Ororbia & Giles 2019, "The Neural State Pushdown Automata": its networks of first, second and third order, with and without
a stack (section "Neural Architecture", Tables 4 and 7), and its hints.

The conversion of the paper that we have lacks the formulas and nearly all numbers, and no code was published. All sizes, rates and
initial laws here are ours; `docs/models/mali2019.md` says what is the paper's.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from marnn_bench.baselines.automata.conversion import (
    begun,
    bottom_in_state,
    by_empty_stack,
    device_of,
    with_end,
)
from marnn_bench.baselines.automata.discrete_stack import DiscreteStack
from marnn_bench.baselines.automata.higher_order import SecondOrderRNN
from marnn_bench.baselines.automata.hints import HINTS, hinted
from marnn_bench.baselines.automata.machine import StackMachine
from marnn_bench.baselines.automata.programs import neurons_for, programmed
from marnn_bench.baselines.automata.stack_cells import NNPDA, NSPDA, StackCell
from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import (
    GRU,
    LSTM,
    RNN,
    Controller,
    MultiplicativeGRU,
    MultiplicativeLSTM,
    MultiplicativeRNN,
    PeepholeLSTM,
)
from marnn_bench.baselines.cells.intervals import NeuralStack
from marnn_bench.baselines.models.suzgun2019 import VanillaCell
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.errors import UsageError
from marnn_bench.task import Task
from marnn_bench.views import Recognition

JOINED: Final = "+"
"""Between a network and its hints: `nspda-3+moves`."""

PROGRAM: Final = "program"
"""In the place of hints: all of the automaton, and nothing to learn."""


@dataclass(frozen=True)
class NeuronSizes(Sizes):
    """Hidden units, or state neurons."""

    hidden: int


@dataclass(frozen=True)
class StateSizes(Sizes):
    """State neurons; whether they are 0 or 1; whether END is a step; predictions a step, in iterative refinement."""

    hidden: int = 6
    quantised: bool = True
    end: bool = True
    predictions: int = 1


def controlled(controller: type[Controller], symbols: int, columns: int, sizes: NeuronSizes) -> Cell:
    """A network without a stack: y = sigmoid(W_y h + b_y)."""
    return VanillaCell(symbols, columns, controller(sizes.hidden))


def nnpda(order: int, symbols: int, columns: int, sizes: NeuronSizes) -> NNPDA:
    """The NNPDA, with a continuous stack."""
    return NNPDA(symbols, columns, sizes.hidden, order, NeuralStack(symbols))


def nspda(order: int, symbols: int, columns: int, sizes: StateSizes) -> NSPDA:
    """The NSPDA, with a discrete stack."""
    return NSPDA(
        symbols,
        columns,
        sizes.hidden,
        order,
        DiscreteStack(symbols),
        quantised=sizes.quantised,
        end=sizes.end,
        predictions_a_step=sizes.predictions,
    )


def machine_for(cell: StackCell, task: Task) -> StackMachine:
    """The automaton of a recognition task, as this network would be it. UsageError if there is none."""
    if not isinstance(task.view, Recognition):
        raise UsageError(
            f"{task.name} does not ask about membership, as hints do: try {task.name}--recognition."
        )
    device = device_of(task.language)
    if isinstance(cell, NNPDA):
        return begun(by_empty_stack(device))
    return begun(with_end(device) if isinstance(cell, NSPDA) and cell.end else bottom_in_state(device))


@dataclass(frozen=True)
class HintedBaseline(Baseline):
    """A network that begins with hints about the automaton of its task."""

    hints: tuple[str, ...] = ()

    def cell(self, task: Task, sizes: Sizes | None = None) -> Cell:
        """The model for this task. UsageError if the task has no automaton that can be hinted at."""
        cell = super().cell(task, sizes)
        if not isinstance(cell, StackCell):
            raise UsageError(f"{self.name} has no stack to be hinted at: choose nspda-3 or nnpda.")
        return hinted(cell, machine_for(cell, task), self.hints)


@dataclass(frozen=True)
class ProgrammedBaseline(Baseline):
    """A network that is the automaton of its task, with as many neurons as that takes."""

    def sizes_for(self, task: Task) -> Sizes:
        sizes = super().sizes_for(task)
        cell = super().cell(task, sizes)
        if not isinstance(sizes, NeuronSizes | StateSizes) or not isinstance(cell, StackCell):
            raise UsageError(f"{self.name} has no stack to be programmed: choose nspda-3 or nnpda.")
        return replace(sizes, hidden=neurons_for(machine_for(cell, task), cell.order))

    def cell(self, task: Task, sizes: Sizes | None = None) -> Cell:
        """The model for this task. UsageError if the task has no automaton that can be its program."""
        cell = super().cell(task, sizes)
        assert isinstance(cell, StackCell)
        return programmed(cell, machine_for(cell, task))


def with_hints(name: str) -> Baseline:
    """The baseline NETWORK+HINT[+HINT ...], or NETWORK+program. UsageError for a hint that there is not.

    >>> with_hints("nspda-3+moves").hints
    ('moves',)
    """
    network, *hints = name.split(JOINED)
    of = HINTABLE[network]
    if hints == [PROGRAM]:
        return ProgrammedBaseline(name, PROGRAMMED, of.build, of.default_sizes, of.paper)
    for hint in hints:
        if hint not in HINTS:
            raise UsageError(
                f"There is no hint {hint!r}: it is {', '.join((*HINTS, PROGRAM))}, the last one alone."
            )
    return HintedBaseline(name, of.recipe, of.build, of.default_sizes, of.paper, hints=tuple(hints))


RECIPE = Recipe(
    name="mali2019",
    procedure="twenty strings, one update; squared error of the answer after the last symbol; Adam; float64",
    epochs=10,
    learning_rate=0.02,
    batch=20,
    balanced=True,
    selection="validation loss",
    inferred=("epochs", "learning_rate", "batch", "balanced", "selection"),
)
"""All ours. The paper minimises cross-entropy after every symbol by stochastic gradient descent, by UORO for networks of higher order;
its numbers are lost.
"""

PROGRAMMED = Recipe(
    name="mali2019, programmed",
    procedure="nothing is learned",
    epochs=0,
    learning_rate=RECIPE.learning_rate,
    batch=RECIPE.batch,
)

FIRST_ORDER: tuple[tuple[str, type[Controller]], ...] = (
    ("mali-rnn", RNN),
    ("mali-lstm", LSTM),
    ("mali-lstm-p", PeepholeLSTM),
    ("mali-gru", GRU),
    ("mali-mi-rnn", MultiplicativeRNN),
    ("mali-mi-lstm", MultiplicativeLSTM),
    ("mali-mi-gru", MultiplicativeGRU),
    ("second-order-rnn", SecondOrderRNN),
)


def baseline(name: str, build: Any, sizes: Sizes) -> Baseline:
    """A network of the paper. The columns of its tables are lost, so no row is compared with."""
    return Baseline(name, RECIPE, build, sizes, "mali2019")


STACKED = (
    baseline("nnpda-2", partial(nnpda, 2), NeuronSizes(6)),
    baseline("nnpda", partial(nnpda, 3), NeuronSizes(6)),
    baseline("nspda-2", partial(nspda, 2), StateSizes()),
    baseline("nspda-3", partial(nspda, 3), StateSizes()),
    baseline("nspda-3-soft", partial(nspda, 3), StateSizes(quantised=False)),
    baseline("nspda-3-refined", partial(nspda, 3), StateSizes(predictions=3)),
)
HINTABLE: Final = {network.name: network for network in STACKED}

BASELINES = (
    *(baseline(name, partial(controlled, of), NeuronSizes(12)) for name, of in FIRST_ORDER),
    *STACKED,
)
