"""Rankings: the entries of a group in order, each with its score and the places that it may have."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from marnn_bench.leaderboard.difference import FEWEST_RUNS
from marnn_bench.leaderboard.published import PublishedRow, published_rows
from marnn_bench.leaderboard.standings.entries import RANKED, Cell, Entry, Standing
from marnn_bench.leaderboard.standings.groups import Group
from marnn_bench.leaderboard.standings.ranks import rank_intervals
from marnn_bench.leaderboard.standings.scores import Score, nothing_to_do, score_of
from marnn_bench.leaderboard.statistics import Interval


@dataclass(frozen=True, eq=False)
class Line:
    """An entry in a group.

    tasks:         how many of the group's it was asked, on their own strings
    runs:          the fewest of any of these
    whole, parts:  scores by the headlines and by positions, over the tasks that are there; None without any
    rank:          the first and the last place that it may have; None if it is not ranked
    remarks:       why it is not ranked, and what to know of its results
    """

    entry: Entry
    tasks: int
    runs: int
    whole: Interval | None
    parts: Interval | None
    rank: tuple[int, int] | None
    remarks: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "entry": self.entry.name,
            "standing": self.entry.standing.value,
            "parameters": self.entry.parameters,
            "tasks": self.tasks,
            "runs": self.runs,
            "score": asdict(self.whole) if self.whole else None,
            "score_by_position": asdict(self.parts) if self.parts else None,
            "rank": [*self.rank] if self.rank else None,
            "remarks": [*self.remarks],
        }


@dataclass(frozen=True, eq=False)
class Ranking:
    """A group's lines: complete entries by score, then the others.

    published:  rows of the paper's table, where the group is a task and has results on its own strings
    remarks:    what holds for all
    """

    group: Group
    lines: tuple[Line, ...]
    published: tuple[PublishedRow, ...]
    remarks: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "kind": self.group.kind,
            "name": self.group.name,
            "tasks": [
                {"name": task.name, "split": task.default_split, "headline": task.headline}
                for task in self.group.tasks
            ],
            "lines": [line.record() for line in self.lines],
            "published": [asdict(row) for row in self.published],
            "remarks": [*self.remarks],
        }


@dataclass(frozen=True, eq=False)
class _Scored:
    """An entry's results that count in a group, and their scores."""

    entry: Entry
    cells: tuple[Cell, ...]
    whole: Score
    parts: Score

    @property
    def runs(self) -> int:
        return min(cell.runs for cell in self.cells)


def rank(entries: Sequence[Entry], group: Group, ranked: Collection[Standing] = RANKED) -> Ranking:
    """The entries that have been asked a task of a group.

    ranked:  the standings that are ranked; others are shown, too
    """
    concerned = [entry for entry in entries if any(task.name in entry.cells for task in group.tasks)]
    scored = {entry.key: _scored(entry, group) for entry in concerned}
    competing = [
        it
        for it in scored.values()
        if it and it.entry.standing in ranked and len(it.cells) == len(group.tasks) and it.runs >= FEWEST_RUNS
    ]
    places = dict(zip((it.entry.key for it in competing), _places(competing), strict=True))
    lines = [_line(entry, group, scored[entry.key], places.get(entry.key), ranked) for entry in concerned]
    ordered = sorted(
        lines, key=lambda line: (-line.tasks, -(line.whole.value if line.whole else 0), line.entry.name)
    )
    return Ranking(
        group, tuple(ordered), _published(group, scored.values()), tuple(_remarks(group, scored.values()))
    )


def _scored(entry: Entry, group: Group) -> _Scored | None:
    cells = tuple(cell for task in group.tasks if (cell := entry.canonical(task.name)))
    if not cells:
        return None
    return _Scored(entry, cells, score_of(entry, cells), score_of(entry, cells, parts=True))


def _places(competing: Sequence[_Scored]) -> list[tuple[int, int]]:
    if not competing:
        return []
    means = np.array([it.whole.mean for it in competing])
    return rank_intervals(means, np.stack([it.whole.draws for it in competing], axis=1))


def _line(
    entry: Entry,
    group: Group,
    scored: _Scored | None,
    place: tuple[int, int] | None,
    ranked: Collection[Standing],
) -> Line:
    return Line(
        entry=entry,
        tasks=len(scored.cells) if scored else 0,
        runs=scored.runs if scored else 0,
        whole=scored.whole.interval if scored else None,
        parts=scored.parts.interval if scored else None,
        rank=place,
        remarks=tuple(_of_entry(entry, group, scored, ranked)),
    )


def _of_entry(
    entry: Entry, group: Group, scored: _Scored | None, ranked: Collection[Standing]
) -> Iterator[str]:
    if entry.standing not in ranked:
        yield f"Not ranked: {entry.standing.value}."
    if scored and len(scored.cells) < len(group.tasks):
        yield "Incomplete: the mean of the tasks that are there, not ranked."
    if scored and scored.runs < FEWEST_RUNS:
        yield f"Fewer than {FEWEST_RUNS} runs: not ranked."
    cells = [cell for task in group.tasks if (cell := entry.cells.get(task.name))]
    if other := [cell for cell in cells if cell.departures]:
        listed = "; ".join(f"{cell.task} ({', '.join(cell.departures)})" for cell in other)
        yield f"Not on the task's own strings, and left out: {listed}."
    if lost := [cell for cell in cells if cell.lost]:
        yield f"Strings without an answer count as wrong: {', '.join(f'{it.lost:,} of {it.task}' for it in lost)}."
    if failed := [cell.task for cell in cells if cell.audit_failed]:
        yield f"Failed its audit: {', '.join(failed)}."


def _remarks(group: Group, scored: Collection[_Scored | None]) -> Iterator[str]:
    cells = {cell.task: cell for it in scored if it for cell in it.cells}
    for what, parts in (("whole strings", False), ("positions", True)):
        chosen = {name: cell.parts if parts else cell.whole for name, cell in cells.items()}
        if solved := [name for name, measured in chosen.items() if nothing_to_do(measured)]:
            yield f"By {what} a trivial answer is perfect, so that all score 0: {', '.join(solved)}."
    if len(group.tasks) == 1 and group.kind in ("class", "view"):
        yield "Of one task: intervals say nothing of others."


def _published(group: Group, scored: Collection[_Scored | None]) -> tuple[PublishedRow, ...]:
    if group.kind != "task" or not any(scored):
        return ()
    (task,) = group.tasks
    return tuple(
        row
        for row in published_rows(task.name)
        if row.metric == task.headline and task.default_split in row.splits
    )
