"""Models on tasks in one table: the median of each task's headline metric, and how many runs solve it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from marnn_bench.commands.output import Table, show_percent
from marnn_bench.scoring.metrics import Record

AT_ONCE: Final = 4
"""So many tasks stand beside each other in a terminal's 80 columns."""


def narrow_tables(record: Record) -> list[Table]:
    """Some tasks at a time, so that a terminal is wide enough."""
    tasks = named(record, "task")
    parts = [tasks[first : first + AT_ONCE] for first in range(0, len(tasks), AT_ONCE)]
    tables = [_table(record, part) for part in parts]
    return [replace(table, headers=[name.replace("-", "-\n") for name in table.headers]) for table in tables]


def wide_table(record: Record) -> Table:
    """A line for each model, a column for each task."""
    return _table(record, named(record, "task"))


def _table(record: Record, tasks: Sequence[str]) -> Table:
    found = {(row["model"], row["task"]): row["ours"] for row in record["rows"]}
    lines = [
        [model, *(said(found[model, task]) if (model, task) in found else "" for task in tasks)]
        for model in named(record, "model")
    ]
    return Table(lines, ["model", *tasks], ["left", *["right"] * len(tasks)])


def said(ours: Record) -> str:
    """The median in percent and, if some runs solve the task, how many.

    >>> said({"median": 0.984, "solved": {"runs": 3}}), said({"median": 0.5, "solved": {"runs": 0}})
    ('98.40 (3)', '50.00')
    """
    solved = (ours["solved"] or {}).get("runs")
    return show_percent(ours["median"]) + (f" ({solved})" if solved else "")


def named(record: Record, what: str) -> list[str]:
    """The models, or the tasks, in their order."""
    return list(dict.fromkeys(row[what] for row in record["rows"]))
