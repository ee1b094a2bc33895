"""A compiled cell computes what the reference computes: the same loss, and the same gradient as torch's autograd."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
import torch

from helpers.compiled import COMPILED, compiled_cell
from helpers.gradients import by_program, by_reference, farthest, random_string
from helpers.paths import ROOT
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import RNN
from marnn_bench.baselines.cells.gates import Softmax
from marnn_bench.baselines.cells.initial import Uniform
from marnn_bench.baselines.cells.memories import List, Ring, Stack
from marnn_bench.baselines.cells.parameters import TensorShape, linear
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.model_file import baseline_of_file
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.models.suzgun2019 import MemoryCell, VanillaCell
from marnn_bench.tasks.registry import find_task

LENGTHS = (1, 2, 3, 8, 33, 100)


@pytest.mark.parametrize("name", COMPILED)
def test_every_model_has_the_gradient_of_the_reference(name):
    """Of the sizes for six kinds of brackets: memories five wide, and answers in twelve columns."""
    cell = compiled_cell(name, find_task("dyck6"))
    program = Program(cell)
    for length in LENGTHS:
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, 3), by_reference(cell, string, 3)) < 1e-12


@pytest.mark.parametrize(
    "name",
    ["stack-rnn", "baby-ntm-gumbel", "russ", pytest.param("neural-deque-lstm", marks=pytest.mark.slow)],
)
def test_it_has_it_at_every_length(name):
    cell = compiled_cell(name, find_task("dyck2"))
    program = Program(cell)
    for length in range(1, 101):
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, 1), by_reference(cell, string, 1)) < 1e-12


@pytest.mark.parametrize(
    "name", ["joulin-stack-rnn", "joulin-stack-rnn-recurrent", "joulin-list-rnn", "joulin-srcn"]
)
def test_models_of_joulin_and_mikolov_have_it(name):
    """Several stacks, of which two cells are read; no state but the memory; a softmax."""
    cell = find_baseline(name).cell(find_task("anbn"))
    program = Program(cell)
    for length in (1, 2, 33):
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, 1), by_reference(cell, string, 1)) < 1e-12


@pytest.mark.parametrize("name", ["lstm", "stack-rnn", "baby-ntm"])
def test_large_models_have_it_whose_columns_fill_the_vectors(name):
    baseline, task = find_baseline(name), find_task("dyck2")
    cell = baseline.cell(task, replace(baseline.default_sizes, hidden=45))
    program = Program(cell)
    assert program.lanes == 1
    for length in LENGTHS:
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, 2), by_reference(cell, string, 2)) < 1e-12


@pytest.mark.parametrize(
    "name", ["rnn", "stack-lstm-gumbel", "baby-ntm-temperature", "russ", "neural-stack-lstm"]
)
def test_single_precision_is_that_of_the_reference_to_five_places(name):
    cell = compiled_cell(name, find_task("dyck2"))
    program = Program(cell, "float32")
    for length in LENGTHS:
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, 3), by_reference(cell, string, 3)) < 1e-5


def test_cross_entropy_has_the_gradient_of_the_reference():
    cell = find_baseline("stack-rnn").cell(find_task("dyck2"))
    program, string = Program(cell), random_string(cell, 20)
    kind = "cross-entropy"
    assert farthest(by_program(program, cell, string, 3, kind), by_reference(cell, string, 3, kind)) < 1e-12


@dataclass(frozen=True)
class Given:
    """A gate that gives the scores as the weights: the gradient of each weight is seen alone."""

    noisy: ClassVar[bool] = False

    def __call__(self, scores, inputs):
        return scores * 0.5


MEMORIES = [
    (Stack(3, 7, count=2, depth=2, no_op=True), Given()),
    (Stack(1, 104, depth=2), Given()),
    (
        Stack(2, 5, depth=2, fill=-1.0, no_op=True),
        Softmax(),
    ),  # what fill adds to weights that do not sum to 1 is left out
    (Ring(2, 5, count=3, depth=2), Given()),
    (Ring(1, 1), Given()),
    (Ring(1, 2), Given()),
    (Ring(1, 104, depth=3), Given()),
    (List(2, 9, count=2, depth=3), Given()),
    (List(2, 9, count=2, depth=3, fill=-1.0), Given()),
    (List(1, 31, no_op=True, fill=0.5), Given()),
]


@pytest.mark.parametrize("memory, gate", MEMORIES, ids=str)
def test_memories_of_every_shape_have_it(memory, gate):
    """In strings that fill them, and that go around a ring, and in shorter ones."""
    cell = MemoryCell(3, 2, RNN(6), memory, gate)
    program = Program(cell)
    for length in (1, 2, 3, 4, 5, 6, 9, 16, 40):
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, 2), by_reference(cell, string, 2)) < 1e-12


def test_the_model_of_the_documentation_has_it(tmp_path):
    page = (ROOT / "docs" / "models" / "your-own.md").read_text()
    (tmp_path / "gated_unit.py").write_text(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1])
    cell = baseline_of_file(tmp_path / "gated_unit.py").cell(find_task("dyck2"))
    program, string = Program(cell), random_string(cell, 30)
    assert farthest(by_program(program, cell, string, 9), by_reference(cell, string, 9)) < 1e-12


@dataclass(frozen=True)
class Odd(Cell):
    """A learned initial state, a parameter of third order, and operations that no other model here has."""

    @property
    def shapes(self):
        return {
            "input": linear(self.symbols, 6, bias=False),
            "mixed": TensorShape((2, 3, 3), Uniform(0.7)),
            "h0": TensorShape((1, 6), Uniform(0.7)),
            "output": linear(6, self.columns),
        }

    def initial_state(self, w, batch, steps=None):
        return torch.tanh(w.tensors["h0"]).expand(-1, batch, -1), w.full((batch, 2, 3), 0.25)

    def step(self, w, state, x, inputs):
        h, rows = state
        halves = torch.stack(h.split(3, -1), 2)  # [run, batch, 2, 3]
        mixed = (halves.unsqueeze(-2) * w.tensors["mixed"].unsqueeze(1)).sum(-1)
        rows = torch.maximum(rows, mixed).pow(2) + torch.relu(halves - torch.tensor(0.1))
        h = torch.cat([torch.exp(-rows.select(2, 1)), 1 / (2 + rows[:, :, 0].square())], -1) * x
        return (h, torch.nn.functional.silu(rows.mean(2, keepdim=True)).expand_as(rows)), h


def test_a_model_of_other_operations_has_it():
    cell = Odd(4, 3)
    program = Program(cell)
    for length in (1, 2, 7):
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, 2), by_reference(cell, string, 2)) < 1e-12


@dataclass(frozen=True)
class Custom(VanillaCell):
    """A model with a tensor of its own, called `name`, by which the hidden units are changed."""

    change: Callable = torch.mul
    name: str = "own"

    @property
    def shapes(self):
        return {**super().shapes, self.name: TensorShape((1, 5), Uniform(1.0))}

    def step(self, w, state, x, inputs):
        (h,), _ = super().step(w, state, x, inputs)
        return (h,), self.change(h, w.tensors[self.name])


def test_a_gradient_that_is_scattered_is_added_to_that_of_other_steps():
    def without_greatest(h, p):
        return h * p.scatter(-1, p.argmax(-1, keepdim=True), 0.0)

    cell = Custom(4, 3, RNN(5), without_greatest)
    string = random_string(cell, 7)
    assert farthest(by_program(Program(cell), cell, string, 2), by_reference(cell, string, 2)) < 1e-12


def numbers_of_32_bits(h, p):
    return h * (p + torch.full((1, 5), 0.1))


def sum_of_truths(h, p):
    return h * ((p > 0) + (p > 0.5))


def decided(h, p):
    return h * p if p.sum() > 0 else h


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (Custom(4, 3, RNN(5), numbers_of_32_bits), "The operation full in torch.float32 is not compiled"),
        (Custom(4, 3, RNN(5), sum_of_truths), "The operation add in torch.bool is not compiled"),
        (Custom(4, 3, RNN(5), decided), "Custom cannot be compiled"),
        (Custom(4, 3, RNN(5), name="x"), "Custom has a tensor called x, as the compiled step does"),
        (Custom(4, 3, RNN(5), name="state0"), "Custom has a tensor called state0"),
    ],
)
def test_what_is_not_compiled_is_refused_by_name(cell, said):
    with pytest.raises(NotCompiledError, match=re.escape(said)):
        Program(cell)


def test_a_cell_with_scores_of_its_own_is_refused():
    class Whole(Custom):
        def scores(self, w, ids, inputs):
            return super().scores(w, ids, inputs) / 2

    with pytest.raises(NotCompiledError, match="Whole has `scores` of its own"):
        Program(Whole(4, 3, RNN(5)))


def test_what_is_no_number_is_none_in_c_either():
    cell = Custom(4, 3, RNN(5), lambda h, p: h * p * float("nan"))
    losses, _ = by_program(Program(cell), cell, random_string(cell, 3), 2)
    assert np.isnan(losses).all()
