"""marnn-bench train and baselines, as a user types them."""

import csv
import json
from pathlib import Path

import pytest

from helpers.command_line import marnn, succeed
from helpers.paths import ROOT


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A folder with a small dyck2 and its test split."""
    folder = tmp_path_factory.mktemp("generated")
    succeed("generate", "--task", "dyck2", "--rows", "40", "--out", "data", cwd=folder)
    return folder / "data"


def test_train_then_evaluate(tmp_path, data):
    printed = marnn(
        "train", "stack-rnn", "--task", "dyck2", "--runs", 2, "--data", data, "--out", "mine", cwd=tmp_path
    )
    assert printed.code == 0, printed.err
    assert "stack-rnn on dyck2 1.0, 191 parameters a run" in printed.out
    assert "not as in the paper: rows 40 instead of 5000" in printed.out
    assert f"Next: marnn-bench eval mine --data {data}\n" in printed.err
    succeed("eval", "mine", "--data", data, cwd=tmp_path)  # on the task that it was trained on
    result = json.loads((tmp_path / "runs" / "stack-rnn" / "dyck2" / "test" / "result.json").read_text())
    assert [run["run"] for run in result["runs"]] == [0, 1]
    assert result["model"]["training"]["published_row"] == "Stack-RNN+Softmax"


def test_deviations_from_the_paper_are_recorded(tmp_path, data):
    arguments = ("--rows", 5, "--epochs", 1, "--hidden", 3, "--memory-width", 2, "--seed", 9, "--runs", 1)
    arguments += ("--learning-rate", 0.02, "--batch", 2)
    shown = succeed(
        "train", "stack-rnn", "--task", "dyck2", "--data", data, "--out", "mine", *arguments, "--format", "json",
        cwd=tmp_path,
    )  # fmt: skip
    training = json.loads(shown)
    assert training == json.loads((tmp_path / "mine" / "training.json").read_text())
    assert training["deviations"] == {
        "rows": {"paper": 5000, "here": 5},
        "hidden": {"paper": 8, "here": 3},
        "memory_width": {"paper": 1, "here": 2},
        "epochs": {"paper": 3, "here": 1},
        "learning_rate": {"paper": 0.01, "here": 0.02},
        "batch": {"paper": 1, "here": 2},
    }
    assert training["device"] == "cpu"
    assert (training["seed"], training["runs"], training["parameters"]) == (
        9,
        1,
        4 * 3 + 3 + 12 + 9 + 8 + 8 + 16,
    )


def test_a_folder_in_use_is_refused_before_any_work(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("keep me")
    cache = tmp_path / "cache"
    refused = marnn("train", "rnn", "--task", "dyck2", "--out", "mine", cwd=tmp_path, cache=cache)
    assert refused.code == 2
    assert (
        refused.error
        == "mine is not empty. Choose another folder, or replace what is there with --overwrite."
    )
    assert not cache.exists()
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("stack-rn", "--task", "dyck2"), "There is no baseline 'stack-rn'. Did you mean stack-rnn"),
        (("rnn", "--task", "dick2"), "There is no task 'dick2'. Did you mean dyck2 or"),
        (
            ("lstm", "--task", "dyck2", "--memory-width", 5),
            "lstm takes no memory width; leave out --memory-width.",
        ),
        (
            ("joulin-stack-rnn", "--task", "dyck2"),
            "dyck2 train is not endless, as a stream needs it: choose one that is, such as anbn.",
        ),
        (
            ("joulin-stack-rnn", "--task", "anbn", "--batch", 2),
            "The batch 2 of joulin-stack-rnn's recipe cannot be carried out on a stream. Leave it at 1.",
        ),
        (("rnn", "--task", "dyck2", "--data", "nowhere"), "There is no folder nowhere."),
    ],
)
def test_what_cannot_be_trained_is_named(tmp_path, arguments, message):
    refused = marnn("train", *arguments, "--out", "mine", cwd=tmp_path)
    assert refused.code == 2
    assert refused.error.startswith(message)


def test_more_rows_than_the_folder_has_are_refused(tmp_path, data):
    refused = marnn(
        "train", "rnn", "--task", "dyck2", "--data", data, "--rows", 41, "--out", "mine", cwd=tmp_path
    )
    assert refused.code == 2
    assert refused.error == f"{data} has 40 train rows of dyck2, not 41: ask for at most 40."


def test_baselines_are_listed_with_their_sizes_on_a_task(tmp_path):
    listed = json.loads(succeed("baselines", "--task", "dyck6", "--format", "json", cwd=tmp_path))
    found = {b["name"]: (b["published_row"], b["hidden"], b["memory_width"], b["parameters"]) for b in listed}
    assert found["rnn"] == ("Vanilla RNN", 12, None, 468)
    assert found["lstm"] == ("Vanilla LSTM", 12, None, 1404)
    assert found["stack-rnn"] == ("Stack-RNN+Softmax", 12, 5, 631)


def test_a_baseline_that_names_a_row_has_it_in_its_papers_tables(tmp_path):
    listed = json.loads(succeed("baselines", "--format", "json", cwd=tmp_path))
    for baseline in (baseline for baseline in listed if baseline["published_row"]):
        with (ROOT / "leaderboard" / "data" / f"{baseline['paper']}.csv").open() as file:
            assert baseline["published_row"] in {row["model"] for row in csv.DictReader(file)}
