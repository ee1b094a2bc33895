"""What the pages of the site say, as plain values for their templates, which escape them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from marnn_bench.commands.output import show_percent
from marnn_bench.commands.report import METRICS, show_value
from marnn_bench.gallery.description import aligned, examples, overlaps, split_headers, split_rows
from marnn_bench.leaderboard.pictures.groupings import GROUPINGS
from marnn_bench.leaderboard.published import published_statements
from marnn_bench.leaderboard.site.charts import MOST_LINES, Spec, curves, heat_map
from marnn_bench.leaderboard.standings.entries import Cell, Entry
from marnn_bench.leaderboard.standings.rankings import Line, Ranking
from marnn_bench.leaderboard.standings.tables import rank_said, score_said
from marnn_bench.leaderboard.statistics import Interval, Spread
from marnn_bench.task import Task
from marnn_bench.tasks.registry import cited

Page = Mapping[str, Any]

DRAWN: Final = ("length", "depth")
"""The groupings that a task's page draws, where its results have them."""

OTHER_KIND: Final = "model file"
"""The kind of a model that was not trained here."""


@dataclass(frozen=True)
class Score:
    """A score as it is read and as it is sorted."""

    said: str
    value: float


@dataclass(frozen=True)
class Row:
    """A line of a ranking."""

    place: str
    first: int
    entry: str
    page: str
    standing: str
    kind: str
    parameters: int | None
    tasks: str
    runs: int
    score: Score
    parts: Score
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """A specification as the text of a script element, and what it shows, for those who do not see it."""

    spec: Markup
    said: str


@dataclass(frozen=True)
class Names:
    """Where each entry's page is: a name of its own for every entry of the board, in lower case."""

    pages: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> "Names":
        """Pages for these entries: the name, as far as it is letters and digits, and a number where that is taken."""
        pages: dict[tuple[str, str], str] = {}
        for entry in entries:
            plain = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in entry.name.lower())
            stem = plain.strip("-")[:60] or "entry"
            names = (stem, *(f"{stem}-{number}" for number in range(2, len(entries) + 1)))
            pages[entry.key] = next(name for name in names if name not in pages.values())
        return cls(pages)

    def __getitem__(self, entry: Entry) -> str:
        return self.pages[entry.key]


def index(rankings: Sequence[Ranking], entries: Sequence[Entry], tasks: Sequence[Task], names: Names) -> Page:
    """The first page: models on tasks, and a table of each group of tasks."""
    best = [line.entry for line in rankings[0].lines]
    ordered = [*best, *(entry for entry in entries if entry not in best)]
    shown = [task.name for task in tasks]
    cells = {
        label(entry, entries): {task: cell for task in shown if (cell := entry.canonical(task))}
        for entry in ordered
    }
    several = [ranking for ranking in rankings if ranking.group.kind != "task"]
    return {
        "heat_map": picture(heat_map(cells, shown), "Models on tasks: the median of the headline, percent"),
        "groups": [
            {
                "id": f"{it.group.kind}-{number}",
                "title": it.group.title,
                "rows": rows(it, names),
                "remarks": it.remarks,
            }
            for number, it in enumerate(several)
        ],
        "kinds": sorted({kind_of(entry) for entry in entries}),
        "standings": list(dict.fromkeys(entry.standing.value for entry in entries)),
        "tasks": [
            {
                "name": task.name,
                "class": task.language_class,
                "view": task.view.name,
                "split": task.default_split,
                "metric": METRICS[task.headline],
                "summary": task.summary,
            }
            for task in tasks
        ],
        "entries": len(entries),
    }


def task_page(task: Task, ranking: Ranking, entries: Sequence[Entry], names: Names) -> Page:
    """A task: its rule, examples, splits, table, curves, and what papers print."""
    ordered = {label(line.entry, entries): line.entry.canonical(task.name) for line in ranking.lines}
    cells = {name: cell for name, cell in ordered.items() if cell}
    splits = [*split_rows(task)]
    return {
        "task": task,
        "metric": METRICS[task.headline],
        "cited": cited(task.paper),
        "examples": ["\n".join(aligned(example)) for example in examples(task)],
        "split_headers": split_headers(task),
        "splits": splits,
        "notes": [*overlaps(task), *task.notes],
        "rows": rows(ranking, names),
        "remarks": ranking.remarks,
        "pictures": [*_curves(task, cells, _training(splits))],
        "most_lines": MOST_LINES,
        "many": len(cells) > MOST_LINES,
        "published": [*_published(ranking, task)],
        "statements": published_statements(task.name),
    }


def model_page(entry: Entry, tasks: Sequence[Task], names: Names) -> Page:
    """A model: who vouches for it, how it was trained, and its result on each task."""
    known = [task for task in tasks if task.name in entry.cells]
    first = next(iter(entry.cells.values()))
    training = first.record["model"].get("training") or {}
    return {
        "entry": entry,
        "kind": kind_of(entry),
        "parameters": entry.parameters,
        "page": str(training.get("paper") or "controls"),
        "model": training.get("model"),
        "folder": names[entry],
        "results": [_result(task, entry.cells[task.name]) for task in known],
        "recipes": [*_recipes(entry, known)],
    }


def rows(ranking: Ranking, names: Names) -> list[Row]:
    """The lines of a ranking."""
    return [_row(line, ranking, names) for line in ranking.lines]


def picture(spec: Spec, said: str) -> Picture:
    r"""A specification that a page holds; nothing in it can end the element that holds it.

    >>> picture({"title": "</script>"}, "").spec
    Markup('{"title":"\\u003c/script>"}')
    """
    text = json.dumps(spec, separators=(",", ":")).replace("<", "\\u003c")
    return Picture(Markup(text), said)


def label(entry: Entry, entries: Sequence[Entry]) -> str:
    """Its name; with its standing, where another entry has the same."""
    return (
        entry.name
        if sum(other.name == entry.name for other in entries) == 1
        else f"{entry.name} ({entry.standing.value})"
    )


def kind_of(entry: Entry) -> str:
    """Which family of ours a model is of, by its paper; of strangers' files nothing is known."""
    cells = entry.cells.values()
    training = next((said for cell in cells if (said := cell.record["model"].get("training"))), None)
    if not training:
        return OTHER_KIND
    return cited(str(training.get("paper") or "control"))


def _row(line: Line, ranking: Ranking, names: Names) -> Row:
    return Row(
        place=rank_said(line.rank),
        first=line.rank[0] if line.rank else len(ranking.lines) + 1,
        entry=line.entry.name,
        page=names[line.entry],
        standing=line.entry.standing.value,
        kind=kind_of(line.entry),
        parameters=line.entry.parameters,
        tasks=f"{line.tasks}/{len(ranking.group.tasks)}",
        runs=line.runs,
        score=_score(line.whole),
        parts=_score(line.parts),
        remarks=line.remarks,
    )


def _score(found: Interval | None) -> Score:
    return Score(score_said(found, "\N{EN DASH}"), found.value if found else -1.0)


def _training(splits: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """The lengths of the train split, of the rows that say them."""
    lengths = next((said for name, _, _, said, *_ in splits if name == "train"), "")
    return tuple(map(int, lengths.split("-"))) if lengths else ()


def _curves(task: Task, cells: Mapping[str, Cell], training: tuple[int, ...]) -> Iterator[Picture]:
    groups = set[int]()
    for name in DRAWN:
        grouping = GROUPINGS[name]
        found = {len(cell.record["runs"][0].get(grouping.breakdown, ())) for cell in cells.values()}
        if found <= groups:  # as many depths as lengths: one follows from the other
            continue
        groups |= found
        if spec := curves(task, cells, grouping, training if name == "length" else ()):
            yield picture(spec, f"{grouping.value} by {grouping.title}, with 95 % intervals")


def _published(ranking: Ranking, task: Task) -> Iterator[tuple[str, str, str]]:
    """Model, figure and source."""
    for row in ranking.published:
        figures = row.splits[task.default_split]
        name = "mean" if "mean" in figures else next(iter(figures))
        said = show_percent(figures[name])
        yield row.model, said if name == "mean" else f"{said} ({name})", row.source


def _result(task: Task, cell: Cell) -> dict[str, Any]:
    spread = Spread.of(cell.whole.values).record()
    solved = cell.record["summary"].get("solved")
    return {
        "task": task.name,
        "split": cell.split,
        "metric": METRICS[task.headline],
        "runs": cell.runs,
        **{name: show_value(value, task.headline) for name, value in spread.items()},
        "solved": f"{solved['runs']}/{cell.runs}" if solved else "",
        "trivial": show_value(cell.whole.best_trivial, task.headline),
        "remarks": [
            *(f"not the task's own strings: {it}" for it in cell.departures),
            *([f"{cell.lost:,} strings without an answer"] if cell.lost else []),
            *([f"failed its audit: {', '.join(cell.audit_failed)}"] if cell.audit_failed else []),
        ],
    }


def _recipes(entry: Entry, tasks: Sequence[Task]) -> Iterator[tuple[str, str]]:
    """Of each task what its training says, as text."""
    for task in tasks:
        training = entry.cells[task.name].record["model"].get("training") or {}
        if recipe := training.get("recipe"):
            said = {"parameters": training.get("parameters"), "sizes": training.get("sizes"), **recipe}
            yield task.name, json.dumps(said, ensure_ascii=False)
