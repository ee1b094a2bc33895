"""Any controller with any memory and any gate."""

import json
from itertools import product

import pytest
import torch

from helpers.command_line import marnn, succeed
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.models.composed import CONTROLLERS, GATES, INTERVALS, SUPERPOSED
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.errors import UsageError
from marnn_bench.tasks.registry import find_task

WITH_GATES = ["+".join(parts) for parts in product(CONTROLLERS, SUPERPOSED, GATES)]
WITHOUT = [*CONTROLLERS, *("+".join(parts) for parts in product(CONTROLLERS, INTERVALS))]


@pytest.mark.parametrize("name", [*WITH_GATES, *WITHOUT])
def test_every_combination_answers_each_view_as_it_asks(name):
    """Next-symbol sets by numbers between 0 and 1, all else by distributions."""
    for task in map(find_task, ("dyck2", "anbn", "svo-sov")):
        cell = find_baseline(name).cell(task)
        w, noise = initialise(cell.shapes, 0, [0]), torch.zeros(1, 2, 9, cell.noise, dtype=torch.float64)
        ids = torch.randint(cell.symbols, (1, 2, 9), generator=torch.Generator().manual_seed(0))
        inputs = StringInputs(torch.ones((), dtype=torch.float64), noise if cell.noise else None)
        scores = cell.scores(w, ids, inputs)
        assert scores.shape == (1, 2, 9, len(task.columns))
        assert scores.min() >= 0
        assert scores.max() <= 1
        if (task.name != "dyck2") and name not in ("rnn", "lstm"):  # which are the paper's
            assert (scores.sum(-1) - 1).abs().max() < 1e-12


@pytest.mark.parametrize("name", ["stack-rnn", "stack-lstm-gumbel", "baby-ntm-temperature"])
def test_the_models_of_suzgun_et_al_are_among_them(name):
    parts = {
        "stack-rnn": "rnn+stack",
        "stack-lstm-gumbel": "lstm+stack+gumbel",
        "baby-ntm-temperature": "rnn+ring+temperature",
    }
    task = find_task("dyck2")
    assert find_baseline(parts[name]).cell(task) == find_baseline(name).cell(task)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gru+stak", "gru+stak has the unknown part 'stak'. Did you mean stack?"),
        ("grru+stack", "grru+stack has the unknown part 'grru'. Did you mean gru?"),
        ("gru+neural-queue+gumbel", "neural-queue has a gate of its own: leave out gumbel."),
        (
            "gru+stack+gumbel+x",
            "gru+stack+gumbel+x has too many parts: name a controller, a memory and a gate.",
        ),
    ],
)
def test_a_name_that_is_none_is_refused(name, message):
    with pytest.raises(UsageError) as refused:
        find_baseline(name)
    assert str(refused.value) == message


def test_a_composed_model_is_trained_and_evaluated(tmp_path):
    parts = ("--controller", "gru", "--memory", "neural-queue", "--hidden", 6, "--memory-width", 3)
    succeed("generate", "--task", "dyck2", "--rows", 20, "--out", "data", cwd=tmp_path)
    few = ("--data", "data", "--runs", 1, "--epochs", 1, "--out", "mine")
    succeed("train", *parts, "--task", "dyck2", *few, cwd=tmp_path)
    training = json.loads((tmp_path / "mine" / "training.json").read_text())
    assert training["model"] == "gru+neural-queue"
    assert training["sizes"] == {"hidden": 6, "distribution": False, "memory_width": 3, "memory_cells": 104}
    succeed("eval", "mine", "--data", "data", cwd=tmp_path)
    assert marnn("train", "--task", "dyck2", "--out", "other", cwd=tmp_path).error == (
        "Name a MODEL, or a --controller, and with it a --memory and a --gate."
    )
