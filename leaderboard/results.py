"""Result folders, as `marnn-bench eval` writes them: read, and checked against damage and edits."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from marnn_bench.errors import DataError, UsageError
from marnn_bench.evaluation.results import integrity
from marnn_bench.evaluation.source import file_digest
from marnn_bench.leaderboard.statistics import Correct, Interval, Spread

RESULT, SAMPLES, PARTS = "result.json", "samples.parquet", ".parts"

SCHEMA_VERSION = 1
"""The version of result.json that is read here."""


@dataclass(frozen=True)
class ResultTask:
    """What was asked.

    rows, window:  how many strings, and their lengths
    digest:        content digest of the split
    """

    name: str
    version: str
    split: str
    law: str
    window: str
    rows: int
    digest: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}, {self.split}"


@dataclass(frozen=True)
class Run:
    """The scores of one run: sequence accuracy, over all strings and by length."""

    number: int
    accuracy: float
    by_length: Mapping[int, Interval]


@dataclass(frozen=True)
class Result:
    """One model, one split, one or more runs.

    published_row:  the row of its paper's table that a baseline reproduces, or None
    deviations:     where its training differs from the paper's: name -> {"paper": ..., "here": ...}
    solved:         share of runs that solve the task (99 % of the strings or more), with its 95 % interval
    trivial:        sequence accuracy of the trivial answers to the same strings, by name
    """

    folder: Path
    task: ResultTask
    model: str
    published_row: str | None
    deviations: Mapping[str, Mapping[str, Any]]
    runs: tuple[Run, ...]
    accuracy: Spread
    solved_runs: int
    solved: Interval
    trivial: Mapping[str, float]

    def correct(self) -> Correct:
        """Which strings each run has right, from samples.parquet: [runs, rows]."""
        samples = pq.read_table(self.folder / SAMPLES, columns=["run", "row", "correct"])
        numbers, rows = [run.number for run in self.runs], self.task.rows
        whole = np.array_equal(samples["run"], np.repeat(numbers, rows)) and np.array_equal(
            samples["row"], np.tile(np.arange(rows), len(numbers))
        )
        if not whole:
            raise _damaged(self.folder, f"{SAMPLES} does not hold every row of every run once, in order")
        correct: Correct = samples["correct"].to_numpy().reshape(len(numbers), rows)
        if not np.allclose(correct.mean(axis=1), [run.accuracy for run in self.runs], rtol=0, atol=1e-9):
            raise _damaged(self.folder, f"the accuracies in {RESULT} are not those of {SAMPLES}")
        return correct


def result_folders(path: Path) -> list[Path]:
    """The result folders below a folder, or the folder itself if it is one or holds none."""
    if (path / RESULT).exists() or not path.is_dir():
        return [path]
    return sorted(found.parent for found in path.rglob(RESULT)) or [path]


def read_result(folder: Path) -> Result:
    """The result in a folder. UsageError if it has none, DataError if it is damaged or edited."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. Give the folder that `marnn-bench eval --out` wrote.")
    path = folder / RESULT
    if not path.is_file():
        if (folder / PARTS).exists() or (folder / SAMPLES).exists():
            raise UsageError(f"{folder}: its evaluation did not finish. Run `marnn-bench eval` again.")
        below = [str(found) for found in result_folders(folder) if found != folder]
        hint = f"Below it are {', '.join(below[:3])}." if below else "`marnn-bench eval` writes results."
        raise UsageError(f"{folder} has no {RESULT}, so that it is no result. {hint}")
    try:
        record = json.loads(path.read_bytes())
        _check(folder, record)
        return _result(folder, record)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder, f"{RESULT} is not what `marnn-bench eval` writes ({error!r})") from error


def _check(folder: Path, record: dict[str, Any]) -> None:
    if (version := record["schema_version"]) != SCHEMA_VERSION:
        raise DataError(
            f"{folder}: {RESULT} has schema version {version}; this marnn-bench reads {SCHEMA_VERSION}."
        )
    if record["integrity"] != integrity(record):
        raise _damaged(folder, f"{RESULT} was edited")
    if not (folder / SAMPLES).is_file():
        raise _damaged(folder, f"{SAMPLES} is missing")
    if file_digest(folder / SAMPLES) != record["samples"]["sha256"]:
        raise _damaged(folder, f"{SAMPLES} was edited or cut")


def _damaged(folder: Path, what: str) -> DataError:
    return DataError(f"{folder} is damaged: {what}. Run `marnn-bench eval` again.")


def _result(folder: Path, record: Mapping[str, Any]) -> Result:
    task, model, summary = record["task"], record["model"], record["summary"]
    training = model["training"] or {}
    return Result(
        folder=folder,
        task=ResultTask(**{name: task[name] for name in ResultTask.__annotations__}),
        model=model["name"],
        published_row=training.get("published_row"),
        deviations=training.get("deviations", {}),
        runs=tuple(sorted((_run(run) for run in record["runs"]), key=lambda run: run.number)),
        accuracy=Spread(**summary["sequence_accuracy"]),
        solved_runs=summary["solved"]["runs"],
        solved=Interval(summary["solved"]["share"], summary["solved"]["lower"], summary["solved"]["upper"]),
        trivial={answer["name"]: answer["sequence_accuracy"] for answer in record["trivial"]},
    )


def _run(run: Mapping[str, Any]) -> Run:
    by_length = {
        cell["length"]: Interval(cell["value"], cell["lower"], cell["upper"]) for cell in run["by_length"]
    }
    return Run(run["run"], run["sequence_accuracy"]["value"], by_length)
