"""Whole evaluations: right models score 1, wrong ones what can be counted, and what a result holds."""

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from helpers.evaluations import run
from helpers.model_files import errors, samples, small_data, write_model
from helpers.paths import MODELS
from marnn_bench.evaluation.records import integrity
from marnn_bench.store.read import read_split

Write = Callable[[str], Path]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small splits of some tasks."""
    names = ("dyck2", "dyck3", "hom-palindrome", "marked-palindrome", "string-reversal")
    return small_data(tmp_path_factory.mktemp("data"), *names)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a model file into a folder of its own."""
    return partial(write_model, tmp_path / "model")


# -- scores


@pytest.mark.parametrize(
    ("model", "task"),
    [("bracket_stack", "dyck2"), ("bracket_stack", "dyck3")]
    + [("mirror_stack", name) for name in ("hom-palindrome", "marked-palindrome", "string-reversal")],
)
def test_a_model_that_knows_the_language_scores_exactly_1(
    model: str, task: str, data: Path, tmp_path: Path
) -> None:
    result = run(MODELS / f"{model}.py", data, tmp_path / "out", task)
    (scores,) = result["runs"]
    sequences, positions = (scores["metrics"][name] for name in ("sequence_accuracy", "position_accuracy"))
    assert sequences["value"] == positions["value"] == sequences["upper"] == positions["upper"] == 1.0
    assert 0.99 < sequences["lower"] < 1 and 0.99 < positions["lower"] < 1
    assert all(cell["value"] == 1.0 for by in ("length", "depth") for cell in scores[f"by_{by}"])
    assert scores["first_error"] == {"strings": 0, "median": None}
    assert scores["longest_solved"] == max(cell["length"] for cell in scores["by_length"])
    assert result["summary"]["solved"]["runs"] == 1


def test_a_constant_model_scores_what_can_be_counted(data: Path, tmp_path: Path) -> None:
    result = run(MODELS / "openers.py", data, tmp_path / "out")
    rows = pq.read_table(data / "data/dyck2/test-00000-of-00001.parquet").to_pylist()
    right = [[mask == 0b0101 for mask in row["next"]] for row in rows]
    (scores,) = result["runs"]
    positions = scores["metrics"]["position_accuracy"]
    assert positions["value"] == sum(map(sum, right)) / sum(map(len, right))
    assert positions["lower"] < positions["value"] < positions["upper"]
    assert scores["metrics"]["sequence_accuracy"]["value"] == sum(map(all, right)) / len(right)
    at_zero = scores["positions_by_depth"][0]
    assert (at_zero["depth"], at_zero["correct"]) == (0, sum(map(sum, right)))


def test_the_three_interfaces_give_the_same_result(data: Path, tmp_path: Path) -> None:
    results, contents = [], []
    for interface in ("step", "predict_batch", "predict"):
        results.append(run(MODELS / f"hashing_{interface}.py", data, tmp_path / interface, "hom-palindrome"))
        contents.append(samples(tmp_path / interface))
    assert [result["model"]["interface"] for result in results] == ["step", "predict_batch", "predict"]
    assert contents[0] == contents[1] == contents[2]
    assert results[0]["runs"] == results[1]["runs"] == results[2]["runs"]
    assert 0 < results[0]["runs"][0]["metrics"]["position_accuracy"]["value"] < 0.2


def test_samples_can_be_scored_again_without_the_model(data: Path, tmp_path: Path) -> None:
    result = run(MODELS / "hashing_step.py", data, tmp_path / "out", "string-reversal")
    found = samples(tmp_path / "out")
    test = read_split(data, "string-reversal", "test")
    assert found["row"] == list(range(len(test))) and set(found["run"]) == {0}
    for row, predicted in enumerate(found["predicted"]):
        start, end = test.strings.offsets[row : row + 2]
        wrong = np.flatnonzero(test.answers[start:end] != np.array(predicted, np.uint64))
        assert found["correct"][row] == (len(wrong) == 0)
        assert found["first_error"][row] == (wrong[0] if len(wrong) else -1)
    assert np.mean(found["correct"]) == result["runs"][0]["metrics"]["sequence_accuracy"]["value"]


def test_no_wave_has_more_than_1024_strings(data: Path, tmp_path: Path, write: Write) -> None:
    file = write(
        """
        def predict_batch(prefixes):
            print(len(prefixes), {len(p) for p in prefixes}, file=open("asked", "a"))
            return [{"("}] * len(prefixes)
        """
    )
    run(file, data, tmp_path / "out", audit=False)
    asked = [line.split() for line in (file.parent / "asked").read_text().splitlines()]
    assert {int(n) for n, _ in asked[:52]} == {1024} and asked[0] == ["1024", "{1}"]
    assert [int(n) for n, lengths in asked if lengths == "{1}"] == [1024, 76]


# -- the directory of a result


def test_what_a_result_holds(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    result = run(MODELS / "openers.py", data, out)
    assert sorted(path.name for path in out.iterdir()) == ["errors.jsonl", "result.json", "samples.parquet"]
    assert json.loads((out / "result.json").read_text()) == result
    assert result["integrity"] == integrity(result)
    assert result["samples"]["sha256"] == hashlib.sha256((out / "samples.parquet").read_bytes()).hexdigest()
    assert result["samples"]["rows"] == 1100 and errors(out) == []
    assert result["task"]["digest"] == read_split(data, "dyck2", "test").digest
    assert (result["task"]["rows"], result["task"]["columns"]) == (1100, ["(", ")", "[", "]"])
    assert result["harness"]["packages"]["numpy"] == np.__version__
    assert result["protocol"]["limits"]["environment"] == {"passed": [], "state": "enforced"}
    assert [answer["name"] for answer in result["trivial"]] == [
        "best constant set",
        "best set by last symbol",
        "counter",
    ]
