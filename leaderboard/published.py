"""Published numbers: for each task the rows of its paper's table, as printed."""

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from marnn_bench.leaderboard.statistics import Spread

DATA = "data"
"""The folder with one pair of files per paper: NAME.csv, the numbers in percent; NAME.toml, the paper and its remarks."""


@dataclass(frozen=True)
class PublishedRow:
    """A model's row in a paper's table.

    source:   paper and table
    splits:   sequence accuracy over the runs, by split, as fractions
    remarks:  why to doubt the row; empty if nothing is known against it
    """

    task: str
    model: str
    source: str
    runs: int
    splits: Mapping[str, Spread]
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
    >>> row.model, row.source, row.splits["test"].min
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
    return tuple(_read(name.removesuffix(".csv")) for name in found if name.endswith(".csv"))


def _data() -> Traversable:
    return files("marnn_bench.leaderboard") / DATA


def _read(paper: str) -> Paper:
    data = _data()
    about = tomllib.loads((data / f"{paper}.toml").read_text("utf-8"))
    table = csv.DictReader((data / f"{paper}.csv").read_text("utf-8").splitlines())
    rows = tuple(
        PublishedRow(
            task=row["task"],
            model=row["model"],
            source=f"{about['name']}, {row['table']}",
            runs=about["runs"],
            splits={split: _spread(row, split) for split in ("train", "test")},
            remarks=tuple(about["remarks"][name] for name in row["remark"].split()),
        )
        for row in table
    )
    return Paper(about["name"], rows, about["tasks"])


def _spread(row: Mapping[str, str], split: str) -> Spread:
    return Spread(
        *(float(Decimal(row[f"{split}_{name}"]) / 100) for name in ("min", "max", "median", "mean"))
    )
