"""What `marnn-bench trace` shows of a trained model, against the equations of its memory and what the model answers."""

import json
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import marnn, succeed
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.baselines.cells.noise import PrefixNoise
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.traces.recording import Steps, Trace, record, record_steps
from marnn_bench.baselines.training.checkpoint import load_checkpoint
from marnn_bench.baselines.training.trained_model import TrainedModel
from marnn_bench.tasks.registry import find_task

STRING = "( [ ( ) ] ) [ ]"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder with trained models."""
    folder = tmp_path_factory.mktemp("trained")
    for name in ("stack-rnn", "baby-ntm-gumbel", "lstm"):
        arguments = ("--runs", 2, "--rows", 20, "--epochs", 1, "--out", name)
        succeed("train", name, "--task", "dyck2", *arguments, cwd=folder)
    return folder


def traced(folder: Path, name: str, run: int = 1) -> Trace:
    return record(load_checkpoint(folder / name / "checkpoint.safetensors").run(run), run, STRING.split())


@pytest.mark.parametrize("name", ["stack-rnn", "baby-ntm-gumbel", "lstm"])
def test_the_answers_are_those_that_the_evaluator_is_given(folder, name):
    trace, model, task = traced(folder, name), TrainedModel(folder / name), find_task("dyck2")
    model.load(ModelTask.of(task, 1))
    model.reset(1)
    ids = [[*task.language.alphabet].index(symbol) for symbol in STRING.split()]
    answered = np.concatenate([model.step(np.array([symbol])) for symbol in ids])
    assert np.abs(trace.scores - answered).max() < 1e-12


def test_the_cells_of_a_stack_follow_from_the_weights_of_its_actions(folder):
    """S'(i) = push S(i-1) + pop S(i+1), below the top."""
    (memory,) = traced(folder, "stack-rnn").memories
    assert memory.actions == ("push", "pop")
    before = np.zeros(memory.cells.shape[1] + 1)
    for (push, pop), after in zip(memory.weights, np.nan_to_num(memory.cells[:, :, 0]), strict=True):
        assert np.abs(after[1:] - push * before[:-2] - pop * before[2:]).max() < 1e-12
        before[:-1] = after
    assert np.abs(memory.weights.sum(1) - 1).max() < 1e-12


def untrained(name: str, task: str) -> Steps:
    """Twelve steps of a model with its initial parameters."""
    cell = find_baseline(name).cell(find_task(task))
    ids = np.random.default_rng(0).integers(0, cell.symbols, 12)
    return record_steps(cell, initialise(cell.shapes, 0, [0]), ids, PrefixNoise(0, 0, 1, cell.noise))


@pytest.mark.parametrize("name", ["neural-stack-lstm", "neural-queue-lstm"])
def test_the_items_of_an_interval_memory_are_as_strong_as_what_was_pushed_and_not_popped(name):
    """Equations 1 and 4 of Grefenstette et al. 2015, summed over items: s' = max(0, s - pop) + push"""
    (memory,) = untrained(name, "svo-sov").memories
    assert memory.actions == ("push", "pop")
    strength = 0.0
    for (push, pop), items in zip(memory.weights, memory.cells, strict=True):
        strength = max(0.0, strength - pop) + push
        assert abs(np.nansum(items) - strength) < 1e-12


def test_both_ends_of_a_deque_hold_the_same_items_in_opposite_order():
    top, bottom = untrained("neural-deque-lstm", "svo-sov").memories
    assert (top.name, bottom.name) == ("top", "bottom")
    for of_top, of_bottom in zip(top.cells, bottom.cells, strict=True):
        assert np.array_equal(of_top[~np.isnan(of_top)][::-1], of_bottom[~np.isnan(of_bottom)])


def test_every_stack_and_list_of_joulin_and_mikolov_is_shown():
    steps = untrained("joulin-stack-rnn", "anbn")
    assert [memory.name for memory in steps.memories] == [f"{number}" for number in range(1, 11)]
    for memory in untrained("joulin-list-rnn", "anbn").memories:
        assert memory.head == 12  # nothing beyond is reached in so many steps
        assert memory.cells.shape[1] == 12 + 2 + 12


def test_a_source_and_its_target_are_traced_behind_start(tmp_path):
    few = ("--rows", 20, "--runs", 1, "--epochs", 1, "--hidden", 4, "--memory-width", 2, "--out", "mine")
    succeed("train", "lstm+neural-queue", "--task", "svo-sov", *few, cwd=tmp_path)
    shown = json.loads(succeed("trace", "mine", "si1 vi28 ||| so1", "--format", "json", cwd=tmp_path))
    assert shown["symbols"] == ["START", "si1", "vi28", "|||", "so1"]
    assert len(shown["scores"]) == 5
    assert abs(sum(shown["scores"][-1]) - 1) < 1e-9


@pytest.mark.parametrize("name", ["stack-rnn", "lstm"])
def test_a_trace_is_a_table_of_a_line_for_each_symbol_and_pictures(folder, tmp_path, name):
    pictures = ("--out", tmp_path / "a.png", "--out", tmp_path / "a.html")
    printed = succeed("trace", name, STRING, *pictures, cwd=folder).splitlines()
    assert [line.split()[0] for line in printed[2:]] == STRING.split()
    assert max(map(len, printed)) <= 80
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "a.html").read_text()
    assert "vega" in page
    assert 'src="http' not in page


def test_the_numbers_are_there_as_json(folder):
    shown = json.loads(succeed("trace", "stack-rnn", "( ( )", "--run", 1, "--format", "json", cwd=folder))
    (memory,) = shown["memories"]
    assert shown["symbols"] == ["(", "(", ")"]
    assert [len(memory["weights"]), len(memory["cells"]), len(shown["scores"])] == [3, 3, 3]
    assert memory["cells"][0][-1] == [None]  # this cell came later


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("lstm", "( x )"), "The model does not know 'x'; its symbols are ( ) [ ]."),
        (("lstm", ""), "The string is empty: give some symbols, with spaces between them."),
        (("lstm", "( )", "--run", 2), "lstm/checkpoint.safetensors has the runs 0 to 1, not 2; ask for one of these."),
        (("lstm", "( )", "--out", "a.gif"), "No picture can be written as a.gif; end its name with .html, .pdf, .png, .svg."),
        (("here", "( )"), "here/checkpoint.safetensors is missing. Train the model again with --overwrite."),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_said_in_one_line(folder, arguments, message):
    assert marnn("trace", *arguments, cwd=folder).error == message
