"""What came out of a reproduction, as plain data: what table.json holds, and all that is printed of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from marnn_bench import __version__
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.commands.report import doubts
from marnn_bench.leaderboard.published import STATISTICS, PublishedRow, published_rows, published_statements
from marnn_bench.leaderboard.reproduce.entries import Options
from marnn_bench.leaderboard.reproduce.tables import Entry, Reproduction
from marnn_bench.leaderboard.results import Result, ResultTask
from marnn_bench.leaderboard.statistics import spread_intervals
from marnn_bench.scoring.metrics import Record
from marnn_bench.tasks.registry import find_task

SCHEMA_VERSION: Final = 1
ENOUGH: Final = 3
"""Of our runs, so many times those of the paper are needed to say what sets as large as the paper's give."""

GRID: Final = ("learning_rate", "epochs")
"""What a grid varies, so that it is no departure there."""


def make_record(
    reproduction: Reproduction, rows: Sequence[Record], options: Options, models: Sequence[str]
) -> Record:
    """The rows of a reproduction, and what was asked.

    models:  those that were chosen, of the reproduction's
    """
    asked = {name: value for name, value in asdict(options).items() if name not in ("threads", "overwrite")}
    grid = {"learning_rates": [*reproduction.learning_rates], "epochs": [*reproduction.epochs]}
    return {
        "schema_version": SCHEMA_VERSION,
        "name": reproduction.name,
        "source": reproduction.source,
        "marnn_bench": __version__,
        "options": asked,
        **(grid if reproduction.is_grid else {}),
        "left_out": [model for model in reproduction.models if model not in models],
        "statements": [said for task in reproduction.tasks for said in published_statements(task)],
        "rows": [*rows],
    }


def make_row(reproduction: Reproduction, entry: Entry, result: Result, training: Mapping[str, Any]) -> Record:
    """An entry's result beside what the paper prints; accuracies are fractions.

    training:  the content of its training.json
    """
    selected = training.get("selected") or {}
    varied = GRID if reproduction.is_grid else ()
    ours = {
        "runs": len(result.runs),
        "engine": training["engine"],
        **result.spread.record(),
        "solved": _solved(result),
        "deviations": {name: it for name, it in result.deviations.items() if name not in varied},
        "inferred": {name: value for name, value in result.inferred.items() if name not in varied},
        "departures": [*_departures(result.task)],
        "doubts": doubts(result.lost, result.audit_failed, None if reproduction.stream else result.stream),
    }
    place = {name: value for name, value in asdict(entry).items() if value is not None}
    if reproduction.is_grid:
        return {**place, "ours": ours}
    split = find_task(entry.task).default_split
    paper = _published(entry, reproduction.source)
    values = np.array([run.value for run in result.runs])
    more = {
        "intervals": _intervals(values, paper),
        "values": values.tolist(),
        "strings": asdict(result.task),
        "folder": str(entry.place / split),
        "best_run": selected.get("best_run"),
    }
    return {**place, "published": paper and _published_record(paper, split), "ours": ours | more}


def _published(entry: Entry, source: str) -> PublishedRow | None:
    """The row of the table that the model reproduces."""
    name = find_baseline(entry.model).published_row
    metric = find_task(entry.task).headline
    asked = name, source, metric
    rows = (row for row in published_rows(entry.task) if (row.model, row.source, row.metric) == asked)
    return next(rows, None)


def _published_record(row: PublishedRow, split: str) -> Record:
    figures = {name: row.splits[split].get(name) for name in STATISTICS}
    return {"model": row.model, "runs": row.runs, **figures, "remarks": [*row.remarks]}


def _intervals(values: np.ndarray[Any, np.dtype[np.float64]], paper: PublishedRow | None) -> Record | None:
    """Between what the paper's numbers would lie, had it drawn its runs from ours; None if ours are too few."""
    if paper is None or paper.runs is None or len(values) < ENOUGH * paper.runs:
        return None
    return {
        "runs": paper.runs,
        **{name: [*ends] for name, ends in spread_intervals(values, paper.runs).items()},
    }


def _solved(result: Result) -> Record | None:
    """How many runs solve the task; of several, the share with its interval."""
    if result.solved_runs is None:
        return None
    interval = result.solved
    share = {"share": interval.value, "lower": interval.lower, "upper": interval.upper} if interval else {}
    return {"runs": result.solved_runs, **share}


def _departures(asked: ResultTask) -> Iterator[str]:
    """How the strings that were asked differ from the task's own."""
    task = find_task(asked.name)
    own = task.split(asked.split)
    pairs = {
        "rows": (own.rows, asked.rows),
        "law": (task.law(asked.split).spec, asked.law),
        "window": (str(own.window), asked.window),
    }
    for name, (there, here) in pairs.items():
        if there not in (here, "fresh", "all"):
            yield f"{asked.split} {name} {here} instead of {there}"
