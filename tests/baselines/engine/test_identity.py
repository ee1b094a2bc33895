"""What a compiled program is kept under changes with all that the program depends on."""

import sys
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from helpers.compiled import COMPILED, compiled_cell
from helpers.examples import first_rows
from helpers.gradients import by_program, by_reference, farthest, random_string
from marnn_bench.baselines.cells.gates import Softmax
from marnn_bench.baselines.cells.memories import Stack
from marnn_bench.baselines.engine.identity import identity
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.model_file import baseline_of_file
from marnn_bench.baselines.models.registry import find_baseline

TASK = first_rows("dyck2", 1).task

MODEL = """
import numbers_of_mine
from marnn_bench.baselines.models.suzgun2019 import RNN, VanillaCell

class Mine(VanillaCell):
    def decode(self, w, features):
        return super().decode(w, features * numbers_of_mine.factor)

def cell(symbols, columns):
    return Mine(symbols, columns, RNN(3))
"""


def test_every_model_has_its_own():
    keys = [identity(compiled_cell(name, TASK)) for name in COMPILED]
    assert None not in keys and len({*keys}) == len(keys)


def test_it_changes_with_every_size():
    cell = find_baseline("stack-rnn").cell(TASK)
    others = [replace(cell, memory=memory) for memory in (Stack(1, 103), Stack(1, 104, fill=-1.0))]
    others += [replace(cell, columns=3), replace(cell, controller=replace(cell.controller, bias=False))]
    assert len({identity(each) for each in (cell, *others)}) == 5
    assert identity(replace(cell, gate=Softmax())) == identity(cell)


def test_a_model_of_a_file_has_none_and_is_compiled_as_the_file_has_it_now(tmp_path):
    """Whatever it depends on: here a number of another module, which is changed."""
    file = tmp_path / "mine.py"
    file.write_text(MODEL)
    string, losses = None, []
    for factor in (1.0, 2.0):
        sys.modules["numbers_of_mine"] = SimpleNamespace(factor=factor)
        cell = baseline_of_file(file).cell(TASK)
        assert identity(cell) is None
        string = string or random_string(cell, 9)
        losses.append(by_program(Program(cell), cell, string, 1)[0])
        assert farthest(by_program(Program(cell), cell, string, 1), by_reference(cell, string, 1)) < 1e-12
    assert losses[0] != losses[1]


@dataclass(frozen=True)
class Scaled(Softmax):
    """A gate that holds a function, of which nothing can be said."""

    scale: object = abs


def test_there_is_none_where_a_value_cannot_be_told_from_another():
    assert identity(replace(find_baseline("stack-rnn").cell(TASK), gate=Scaled())) is None


def test_a_cell_that_was_compiled_is_not_traced_again(tmp_path, monkeypatch):
    monkeypatch.setenv("MARNN_CACHE", str(tmp_path))
    cell = find_baseline("rnn").cell(TASK)
    Program(cell)

    def fail(*arguments):
        pytest.fail("it was traced")

    monkeypatch.setattr("marnn_bench.baselines.engine.codegen.source.trace", fail)
    assert Program(cell).lanes == 8
    with pytest.raises(pytest.fail.Exception):
        Program(cell, "float32")
