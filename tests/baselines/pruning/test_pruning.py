"""Stacks that a model does not use are found and removed."""

import json
from itertools import combinations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import marnn, succeed
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.memories import List, Stack
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.models.joulin2015 import MemorySizes, with_memory
from marnn_bench.baselines.pruning.search import largest_removable, unread, without

STACKS = 6


@given(st.lists(st.sets(st.integers(0, STACKS - 1), min_size=1), max_size=8))
def test_no_larger_set_can_be_removed(needed):
    """Of each of these sets a model needs one stack: the largest set that holds none of them whole, by trying all."""

    def can_do_without(removed):
        return not any(of <= {*removed} for of in needed)

    sizes = (
        size for size in range(STACKS + 1) for of in combinations(range(STACKS), size) if can_do_without(of)
    )
    found = largest_removable(STACKS, can_do_without)
    assert can_do_without(found)
    assert len(found) == max(sizes)


def test_ten_stacks_of_which_one_is_used_are_tried_a_few_times():
    tried = []

    def can_do_without(removed):
        tried.append(removed)
        return 4 not in removed

    assert largest_removable(10, can_do_without) == (0, 1, 2, 3, 5, 6, 7, 8, 9)
    assert len(tried) == 10 + sum(range(9))


@pytest.mark.parametrize("kind", [Stack, List])
@pytest.mark.parametrize("removed", [(1,), (0, 2), (0, 1, 2)])
def test_a_model_without_stacks_answers_as_one_that_does_not_read_them(kind, removed):
    cell = with_memory(kind, 3, 4, MemorySizes(hidden=5, memories=4, cells=12, depth=2, no_op=True))
    w, ids = (
        initialise(cell.shapes, 0, [0]).each(lambda tensor: 10 * tensor),
        torch.tensor([[[0, 2, 1, 1, 0, 2, 2]]]),
    )

    def scores(cell, w):
        inputs = StringInputs(torch.tensor(1.0, dtype=torch.float64), None, training=False)
        return cell.scores(w, ids, inputs)

    expected, (smaller, kept) = scores(cell, unread(cell.memory, w, removed)), without(cell, w, removed)
    assert smaller.memory.count == 4 - len(removed)
    assert (scores(smaller, kept) - expected).abs().max() < 1e-12
    assert (scores(cell, w) - expected).abs().max() > 1e-6


def test_a_trained_run_is_written_without_them(tmp_path):
    few = ("--runs", 2, "--rows", 60, "--epochs", 2, "--hidden", 5, "--out", "mine")
    succeed("train", "joulin-stack-rnn", "--task", "anbn", *few, cwd=tmp_path)
    said = succeed("prune", "mine", "--run", 1, "--tolerance", 0.5, "--out", "small", cwd=tmp_path)
    training = json.loads((tmp_path / "small" / "training.json").read_text())
    stacks = training["sizes"]["memories"]
    assert said.startswith(f"{10 - stacks} of 10 removed: ")
    assert training["runs"] == 1
    assert training["pruned"]["without"] <= 1.5 * training["pruned"]["loss"]
    succeed("eval", "small", "--stream", "--out", "result", cwd=tmp_path)


def test_a_model_without_stacks_is_refused(tmp_path):
    few = ("--runs", 1, "--rows", 20, "--epochs", 1, "--out", "mine")
    succeed("train", "lstm", "--task", "dyck2", *few, cwd=tmp_path)
    message = "mine has no stacks to remove: give a model such as joulin-stack-rnn."
    assert marnn("prune", "mine", "--out", "small", cwd=tmp_path).error == message
