"""Neural Stack, Queue and DeQue as C: what they hold, what is read and the way back are those of the reference."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import torch

from helpers.gradients import by_program, by_reference, farthest, random_string
from marnn_bench.baselines.cells.controllers import LSTM
from marnn_bench.baselines.cells.gates import Sigmoid
from marnn_bench.baselines.cells.intervals import NeuralDeQue, NeuralQueue, NeuralStack
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.engine.streams import FIRST_STEPS, CompiledStreams
from marnn_bench.baselines.models.grefenstette2015 import NeuralCell
from marnn_bench.baselines.training.trained_model import ReferenceStreams

MEMORIES = [NeuralStack, NeuralQueue, NeuralDeQue]
LENGTHS = (1, 2, 3, 4, 9, 50)


@dataclass(frozen=True)
class Decided(Sigmoid):
    """Signals near 0 and 1, and some between: items are long and short, and pops take several or none."""

    scale: ClassVar[float] = 12.0

    def __call__(self, scores, inputs):
        return torch.sigmoid(self.scale * scores)


class Tiny(Decided):
    """Signals so small that items and pops vanish in the last place of where they are."""

    def __call__(self, scores, inputs):
        return super().__call__(scores, inputs).pow(4).pow(4)


def cell_of(memory, gate=None, hidden=5, pop_bias=0.0):
    """With runs side by side if it is small; else with columns that fill the vectors."""
    return NeuralCell(4, 4, LSTM(hidden), memory, gate or Decided(), 3, pop_bias, 0.0)


@pytest.mark.parametrize(
    ("hidden", "pop_bias", "runs"),
    [(5, -0.1, 9), (5, 0.1, 9), (19, 0.1, 2)],
    ids=["growing", "mostly empty", "columns"],
)
@pytest.mark.parametrize("memory", MEMORIES)
def test_losses_and_gradients_are_those_of_the_reference(memory, hidden, pop_bias, runs):
    """Of more runs than there are lanes, and of a cell whose columns fill the vectors."""
    cell = cell_of(memory(3), hidden=hidden, pop_bias=pop_bias)
    program = Program(cell)
    assert program.lanes == (8 if hidden == 5 else 1)
    for length in LENGTHS:
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, runs), by_reference(cell, string, runs)) < 1e-12


@pytest.mark.parametrize("memory", MEMORIES)
def test_items_that_are_almost_nothing_hide_nothing(memory):
    """An item of no length lies between others, which are read all the same."""
    cell = cell_of(memory(3), Tiny())
    string = random_string(cell, 60)
    assert farthest(by_program(Program(cell), cell, string, 9), by_reference(cell, string, 9)) < 1e-12


@pytest.mark.parametrize("memory", MEMORIES)
def test_streams_may_go_on_for_ever(memory):
    """What a memory holds is not known before, so that room is made for more."""
    cell = cell_of(memory(3))
    parameters = initialise(cell.shapes, 0, [0]).each(lambda tensor: 2 * tensor.detach())
    arrays = {name: tensor.numpy() for name, tensor in parameters.tensors.items()}
    compiled = CompiledStreams(Program(cell), arrays, 0, 0, 1.0)
    reference = ReferenceStreams(cell, parameters, 0, 0, 1.0)
    compiled.begin(11), reference.begin(11)
    symbols = np.random.default_rng(0).integers(0, 4, (5 * FIRST_STEPS, 11))
    assert all(np.abs(compiled.step(step) - reference.step(step)).max() < 1e-12 for step in symbols)


def test_a_run_that_is_lost_touches_no_other():
    """A lane in which nothing is a number any more, and its neighbours."""
    cell = cell_of(NeuralDeQue(3))
    string, program = random_string(cell, 40), Program(cell)
    expected = by_program(program, cell, string, 8)
    drawn = initialise

    def with_one_lost(*arguments):
        parameters = drawn(*arguments)
        with torch.no_grad():
            parameters.tensors["hidden.weight"][3] = torch.nan
        return parameters

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("helpers.gradients.initialise", with_one_lost)
        losses, gradients = by_program(program, cell, string, 8)
    others = [run for run in range(8) if run != 3]
    assert np.isnan(losses[3])
    assert (losses[others] == expected[0][others]).all()
    assert all((gradients[name][others] == expected[1][name][others]).all() for name in gradients)
