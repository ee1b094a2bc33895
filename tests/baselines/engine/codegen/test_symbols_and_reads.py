"""What a compiled step is given of a symbol, and what it reads of its memory before the update and after it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from helpers.gradients import by_batch, by_program, by_reference, farthest, random_string
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import LSTM, RNN
from marnn_bench.baselines.cells.gates import HardAtEvaluation, Softmax
from marnn_bench.baselines.cells.memories import List, Ring, Stack
from marnn_bench.baselines.cells.parameters import initialise, linear
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.engine.streams import CompiledStreams
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.models.suzgun2019 import MemoryCell, VanillaCell
from marnn_bench.baselines.training.trained_model import ReferenceStreams
from marnn_bench.tasks.registry import find_task

LENGTHS = (1, 2, 3, 4, 9, 24)


def assert_agrees(cell: Cell, runs: int = 2) -> None:
    """Losses and gradients are the reference's."""
    program = Program(cell)
    for length in LENGTHS:
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, runs), by_reference(cell, string, runs)) < 1e-12


@dataclass(frozen=True)
class Encoding(VanillaCell):
    """A model with an `encode` of its own."""

    change: Callable = torch.tanh

    @property
    def shapes(self):
        return {**super().shapes, "twice": linear(self.symbols, 5)}

    def encode(self, w, ids):
        return self.change(w["input"].of_symbols(ids) * w["twice"].of_symbols(ids))


def test_whatever_is_made_of_the_rows_of_a_symbol_has_the_gradient_of_the_reference():
    assert_agrees(Encoding(4, 3, RNN(5)))


@dataclass(frozen=True)
class Tied(Encoding):
    """The rows of symbols are what the output is compared with, as in Press & Wolf 2017."""

    @property
    def shapes(self):
        return {
            "embedding": linear(self.symbols, 5),
            "input": linear(5, 5),
            "hidden": linear(5, 5),
        }

    def encode(self, w, ids):
        return w["input"](w["embedding"].of_symbols(ids))

    def decode(self, w, features):
        return torch.sigmoid(features @ w["embedding"].weight.transpose(1, 2))


def test_a_parameter_that_symbols_choose_from_may_be_used_as_a_whole_too():
    assert_agrees(Tied(4, 4, RNN(5)))


@dataclass(frozen=True)
class Counting(Encoding):
    """The number of a symbol is taken for one."""

    def encode(self, w, ids):
        return super().encode(w, (ids + 1) % self.symbols)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (Counting(4, 3, RNN(5)), "The operation add in torch.int64 is not compiled"),
        (find_baseline("transformer-alibi").cell(find_task("dyck2")), "depends on `clock`"),
    ],
)
def test_what_is_computed_of_numbers_of_symbols_and_places_is_refused(cell, said):
    with pytest.raises(NotCompiledError, match=re.escape(said)):
        Program(cell)


@dataclass(frozen=True)
class Rereading(MemoryCell):
    """A model whose output sees the memory before the update and after it, and whose next state, too."""

    def step(self, w, state, x, inputs):
        (h, *rest, memory), _ = super().step(w, state, x, inputs)
        h = h + w["read"](self.memory.read(memory)) * w["read"](self.memory.read(state[-1]))
        return (h, *rest, memory), h


MEMORIES = [
    Stack(2, 5, count=2, depth=2, no_op=True),
    Stack(1, 2, depth=2, fill=-1.0),
    Ring(2, 5, depth=2),
    Ring(1, 30),
    List(2, 9, count=2, depth=3, fill=-1.0),
]


@pytest.mark.parametrize("memory", MEMORIES, ids=str)
def test_a_memory_may_be_read_after_its_update(memory):
    assert_agrees(Rereading(3, 2, RNN(6), memory, Softmax()))


def test_so_may_that_of_a_large_model_that_learns_from_strings_of_a_batch_at_once():
    cell = Rereading(3, 2, LSTM(20), Stack(2, 9), Softmax())
    program = Program(cell)
    assert program.lanes == 1
    assert farthest(*by_batch(program, cell, (3, 9, 1, 30, 9, 17, 2, 9), runs=2)) < 1e-12


@pytest.mark.parametrize("cell", [Rereading(3, 2, LSTM(9), Ring(2, 5), HardAtEvaluation(Softmax()))])
def test_so_may_that_of_a_run_that_answers(cell):
    """The graph at evaluation is another one than that of training."""
    parameters = initialise(cell.shapes, 0, [0]).each(lambda tensor: 3 * tensor.detach())
    arrays = {name: tensor.numpy() for name, tensor in parameters.tensors.items()}
    ids = np.random.default_rng(0).integers(0, 3, (40, 9))
    compiled = CompiledStreams(Program(cell), arrays, 0, 0, 1.0)
    reference = ReferenceStreams(cell, parameters, 0, 0, 1.0)
    compiled.begin(9), reference.begin(9)
    assert all(np.abs(compiled.step(step) - reference.step(step)).max() < 1e-12 for step in ids)


@dataclass(frozen=True)
class Normalising(Encoding):
    """With a layer normalisation (Ba et al. 2016) that has parameters."""

    @property
    def shapes(self):
        return {**super().shapes, "norm": linear(1, 5)}

    def step(self, w, state, x, inputs):
        (h,), _ = super().step(w, state, x, inputs)
        gain, shift = w["norm"].weight[0, 0], w["norm"].bias[0, 0]
        return (torch.nn.functional.layer_norm(h, (5,), gain, shift),), h


def test_a_normalisation_has_the_gradient_of_the_reference():
    assert_agrees(Normalising(4, 3, RNN(5)), runs=1)
