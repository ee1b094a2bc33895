"""The leak report: what a split gives away, or has in common with another.

Looked at are the first million rows of each split.
"""

from typing import Any

from marnn_bench.evaluation.trivial import trivial_scores
from marnn_bench.examples import Examples
from marnn_bench.generators.distinct import KnownStrings, first_occurrences
from marnn_bench.generators.strings import Strings
from marnn_bench.store.rows import choose_rows
from marnn_bench.task import Task
from marnn_bench.views import SetView

MOST_ROWS = 1_000_000


def leak_report(task: Task) -> dict[str, Any]:
    """For a task as it is generated:

    rows         of each split, how many were looked at
    duplicates   of each split, the share of rows that repeat an earlier one
    overlap      of each pair of splits, how many rows of the later are in the earlier
    trivial      of each split, what the trivial answers score, fitted on the first split
    """
    strings = {}
    for name, split in task.splits.items():
        if split.rows != "fresh":
            rows = choose_rows(task, name)
            strings[name] = rows.strings(0, min(len(rows), MOST_ROWS))
    names = list(strings)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return {
        "rows": {name: len(found) for name, found in strings.items()},
        "duplicates": {name: float(1 - first_occurrences(found).mean()) for name, found in strings.items()},
        "overlap": {f"{a}, {b}": _in_common(strings[a], strings[b]) for a, b in pairs},
        "trivial": _trivial(task, strings),
    }


def _in_common(earlier: Strings, later: Strings) -> int:
    """How many rows of the later split are in the earlier one."""
    known = KnownStrings(len(earlier) + len(later))
    known.add(earlier)
    return int(known.have(later).sum())


def _trivial(task: Task, strings: dict[str, Strings]) -> dict[str, Any]:
    if not isinstance(task.view, SetView):
        return {}
    examples = {
        name: Examples(task, name, found, task.view.answers(task.language, found), "")
        for name, found in strings.items()
    }
    first = next(iter(examples.values()))
    return {name: trivial_scores(first, found) for name, found in examples.items()}
