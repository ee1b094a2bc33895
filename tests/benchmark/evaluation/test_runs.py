"""Results of several runs: of a train folder, or of a model file that is loaded for each."""

from pathlib import Path

import pytest

from helpers.evaluations import run
from helpers.model_files import samples, small_data, write_model, write_trained
from helpers.paths import MODELS
from marnn_bench.errors import DataError, ModelError, UsageError
from marnn_bench.evaluation.source import ModelSource


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small splits of two tasks."""
    return small_data(tmp_path_factory.mktemp("data"), "dyck2", "string-reversal")


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """The folder of three trained runs."""
    return write_trained(tmp_path / "trained")


def test_all_runs_of_a_train_folder_are_evaluated(trained: Path, data: Path, tmp_path: Path) -> None:
    result = run(trained, data, tmp_path / "out")
    assert [scores["metrics"]["sequence_accuracy"]["value"] for scores in result["runs"]] == [0.0, 1.0, 0.0]
    assert result["summary"]["solved"]["share"] == 1 / 3
    assert (
        result["model"]["name"] == "stack-rnn" and result["model"]["training"]["published_row"] == "Stack-RNN"
    )
    found = samples(tmp_path / "out")
    assert found["run"] == [0] * 1100 + [1] * 1100 + [2] * 1100
    assert found["predicted"][0][0] == 1 and found["predicted"][2200][0] == 5
    alone = run(MODELS / "bracket_stack.py", data, tmp_path / "alone")
    assert {**result["runs"][1], "run": 0} == alone["runs"][0]


def test_fewer_runs_can_be_asked_and_more_cannot(trained: Path, data: Path, tmp_path: Path) -> None:
    assert len(run(trained, data, tmp_path / "out", runs=2)["runs"]) == 2
    with pytest.raises(UsageError, match=r"holds 3 runs, not 4. Try --runs 3"):
        ModelSource.find(trained, 4)
    run(MODELS / "mirror_stack.py", data, tmp_path / "with-load", "string-reversal", runs=2)
    without_load = write_model(tmp_path, "def predict(prefix): return set()")
    with pytest.raises(UsageError, match="has no load"):
        run(without_load, data, tmp_path / "without-load", runs=2)


def test_a_failed_load_names_its_run(trained: Path, data: Path, tmp_path: Path) -> None:
    (trained / "model.py").write_text(
        "def load(task):\n    if task.run == 2: 1 / 0\ndef predict(prefix): return set()"
    )
    with pytest.raises(ModelError, match=r"load raised ZeroDivisionError: division by zero, at run 2\."):
        run(trained, data, tmp_path / "out")


@pytest.mark.parametrize("content", ["{", "[]", '{"model": "x"}', '{"model": "x", "runs": "many"}'])
def test_a_damaged_training_json_is_named(trained: Path, content: str) -> None:
    (trained / "training.json").write_text(content)
    with pytest.raises(DataError, match=r"training.json is damaged"):
        ModelSource.find(trained)
