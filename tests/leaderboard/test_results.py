"""Reading result folders: what is damaged, edited or unfinished is named."""

import json
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from helpers.command_line import succeed
from helpers.synthetic_results import write_record, write_result
from marnn_bench.errors import DataError, UsageError
from marnn_bench.leaderboard.results import read_result
from marnn_bench.leaderboard.statistics import Spread

RIGHT = np.random.default_rng(5).random((3, 40)) < [[0.2], [0.5], [0.9]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_result(tmp_path / "result", RIGHT, model="stack-rnn", published_row="Stack-RNN+Softmax")


def test_a_result_reads_back_as_written(folder: Path) -> None:
    result = read_result(folder)
    assert (result.correct() == RIGHT).all()
    assert (result.model, result.published_row, result.task.rows) == ("stack-rnn", "Stack-RNN+Softmax", 40)
    assert result.accuracy == Spread.of(RIGHT.mean(axis=1))
    assert [run.accuracy for run in result.runs] == RIGHT.mean(axis=1).tolist()
    by_length = result.runs[0].by_length
    assert by_length[52].value == RIGHT[0, [0, 25]].mean()
    assert list(by_length) == list(range(52, 101, 2))


MODEL = """
import numpy as np

def reset(n):
    pass

def step(ids):
    return np.tile([1.0, 0.0, 1.0, 0.0], (len(ids), 1))  # openers, which is right after a whole string only
"""


def test_what_the_evaluator_writes_is_read(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    succeed("generate", "--task", "dyck2", "--rows", 30, "--out", "data", cwd=tmp_path)
    succeed("eval", "model.py", "--task", "dyck2", "--data", "data", "--out", "result", cwd=tmp_path)
    result = read_result(tmp_path / "result")
    assert result.correct().shape == (1, 30)
    assert not result.correct().any()
    assert (result.model, result.task.window, result.solved_runs) == ("model", "52:100", 0)
    assert result.trivial.keys() == {"best constant set", "best set by last symbol", "counter"}
    verdict = json.loads(succeed("compare", "result", "result", "--format", "json", cwd=tmp_path))["verdict"]
    assert verdict == "no difference shown"


def test_an_unfinished_evaluation_is_told_from_a_damaged_one(folder: Path) -> None:
    (folder / "result.json").unlink()
    with pytest.raises(UsageError, match="did not finish"):
        read_result(folder)


def edit_a_number(folder: Path) -> None:
    path = folder / "result.json"
    path.write_text(path.read_text().replace('"rows": 40', '"rows": 41'))


def cut_result(folder: Path) -> None:
    path = folder / "result.json"
    path.write_text(path.read_text()[:-20])


def cut_samples(folder: Path) -> None:
    path = folder / "samples.parquet"
    path.write_bytes(path.read_bytes()[:-1])


def lose_samples(folder: Path) -> None:
    (folder / "samples.parquet").unlink()


def newer_schema(folder: Path) -> None:
    record = json.loads((folder / "result.json").read_text())
    write_record(folder, record | {"schema_version": 2})


def lose_a_field(folder: Path) -> None:
    record = json.loads((folder / "result.json").read_text())
    del record["task"]["digest"]
    write_record(folder, record)


def not_an_object(folder: Path) -> None:
    (folder / "result.json").write_text("[1]")


@pytest.mark.parametrize(
    "damage",
    [edit_a_number, cut_result, cut_samples, lose_samples, newer_schema, lose_a_field, not_an_object],
)
def test_damage_is_found_and_named_in_one_line(damage: object, folder: Path) -> None:
    assert callable(damage)
    damage(folder)
    with pytest.raises(DataError) as found:
        read_result(folder)
    assert str(folder) in str(found.value)
    assert len(str(found.value).splitlines()) == 1


def replace_samples(folder: Path, right: np.ndarray) -> None:
    """Other samples under a result.json whose sha256 and integrity fit them."""
    other = write_result(folder.parent / "other", right)
    record = json.loads((folder / "result.json").read_text())
    record["samples"] = json.loads((other / "result.json").read_text())["samples"]
    (folder / "samples.parquet").write_bytes((other / "samples.parquet").read_bytes())
    write_record(folder, record)


@pytest.mark.parametrize("right", [~RIGHT, RIGHT[:2], RIGHT[:, :-1]], ids=["answers", "runs", "rows"])
def test_samples_of_another_evaluation_are_found_out(right: np.ndarray, folder: Path) -> None:
    replace_samples(folder, right)
    with pytest.raises(DataError):
        read_result(folder).correct()


def test_samples_out_of_order_are_refused(folder: Path) -> None:
    samples = pq.read_table(folder / "samples.parquet")
    pq.write_table(samples.sort_by([("row", "descending")]), folder / "samples.parquet")
    record = json.loads((folder / "result.json").read_text())
    record["samples"]["sha256"] = sha256((folder / "samples.parquet").read_bytes()).hexdigest()
    write_record(folder, record)
    with pytest.raises(DataError, match="in order"):
        read_result(folder).correct()
