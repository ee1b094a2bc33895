"""What the maintainers trained: whole, of the released strings, small, and what the documentation says of it."""

import json
from typing import Any, Final

import pytest

from helpers.paths import ROOT
from marnn_bench.evaluation.records import read_record, result_folders

RESULTS: Final = ROOT / "leaderboard" / "results"
MOST_BYTES: Final = 10_000_000


Entries = dict[tuple[str, str], dict[str, Any]]
"""Records by model and task."""


@pytest.fixture(scope="module")
def entries() -> Entries:
    records = [read_record(folder, samples=False) for folder in result_folders(RESULTS)]
    return {(record["model"]["name"], record["task"]["name"]): record for record in records}


def headlines(record: dict[str, Any]) -> list[float]:
    found = [run["metrics"][record["task"]["headline"]] for run in record["runs"]]
    return [value["value"] if isinstance(value, dict) else value for value in found]


def test_the_matrix_is_there_as_the_documentation_has_it_run_by_run(entries: Entries) -> None:
    matrix = json.loads((ROOT / "docs" / "reproduced" / "matrix-laptop.json").read_text())
    for row in matrix["rows"]:
        record = entries[row["model"], row["task"]]
        assert headlines(record) == row["ours"]["values"]
        assert record["command"] == ["marnn-bench", "reproduce", "matrix", "--preset", "laptop"]


def test_they_are_of_the_released_strings_and_of_a_commit(entries: Entries) -> None:
    golden = json.loads((ROOT / "tests" / "benchmark" / "tasks" / "golden.json").read_text())
    for record in entries.values():
        task = record["task"]
        assert task["digest"] == golden[f"{task['name']} {task['version']}"][task["split"]]
        assert record["harness"]["git"]["dirty"] is False


def test_they_are_small() -> None:
    assert sum(path.stat().st_size for path in RESULTS.rglob("*.*")) < MOST_BYTES
