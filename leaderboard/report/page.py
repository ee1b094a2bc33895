"""The page of results: figures with intervals, pictures, wrong strings, and what was asked how. One file without a script.

All that a result says is shown as text: the template escapes it.
"""

import base64
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

import jinja2

from marnn_bench import __version__
from marnn_bench.commands.report import METRICS, doubts, show_interval, show_value
from marnn_bench.evaluation.records import read_record
from marnn_bench.gallery.charts import Chart, as_svg
from marnn_bench.leaderboard.boards import Board
from marnn_bench.leaderboard.pictures.curves import chart_of
from marnn_bench.leaderboard.pictures.first_errors import first_errors
from marnn_bench.leaderboard.pictures.groupings import GROUPINGS
from marnn_bench.leaderboard.pictures.models_on_tasks import TITLE, models_on_tasks, shares
from marnn_bench.leaderboard.report.mistakes import Mistakes, find_mistakes
from marnn_bench.leaderboard.results import Result
from marnn_bench.leaderboard.tables import board_table
from marnn_bench.scoring.metrics import LOWER_IS_BETTER, Record
from marnn_bench.tasks.registry import all_tasks

TEMPLATE: Final = "report.html"

SPREAD: Final = ("min", "median", "mean", "max")


@dataclass(frozen=True)
class Picture:
    """An SVG as a data address, so that its names are its own, and what it shows, for those who do not see it."""

    address: str
    said: str


@dataclass(frozen=True)
class Section:
    """What the page says of one result."""

    title: str
    name: str
    rule: str
    doubts: Sequence[str]
    metrics: Sequence[Sequence[str]]
    pictures: Sequence[Picture]
    mistakes: Mistakes
    facts: Mapping[str, str]


def page(boards: Sequence[Board]) -> str:
    """The page of all results of these boards."""
    drawn = [board for board in boards if board.ours]
    template = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string((files(__package__) / TEMPLATE).read_text("utf-8"))
    return template.render(
        version=__version__,
        overview=list(_overview(drawn)),
        boards=[(f"{board.name}, {board.split}", board_table(board)) for board in drawn],
        sections=[
            _section(board, label, result, f"result-{place}-{number}")
            for place, board in enumerate(drawn)
            for number, (label, result) in enumerate(board.ours.items())
        ],
    )


def _overview(boards: Sequence[Board]) -> Iterator[Picture]:
    """Models on tasks, where there are several of both, and the models of each task where it has several."""
    cells = shares(boards)
    if all(len({getattr(cell, name) for cell in cells}) > 1 for name in ("model", "task")):
        yield _picture(models_on_tasks(boards), TITLE)
    for board in boards:
        if len(board.ours) > 1:
            yield _picture(chart_of([board]), f"{board.name}, {board.split}: accuracy by length")


def _section(board: Board, label: str, result: Result, name: str) -> Section:
    record = read_record(result.folder)
    task = all_tasks().get(result.task.name)
    alone = Board(
        board.task, board.split, board.headline, board.strings, board.published, (), {label: result}
    )
    return Section(
        title=f"{label} on {result.task}",
        name=name,
        rule=task.summary if task else "",
        doubts=doubts(result.lost, result.audit_failed, result.stream),
        metrics=[*_metrics(record)],
        pictures=[*_pictures(alone, result)],
        mistakes=find_mistakes(result.folder, _median_run(result)),
        facts={title: value for title, value in _facts(record) if value},
    )


def _median_run(result: Result) -> int:
    """The place of the run in the middle, the lower of two, by headline."""
    order = sorted(range(len(result.runs)), key=lambda place: result.runs[place].value)
    return order[(len(order) - 1) // 2]


def _metrics(record: Record) -> Iterator[list[str]]:
    """The rows of the metrics, the headers first: over runs, or of a single run the value with its interval."""
    runs = record["runs"]
    yield ["metric", *(SPREAD if len(runs) > 1 else ("value", "95 % interval")), "best trivial answer"]
    for metric, spread in record["summary"]["metrics"].items():
        of_one = runs[0]["metrics"][metric]
        numbers = [show_value(spread[name], metric) for name in SPREAD]
        if len(runs) == 1:
            numbers = [numbers[0], show_interval(of_one)]
        best = [
            answer["metrics"][metric] for answer in record["trivial"] if answer["metrics"][metric] is not None
        ]
        trivial = (min if metric in LOWER_IS_BETTER else max)(best) if best else None
        yield [METRICS[metric], *numbers, show_value(trivial, metric) if best else ""]


def _pictures(board: Board, result: Result) -> Iterator[Picture]:
    for grouping in GROUPINGS.values():
        if grouping.in_every([result]) and len(grouping.means(result.records)) > 1:
            said = f"{grouping.value}, by {grouping.title}"
            yield _picture(chart_of([board], grouping), said)
    if result.task.headline not in LOWER_IS_BETTER and board.strings:
        yield _picture(first_errors([board]), "strings gone wrong, by the place of the first error")


def _picture(chart: Chart, said: str) -> Picture:
    text = base64.b64encode(as_svg(chart).encode()).decode()
    return Picture(f"data:image/svg+xml;base64,{text}", said)


def _facts(record: Record) -> Iterator[tuple[str, str]]:
    """What was asked and how, as title and text; empty where a record does not say it."""
    task, model, training = record["task"], record["model"], record["model"].get("training") or {}
    harness, protocol = record.get("harness", {}), record.get("protocol", {})
    yield "strings", f"{task['rows']:,}, window {task['window']}, law {task['law']}"
    yield "digest of the data", str(task["digest"])
    yield "view", f"{task['view']}, answers over {' '.join(task['columns'])}"
    yield "asked by", str(model.get("interface", ""))
    yield "command", shlex.join(map(str, record.get("command", [])))
    yield "model file", " ".join(str(model.get(name, "")) for name in ("file", "sha256")).strip()
    yield "baseline", _training(training)
    yield "not as in the paper", _json(training.get("deviations"))
    yield "recipe", _json(training.get("recipe"))
    yield "memory reset", f"every {protocol['stream']:,} strings" if protocol.get("stream") else ""
    yield "limits", _json(protocol.get("limits"))
    checks = record.get("audit", {}).get("checks", [])
    yield "audit", "; ".join(f"{it['name']}: {'passed' if it['passed'] else 'FAILED'}" for it in checks)
    yield "seconds", f"{record['wall_s']:.1f}" if "wall_s" in record else ""
    yield "when", str(record.get("created_at", ""))
    yield "program", _json(harness)


def _training(training: Mapping[str, Any]) -> str:
    if "parameters" not in training:
        return ""
    return f"{training['model']}, {training['parameters']:,} parameters, seed {training['seed']}, {training['runs']} runs"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if value else ""
