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
from marnn_bench.leaderboard.reproduce.reproduction import Entry, Reproduction
from marnn_bench.leaderboard.results import Result, ResultTask
from marnn_bench.leaderboard.statistics import spread_intervals
from marnn_bench.scoring.metrics import Record, summary
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
        **({} if reproduction.preset == "paper" else {"preset": reproduction.preset}),
        "source": reproduction.source,
        "marnn_bench": __version__,
        "options": asked,
        **(grid if reproduction.is_grid else {}),
        "left_out": [model for model in reproduction.models if model not in models],
        "statements": _statements(reproduction),
        "rows": [*rows],
    }


def _statements(reproduction: Reproduction) -> list[str]:
    """What papers say of tasks without a table; a matrix is no paper's."""
    if reproduction.is_matrix:
        return []
    if reproduction.remains:
        return [reproduction.remains]
    return [said for task in reproduction.tasks for said in published_statements(task)]


def make_row(
    reproduction: Reproduction,
    entry: Entry,
    result: Result,
    training: Mapping[str, Any],
    metric: str | None = None,
) -> Record:
    """An entry's result beside what the paper prints; accuracies are fractions.

    training:  the content of its training.json
    metric:    what is printed; by default the headline
    """
    selected = training.get("selected") or {}
    varied = {*(GRID if reproduction.is_grid else ()), *_varied(reproduction, entry)}
    metric = metric or result.task.headline
    found = summary(result.records, metric)
    ours = {
        "runs": len(result.runs),
        "engine": training["engine"],
        **found["metrics"][metric],
        "solved": _solved(found),
        "deviations": {name: it for name, it in result.deviations.items() if name not in varied},
        "inferred": {name: value for name, value in result.inferred.items() if name not in varied},
        "departures": [*_departures(result.task)],
        "doubts": doubts(
            result.lost, result.audit_failed, None if training["recipe"]["stream"] else result.stream
        ),
    }
    place = {name: value for name, value in asdict(entry).items() if value is not None}
    if reproduction.is_grid:
        return {**place, "ours": ours}
    split = result.task.split
    paper = _published(entry, reproduction.numbers or reproduction.source, metric)
    values = np.array([run["metrics"][metric]["value"] for run in result.records], np.float64)
    more = {
        "intervals": _intervals(values, paper),
        "values": values.tolist(),
        "strings": asdict(result.task),
        "folder": str(entry.place / split),
        "best_run": selected.get("best_run"),
        **_chosen(selected),
        **_curves(result.records, metric),
    }
    shown = {"split": split, "metric": metric}
    return {**place, **shown, "published": paper and _published_record(paper, split), "ours": ours | more}


def _varied(reproduction: Reproduction, entry: Entry) -> Iterator[str]:
    """What the variants of a model have other values of."""
    for change in reproduction.variants.get(entry.model, {}).values():
        yield from (*change.sizes, *change.recipe)


def _chosen(selected: Record) -> Record:
    """Where the test strings chose the epochs: what was right of them, and what would have been by validation, of each run."""
    if "by_validation" not in selected:
        return {}
    by = {"test": selected, "validation": selected["by_validation"]}
    return {"chosen_by": {name: chosen["test accuracy"] for name, chosen in by.items()}}


def _curves(runs: Sequence[Record], metric: str) -> Record:
    """Of closing brackets, the share that is right at each position, of each run."""
    if metric != "closing_accuracy":
        return {}
    positions = [cell["position"] for cell in runs[0]["closing_by_position"]]
    return {
        "positions": positions,
        "by_position": [[cell["value"] for cell in run["closing_by_position"]] for run in runs],
    }


def _published(entry: Entry, source: str, metric: str) -> PublishedRow | None:
    """The row of the table that the model reproduces."""
    name = find_baseline(entry.model).published_row
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


def _solved(found: Record) -> Record | None:
    """How many runs solve the task; of several, the share with its interval."""
    if "solved" not in found:
        return None
    wanted = ("runs", "share", "lower", "upper") if "lower" in found["solved"] else ("runs",)
    return {name: found["solved"][name] for name in wanted}


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
