"""Models that are written as a torch.nn.Module: the same numbers as the cell of the same equations."""

from pathlib import Path

import pytest
import torch
from torch import nn

from helpers.command_line import marnn, succeed
from helpers.examples import first_rows
from marnn_bench.baselines.cells.inputs import StepInputs, StringInputs
from marnn_bench.baselines.cells.module import ModuleCell
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.models.suzgun2019 import VanillaSizes, rnn
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.training.loop import train


class ElmanNetwork(nn.Module):
    """Suzgun et al.'s vanilla RNN by torch's own layers."""

    def __init__(self, symbols: int, columns: int) -> None:
        super().__init__()
        self.symbols, self.columns = symbols, columns
        self.rnn = nn.RNN(symbols, 8, batch_first=True)
        self.output = nn.Linear(8, columns)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        one_hot = nn.functional.one_hot(ids, self.symbols).to(self.output.weight.dtype)
        return self.output(self.rnn(one_hot)[0]).sigmoid()


CELL = ModuleCell(4, 4, ElmanNetwork)
ONE = torch.ones((), dtype=torch.float64)
NAMES = {
    "input.weight": "rnn.weight_ih_l0", "input.bias": "rnn.bias_ih_l0", "hidden.weight": "rnn.weight_hh_l0",
    "hidden.bias": "rnn.bias_hh_l0", "output.weight": "output.weight", "output.bias": "output.bias",
}  # fmt: skip


def test_a_module_is_trained_as_the_cell_of_the_same_equations(monkeypatch):
    """Two epochs from the same numbers."""
    examples = first_rows("dyck2", 8)
    ours = rnn(4, 4, VanillaSizes(hidden=8))
    drawn = initialise(ours.shapes, 0, range(16)).tensors

    def of_module(shapes, seed, runs):
        own = initialise(shapes, seed, runs)
        for name, there in NAMES.items():
            value = drawn[name].detach()[: own.runs]
            own.tensors[there].data.copy_(value.mT if name.endswith("weight") else value[:, 0])
        return own

    expected = train(ours, SUZGUN2019, examples, range(2))
    monkeypatch.setattr("marnn_bench.baselines.training.loop.initialise", of_module)
    found = train(CELL, SUZGUN2019, examples, range(2))
    assert (found.losses - expected.losses).abs().max() < 1e-9


def test_symbol_by_symbol_is_all_at_once():
    w = initialise(CELL.shapes, 0, [0, 1])
    ids = torch.randint(4, (1, 3, 7), generator=torch.Generator().manual_seed(0))
    at_once = CELL.scores(w, ids, StringInputs(ONE))
    state = CELL.initial_state(w, 3)
    for clock in range(7):
        x = CELL.encode(w, ids[:, :, clock])
        state, features = CELL.step(w, state, x, StepInputs(ONE, None, clock, training=False))
        assert (CELL.decode(w, features) - at_once[:, :, clock]).abs().max() < 1e-12


def test_runs_begin_as_the_module_does_and_differ():
    first, again = initialise(CELL.shapes, 0, [0, 1]), initialise(CELL.shapes, 0, [1])
    weight = first.tensors["output.weight"]
    assert weight.abs().max() <= 8**-0.5  # U(-1/sqrt(8), 1/sqrt(8)), the law of nn.Linear
    assert not torch.equal(weight[0], weight[1])
    assert torch.equal(weight[1:], again.tensors["output.weight"])


def test_a_module_of_a_file_is_trained_and_evaluated(tmp_path: Path):
    source = Path(__file__).read_text().split("class ElmanNetwork")[1].split("\n\n\nCELL")[0]
    (tmp_path / "elman.py").write_text(
        f"import torch\nfrom torch import nn\n\n\nclass ElmanNetwork{source}\n\n\ncell = ElmanNetwork\n"
    )
    succeed("generate", "--task", "dyck2", "--rows", 20, "--out", "data", cwd=tmp_path)
    few = ("--data", "data", "--runs", 2, "--epochs", 1, "--out", "mine")
    trained = marnn("train", "elman.py", "--task", "dyck2", *few, cwd=tmp_path)
    assert trained.code == 0, trained.err
    assert "Engine: reference." in trained.err
    succeed("eval", "mine", "--data", "data", cwd=tmp_path)


def test_answers_of_another_shape_are_named():
    class Last(ElmanNetwork):
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return super().forward(ids)[:, -1]

    cell = ModuleCell(4, 4, Last)
    with pytest.raises(ValueError, match=r"answered ids \[2, 5\] with \[2, 4\], not \[2, 5, 4\]"):
        cell.scores(
            initialise(cell.shapes, 0, [0]), torch.zeros(1, 2, 5, dtype=torch.int64), StringInputs(ONE)
        )
