"""Results as boards read them: every figure as it was found, every text on one printable line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import succeed
from helpers.synthetic_results import read_record, strings, write_record, write_result
from marnn_bench.errors import DataError, UsageError
from marnn_bench.leaderboard.results import read_result
from marnn_bench.leaderboard.statistics import Spread

RIGHT = np.random.default_rng(5).random((3, 40)) < [[0.2], [0.5], [0.9]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_result(tmp_path / "result", RIGHT, model="stack-rnn", published_row="Stack-RNN+Softmax")


def test_a_result_reads_back_as_written(folder: Path) -> None:
    result = read_result(folder)
    assert (result.values() == RIGHT).all()
    assert (result.model, result.published_row, result.task.rows) == ("stack-rnn", "Stack-RNN+Softmax", 40)
    assert result.spread == Spread.of(RIGHT.mean(axis=1))
    assert [run.value for run in result.runs] == RIGHT.mean(axis=1).tolist()
    lengths = strings("dyck2", "test", 40)[0].strings.lengths
    by_length = {length: cell.value for length, cell in result.runs[0].by_length.items()}
    assert by_length == {n: RIGHT[0, lengths == n].mean() for n in np.unique(lengths).tolist()}


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
    assert result.values().shape == (1, 30)
    assert not result.values().any()
    assert (result.model, result.task.window, result.solved_runs) == ("model", "52:100", 0)
    assert result.trivial.keys() == {"best constant set", "best set by last symbol", "counter"}
    verdict = json.loads(succeed("compare", "result", "result", "--format", "json", cwd=tmp_path))["verdict"]
    assert verdict == "no difference shown"


def test_an_unfinished_evaluation_is_told_from_a_damaged_one(folder: Path) -> None:
    (folder / "result.json").unlink()
    with pytest.raises(UsageError, match="did not finish"):
        read_result(folder)


@pytest.mark.parametrize("text", ["[1]", "[" * 100_000, '{"schema_version": 2}', "null", "{", ""])
def test_what_is_no_record_is_damaged(text: str, folder: Path) -> None:
    (folder / "result.json").write_text(text)
    with pytest.raises(DataError, match="is damaged") as found:
        read_result(folder)
    assert len(str(found.value).splitlines()) == 1


def forge(folder: Path, *path: str | int, value: object) -> None:
    """Another value of one field, under an integrity that fits."""
    record = read_record(folder)
    field: Any = record
    for key in path[:-1]:
        field = field[key]
    field[path[-1]] = value
    write_record(folder, record)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("model", "name"), "mine\n| forged | 100.00 |"),
        (("model", "name"), "\x1b[2J"),
        (("model", "name"), "mine\u202e"),
        (("model", "name"), "m" * 201),
        (("model", "name"), ""),
        (("model", "name"), None),
        (("model", "training"), "none"),
        (("model", "training", "published_row"), ["Stack-RNN"]),
        (("model", "training", "deviations"), {"epochs": {"paper": 3, "here": "2\n"}}),
        (("model", "training", "deviations"), {"epochs": {"paper": 3}}),
        (("model", "training", "deviations"), {"\x07": {"paper": 3, "here": 2}}),
        (("audit",), {"done": True, "checks": [{"name": "a\x07", "passed": False, "detail": ""}]}),
        (("audit",), {"done": True, "checks": [7]}),
        (("audit",), []),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else None,
)
def test_text_that_is_not_of_one_printable_line_is_damage(
    path: tuple[str | int, ...], value: object, folder: Path
) -> None:
    forge(folder, *path, value=value)
    with pytest.raises(DataError) as found:
        read_result(folder)
    assert str(found.value).isprintable()
    assert len(str(found.value)) < 500


def test_lost_answers_and_failed_checks_are_read(folder: Path, tmp_path: Path) -> None:
    assert (read_result(folder).lost, read_result(folder).audit_failed) == (0, ())
    checks = [{"name": name, "passed": name == "a", "detail": "-"} for name in "abc"]
    lossy = write_result(tmp_path / "lossy", RIGHT, lost=12, audit={"done": True, "checks": checks})
    assert (read_result(lossy).lost, read_result(lossy).audit_failed) == (12, ("b", "c"))


def test_what_a_training_differs_by_is_its_two_values_alone(tmp_path: Path) -> None:
    said = {"epochs": {"paper": 3, "here": 2, "more": "\x1b"}}
    result = write_result(tmp_path / "a", RIGHT, published_row="Vanilla LSTM", deviations=said)
    assert read_result(result).deviations == {"epochs": {"paper": 3, "here": 2}}


def test_solved_has_an_interval_over_several_runs_only(folder: Path, tmp_path: Path) -> None:
    assert read_result(folder).solved is not None
    assert read_result(write_result(tmp_path / "one", RIGHT[:1])).solved is None
