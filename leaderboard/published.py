"""Published numbers: for each task the rows of its paper's table, as printed."""

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

DATA = "data"
"""The folder with the files of each paper: NAME.toml, the paper and its remarks; NAME.csv, its numbers in percent, if it has a
table. A column SPLIT_STATISTIC holds the minimum, maximum, median or mean over runs; a single number, that of a model that
was chosen among several, stands as the maximum."""

STATISTICS = ("min", "max", "median", "mean")

Figures = Mapping[str, float]
"""Some of STATISTICS, as fractions."""


@dataclass(frozen=True)
class PublishedRow:
    """A model's row in a paper's table.

    source:   paper and table
    runs:     None if the paper does not say how many
    metric:   sequence_accuracy or another one of ours
    splits:   the metric over the runs, by split
    remarks:  what to know of the row; empty if there is nothing
    """

    task: str
    model: str
    source: str
    runs: int | None
    metric: str
    splits: Mapping[str, Figures]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Paper:
    """A paper's rows, and what it says of tasks that it prints no table for, by task."""

    name: str
    rows: tuple[PublishedRow, ...]
    statements: Mapping[str, str]


def published_rows(task: str) -> tuple[PublishedRow, ...]:
    """The published rows of a task, in the order of the table; none if no table was published.

    >>> row = published_rows("dyck2")[3]
    >>> row.model, row.source, row.splits["test"]["min"]
    ('Stack-RNN+Softmax', 'Suzgun et al. 2019, Table 2', 0.9996)
    """
    return tuple(row for paper in _papers() for row in paper.rows if row.task == task)


def published_statements(task: str) -> tuple[str, ...]:
    """What papers say of a task without printing a table."""
    return tuple(f"{paper.name}: {paper.statements[task]}" for paper in _papers() if task in paper.statements)


def published_tasks() -> tuple[str, ...]:
    """The tasks with a published row or statement."""
    listed = [[*(row.task for row in paper.rows), *paper.statements] for paper in _papers()]
    return tuple(dict.fromkeys(task for tasks in listed for task in tasks))


@cache
def _papers() -> tuple[Paper, ...]:
    found = sorted(file.name for file in _data().iterdir())
    return tuple(_read(name.removesuffix(".toml")) for name in found if name.endswith(".toml"))


def _data() -> Traversable:
    return files("marnn_bench.leaderboard") / DATA


def _read(paper: str) -> Paper:
    about = tomllib.loads((_data() / f"{paper}.toml").read_text("utf-8"))
    table = _data() / f"{paper}.csv"
    lines = csv.DictReader(table.read_text("utf-8").splitlines() if table.is_file() else [])
    return Paper(about["name"], tuple(_row(line, about) for line in lines), about.get("tasks", {}))


def _row(line: Mapping[str, str], about: Mapping[str, Any]) -> PublishedRow:
    splits: dict[str, dict[str, float]] = {}
    for column, number in line.items():
        split, _, statistic = column.rpartition("_")
        if statistic in STATISTICS:
            splits.setdefault(split, {})[statistic] = float(Decimal(number) / 100)
    return PublishedRow(
        task=line["task"],
        model=line["model"],
        source=f"{about['name']}, {line['table']}",
        runs=about.get("runs"),
        metric=line.get("metric") or about.get("metric", "sequence_accuracy"),
        splits=splits,
        remarks=tuple(about["remarks"][name] for name in line["remark"].split()),
    )
