"""Rankings as tables that fit 80 columns, with their footnotes; whoever draws them otherwise takes the rankings."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from marnn_bench.commands.output import Footnotes, Table, show_percent
from marnn_bench.commands.report import METRICS
from marnn_bench.leaderboard.published import PublishedRow
from marnn_bench.leaderboard.standings.rankings import Line, Ranking
from marnn_bench.leaderboard.statistics import Interval
from marnn_bench.leaderboard.tables import wrapped

HEADERS: Final = ("rank", "entry", "standing", "tasks", "runs", "score", "by position")
ALIGN: Final = ("left", "left", "left", "right", "right", "left", "left")
NAME_WIDTH: Final = 20

LEGEND: Final = (
    "Scores: (value - best trivial answer) / (1 - best trivial answer), run by run, in percent; 0 for what is below. 95 % "
    "intervals over runs, strings and tasks. Ranks: the places that an entry may have, with 95 % confidence for each."
)


def ranking_text(ranking: Ranking) -> str:
    """Title, table and what to know of it."""
    return "\n\n".join(
        filter(None, [ranking.group.title, str(ranking_table(ranking)), "\n".join(_notes(ranking))])
    )


def rankings_text(rankings: Sequence[Ranking]) -> str:
    """All of them, and what their columns mean."""
    tasks = {task.name: task for ranking in rankings for task in ranking.group.tasks}
    asked = [f"{task.name} {task.default_split}, {METRICS[task.headline]}" for task in tasks.values()]
    return "\n\n".join(
        [*map(ranking_text, rankings), wrapped(LEGEND), wrapped(f"Asked: {'; '.join(asked)}.")]
    )


def ranking_table(ranking: Ranking) -> Table:
    """A line for each entry, then the published rows."""
    notes = Footnotes.of(remark for line in ranking.lines for remark in line.remarks)
    rows = [_cells(line, ranking, notes) for line in ranking.lines]
    return Table(rows, HEADERS, ALIGN, notes.lines)


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


def _cells(line: Line, ranking: Ranking, notes: Footnotes) -> list[str]:
    return [
        rank_said(line.rank),
        notes.marked(line.entry.name, line.remarks, NAME_WIDTH),
        line.entry.standing.value,
        f"{line.tasks}/{len(ranking.group.tasks)}",
        str(line.runs),
        _interval(line.whole),
        _interval(line.parts),
    ]


def _interval(found: Interval | None) -> str:
    if found is None:
        return ""
    value, lower, upper = (show_percent(end, 0) for end in (found.value, found.lower, found.upper))
    return f"{value} [{lower}-{upper}]"


def _notes(ranking: Ranking) -> Iterator[str]:
    yield from map(wrapped, ranking.remarks)
    for source in dict.fromkeys(row.source for row in ranking.published):
        yield f"Published, of the paper's own strings ({source}; mean or what it gives, in percent):"
        yield from (
            f"  {row.model}: {_figure(row, ranking)}" for row in ranking.published if row.source == source
        )


def _figure(row: PublishedRow, ranking: Ranking) -> str:
    figures = row.splits[ranking.group.tasks[0].default_split]
    name = "mean" if "mean" in figures else next(iter(figures))
    return f"{show_percent(figures[name])}{'' if name == 'mean' else f' ({name})'}"
