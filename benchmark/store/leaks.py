"""The leak report: what a split gives away, or has in common with another.

Looked at are the first million rows of each split, scored the first 20,000 (fewer, if their strings are so long that
they come in pieces).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench.examples import SetExamples
from marnn_bench.generators.sampling.distinct import StringSet, fingerprints
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.runs import trivial_scores
from marnn_bench.scoring.shortcuts import shortcuts
from marnn_bench.store.content import Content
from marnn_bench.store.digest import BLOCK_ROWS
from marnn_bench.task import Task
from marnn_bench.views import SetView

MAX_ROWS, SCORED_ROWS = 1_000_000, 20_000


@dataclass(frozen=True, eq=False)
class _LookedAt:
    """The fingerprints of the rows of a split that are looked at, and the strings that are scored."""

    fingerprints: NDArray[np.uint64]
    beginning: Strings

    @classmethod
    def of(cls, content: Content) -> "_LookedAt":
        rows = min(len(content), MAX_ROWS)
        blocks = ((first, min(first + BLOCK_ROWS, rows)) for first in range(0, rows, BLOCK_ROWS))
        prints = [fingerprints(strings) for block in blocks for strings in content.pieces(*block)]
        return cls(np.concatenate(prints), next(content.pieces(0, min(rows, SCORED_ROWS))))

    @property
    def duplicates(self) -> float:
        """The share of rows that repeat an earlier one."""
        new = StringSet(len(self.fingerprints)).add_fingerprints(self.fingerprints)
        return float(1 - new.mean())


def leak_report(task: Task, splits: Mapping[str, Content]) -> dict[str, Any]:
    """Of a task and the contents of its splits:

    rows         of each split, how many were looked at
    duplicates   of each split, the share of rows that repeat an earlier one
    overlap      of each pair of splits, how many rows of the later are in the earlier
    trivial      of each split, what the trivial answers score, fitted on the first split
    shortcuts    of each recognition split, what the best classifiers of length, first and last symbol, counts and the
                 regular envelope do
    """
    looked_at = {name: _LookedAt.of(content) for name, content in splits.items()}
    names = list(looked_at)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return {
        "rows": {name: len(found.fingerprints) for name, found in looked_at.items()},
        "duplicates": {name: found.duplicates for name, found in looked_at.items()},
        "overlap": {f"{a}, {b}": _in_common(looked_at[a], looked_at[b]) for a, b in pairs},
        "trivial": _trivial(task, {name: found.beginning for name, found in looked_at.items()}),
        "shortcuts": {name: _shortcuts(content) for name, content in splits.items() if content.labelled_rows},
    }


def _shortcuts(content: Content) -> dict[str, Any]:
    """How far one gets without what the language takes, by kind of negatives; and what could not be made."""
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
    return {**made, "accuracy": shortcuts(rows, content.task.language.envelope)}


def _in_common(earlier: _LookedAt, later: _LookedAt) -> int:
    """How many rows of the later split are in the earlier one."""
    known = StringSet(len(earlier.fingerprints))
    known.add_fingerprints(earlier.fingerprints)
    return int(known.contains_fingerprints(later.fingerprints).sum())


def _trivial(task: Task, strings: Mapping[str, Strings]) -> dict[str, Any]:
    if not isinstance(task.view, SetView):
        return {}
    examples = {
        name: SetExamples(task, name, found, task.view.answers(task.language, found), "")
        for name, found in strings.items()
    }
    first = next(iter(examples.values()))
    return {name: trivial_scores(first, found) for name, found in examples.items()}
