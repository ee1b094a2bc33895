"""Rankings as tables that fit 80 columns, with their footnotes; whoever draws them otherwise takes the rankings."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from marnn_bench.commands.output import Footnotes, Table, show_percent, wrapped
from marnn_bench.commands.report import METRICS
from marnn_bench.leaderboard.published import PublishedRow
from marnn_bench.leaderboard.standings.rankings import Line, Ranking
from marnn_bench.leaderboard.statistics import Interval

ALIGN: Final = {
    "rank": "left",
    "entry": "left",
    "standing": "left",
    "tasks": "right",
    "runs": "right",
    "score": "left",
    "by position": "left",
}
"""Columns; a terminal has no room for that of the runs."""

NAME_WIDTH: Final = 20
"""Of a name in a terminal."""

LEGEND: Final = (
    "Scores: (value - best trivial answer) / (1 - best trivial answer), run by run, in percent; 0 for what is below. 95 % "
    "intervals over runs, strings and tasks. Ranks: the places that an entry may have, with 95 % confidence for each."
)


def rankings_text(rankings: Sequence[Ranking]) -> str:
    """All of them, for a terminal, and what their columns mean."""
    tasks = {task.name: task for ranking in rankings for task in ranking.group.tasks}
    asked = [f"{task.name} {task.default_split}, {METRICS[task.headline]}" for task in tasks.values()]
    tables = [str(ranking_table(ranking, NAME_WIDTH)) for ranking in rankings]
    return "\n\n".join([*tables, wrapped(LEGEND), wrapped(f"Asked: {'; '.join(asked)}.")])


def ranking_table(ranking: Ranking, width: int | None = None) -> Table:
    """A line for each entry; below it what to know of them, and the published rows.

    width:  to which names are cut, in a table for a terminal
    """
    notes = Footnotes.of(remark for line in ranking.lines for remark in line.remarks)
    headers = [name for name in ALIGN if width is None or name != "runs"]
    cells = [_cells(line, ranking, notes, width) for line in ranking.lines]
    said = [*notes.lines, *([_runs(ranking.lines)] if width else []), *ranking.remarks, *_published(ranking)]
    return Table(
        [[line[name] for name in headers] for line in cells],
        headers,
        [ALIGN[name] for name in headers],
        said,
        ranking.group.title,
    )


def numbers_table(rankings: Sequence[Ranking]) -> Table:
    """All lines of all rankings with all digits: for programs."""
    headers = ("group", "name", "entry", "standing", "tasks", "runs", "rank_first", "rank_last")
    measures = [f"{score}{end}" for score in ("score", "by_position") for end in ("", "_lower", "_upper")]
    rows = [
        [
            *(ranking.group.kind, ranking.group.name, line.entry.name, line.entry.standing.value),
            *(line.tasks, line.runs, *(line.rank or ("", ""))),
            *(_ends(line.whole) + _ends(line.parts)),
        ]
        for ranking in rankings
        for line in ranking.lines
    ]
    return Table(rows, (*headers, *measures))


def _ends(found: Interval | None) -> tuple[Any, ...]:
    return (found.value, found.lower, found.upper) if found else ("", "", "")


def rank_said(rank: tuple[int, int] | None) -> str:
    """In words.

    >>> rank_said((1, 1)), rank_said((2, 4)), rank_said(None)
    ('1', '2-4', '')
    """
    if rank is None:
        return ""
    first, last = rank
    return str(first) if first == last else f"{first}-{last}"


def score_said(found: Interval | None, dash: str = "-") -> str:
    """A score and its interval in whole percent; what is near an end does not pass for it.

    >>> score_said(Interval(0.5, 0.001, 0.9999)), score_said(Interval(1.0, 1.0, 1.0))
    ('50 [<1->99]', '100 [100-100]')
    """
    return f"{_whole(found.value)} [{_whole(found.lower)}{dash}{_whole(found.upper)}]" if found else ""


def _whole(share: float) -> str:
    percent = round(share, 12) * 100
    return "<1" if 0 < percent < 0.5 else ">99" if 99.5 < percent < 100 else str(round(percent))


def _cells(line: Line, ranking: Ranking, notes: Footnotes, width: int | None) -> dict[str, str]:
    return {
        "rank": rank_said(line.rank),
        "entry": notes.marked(line.entry.name, line.remarks, width),
        "standing": line.entry.standing.value,
        "tasks": f"{line.tasks}/{len(ranking.group.tasks)}",
        "runs": str(line.runs),
        "score": score_said(line.whole),
        "by position": score_said(line.parts),
    }


def _runs(lines: Sequence[Line]) -> str:
    """How many runs most have, and who has others."""
    (usual, _), *_ = Counter(line.runs for line in lines).most_common(1)
    others = [f"; {line.entry.name} {line.runs}" for line in lines if line.runs != usual]
    return f"Runs of each: {usual}{''.join(others)}."


def _published(ranking: Ranking) -> Iterator[str]:
    """A line for each source."""
    for source in dict.fromkeys(row.source for row in ranking.published):
        rows = [row for row in ranking.published if row.source == source]
        said = "; ".join(f"{row.model} {_figure(row, ranking)}" for row in rows)
        yield f"Published, of the paper's own strings ({source}; mean or what it gives, in percent): {said}."


def _figure(row: PublishedRow, ranking: Ranking) -> str:
    figures = row.splits[ranking.group.tasks[0].default_split]
    name = "mean" if "mean" in figures else next(iter(figures))
    return f"{show_percent(figures[name])}{'' if name == 'mean' else f' ({name})'}"
