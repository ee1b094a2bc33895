"""The leak report: what a split gives away, or has in common with another.

Looked at are the first million rows of each split, scored the first 20,000.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from marnn_bench.examples import Examples
from marnn_bench.generators.sampling.distinct import StringSet, first_occurrences
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.shortcuts import shortcuts
from marnn_bench.scoring.trivial import trivial_scores
from marnn_bench.store.content import Content
from marnn_bench.task import Task
from marnn_bench.views import SetView

MAX_ROWS, SCORED_ROWS = 1_000_000, 20_000


def leak_report(task: Task, splits: Mapping[str, Content]) -> dict[str, Any]:
    """Of a task and the contents of its splits:

    rows         of each split, how many were looked at
    duplicates   of each split, the share of rows that repeat an earlier one
    overlap      of each pair of splits, how many rows of the later are in the earlier
    trivial      of each split, what the trivial answers score, fitted on the first split
    shortcuts    of each recognition split, what the best classifiers of length, first and last symbol and counts do
    """
    strings = {name: content.strings(0, min(len(content), MAX_ROWS)) for name, content in splits.items()}
    names = list(strings)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return {
        "rows": {name: len(found) for name, found in strings.items()},
        "duplicates": {name: float(1 - first_occurrences(found).mean()) for name, found in strings.items()},
        "overlap": {f"{a}, {b}": _in_common(strings[a], strings[b]) for a, b in pairs},
        "trivial": _trivial(task, strings),
        "shortcuts": {name: _shortcuts(content) for name, content in splits.items() if content.labelled_rows},
    }


def _shortcuts(content: Content) -> dict[str, Any]:
    """How far one gets without reading the strings, by kind of negatives; and what could not be made."""
    rows = content.labelled_rows
    if rows is None:
        return {}
    members = int(rows.label.sum())
    made = {
        "members": members,
        "negatives": len(rows) - members,
        "skipped": dict(rows.skipped),
        "repeated": rows.repeated,
    }
    return {**made, "accuracy": shortcuts(rows)}


def _in_common(earlier: Strings, later: Strings) -> int:
    """How many rows of the later split are in the earlier one."""
    known = StringSet(len(earlier) + len(later))
    known.add(earlier)
    return int(known.contains(later).sum())


def _trivial(task: Task, strings: dict[str, Strings]) -> dict[str, Any]:
    if not isinstance(task.view, SetView):
        return {}
    examples = {
        name: Examples(task, name, found, task.view.answers(task.language, found), "")
        for name, found in _beginnings(strings)
    }
    first = next(iter(examples.values()))
    return {name: trivial_scores(first, found) for name, found in examples.items()}


def _beginnings(strings: Mapping[str, Strings]) -> Iterator[tuple[str, Strings]]:
    for name, found in strings.items():
        yield name, found.slice(0, min(len(found), SCORED_ROWS))
