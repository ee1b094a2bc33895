"""Accuracy by length as a picture: one line per model, a band across its runs, the training lengths shaded.

One chart specification gives the interactive page, the bitmap and the vector formats. The page holds all that it needs.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from marnn_bench.gallery.charts import COLOURS, GREY, save
from marnn_bench.generators.window import Window
from marnn_bench.leaderboard.boards import Board
from marnn_bench.leaderboard.results import Result
from marnn_bench.leaderboard.statistics import mean_intervals
from marnn_bench.tasks.registry import all_tasks

TITLE = "sequence accuracy, %"
WIDTH, HEIGHT = 640, 320


def draw(boards: Sequence[Board], path: Path) -> None:
    """Write the picture of our results: one panel a task, in which the splits of a model join in one line."""
    chart = alt.vconcat(*map(_panel, _panels(boards)), spacing=40)
    save(chart.resolve_scale(color="independent", shape="independent"), path)


def _panels(boards: Sequence[Board]) -> list[list[Board]]:
    """The boards with results by task; different strings of the same split need another panel."""
    panels: list[list[Board]] = []
    for board in boards:
        fitting = [panel for panel in panels if panel[0].name == board.name]
        joined = next(
            (panel for panel in fitting if board.split not in {other.split for other in panel}), None
        )
        if joined:
            joined.append(board)
        elif board.ours:
            panels.append([board])
    return panels


def _panel(boards: Sequence[Board]) -> alt.LayerChart:
    """One task: the shading lies below, then the trivial answers, the bins, the lines."""
    boards = sorted(boards, key=_lengths)
    points = [
        point for board in boards for label, result in board.ours.items() for point in _points(label, result)
    ]
    train = _train_window(boards[0].task)
    lengths = [*(point["length"] for point in points), *((train.low, train.high) if train else ())]
    across = alt.Scale(domain=[min(lengths), max(lengths)], nice=False, padding=8)
    upwards = alt.Scale(domain=[0, 100], nice=False, padding=8)
    layers = [
        *_shading(train),
        *_trivial(boards),
        *_lines(points, alt.Y("mean:Q", title=TITLE, scale=upwards)),
    ]
    x = alt.X("length:Q", title="length of the string", scale=across)
    return alt.layer(*layers).encode(x=x).properties(width=WIDTH, height=HEIGHT, title=_title(boards))


def _lines(points: Sequence[Mapping[str, Any]], y: alt.Y) -> Iterator[alt.Chart]:
    models = list(dict.fromkeys(point["model"] for point in points))
    colour = alt.Color("model:N", scale=alt.Scale(domain=models, range=COLOURS), title=None)
    shape = alt.Shape("model:N", scale=alt.Scale(domain=models), title=None)
    shown = [alt.Tooltip(f"{name}:Q", format=".2f") for name in ("mean", "lower", "upper")]
    base = alt.Chart(alt.InlineData(values=points)).encode(color=colour)
    yield base.mark_area(opacity=0.2).encode(y=alt.Y("lower:Q", title=TITLE), y2="upper:Q")
    yield base.mark_line(strokeWidth=2).encode(y=y)
    yield base.mark_point(filled=True, opacity=1, size=40).encode(
        y=y, shape=shape, tooltip=["model:N", "length:Q", *shown]
    )


def _points(label: str, result: Result) -> Iterator[dict[str, Any]]:
    """For each length the mean over runs, in percent, with its interval: over runs, or a single run's over strings."""
    lengths = sorted(result.runs[0].by_length)
    cells = [[run.by_length[length] for length in lengths] for run in result.runs]
    values = np.array([[cell.value for cell in row] for row in cells])  # [runs, lengths]
    for length, cell in zip(lengths, mean_intervals(values) if len(cells) > 1 else cells[0], strict=True):
        yield {
            "model": label,
            "length": length,
            "mean": 100 * cell.value,
            "lower": 100 * cell.lower,
            "upper": 100 * cell.upper,
        }


def _shading(train: Window | None) -> Iterator[alt.Chart]:
    if train:
        where = {"length": train.low, "end": train.high, "text": f"training lengths {train.low}-{train.high}"}
        base = alt.Chart(alt.InlineData(values=[where]))
        yield base.mark_rect(color="black", opacity=0.06).encode(x2="end:Q")
        yield base.mark_text(align="left", baseline="bottom", dx=2, dy=-5, fontSize=13, color=GREY).encode(
            y=alt.value(0), text="text:N"
        )


def _trivial(boards: Sequence[Board]) -> Iterator[alt.Chart]:
    """A dashed line at the best trivial answer of each split, across its lengths."""
    for board in boards:
        if board.trivial:
            low, high = _lengths(board)
            where = {"length": low, "end": high, "mean": 100 * max(board.trivial.values())}
            base = alt.Chart(alt.InlineData(values=[where]))
            yield base.mark_rule(color=GREY, strokeDash=[5, 4]).encode(y="mean:Q", x2="end:Q")


def _title(boards: Sequence[Board]) -> alt.TitleParams:
    splits = " and ".join(dict.fromkeys(board.split for board in boards))
    trivial = [
        f"{name} {100 * accuracy:.2f} % ({board.split})"
        for board in boards
        for name, accuracy in sorted(board.trivial.items(), key=lambda answer: -answer[1])[:1]
    ]
    return alt.TitleParams(
        f"{boards[0].name}, {splits}: accuracy by length",
        subtitle=[
            "line: mean over runs; band: its 95 % interval (over strings where there is one run)",
            *([f"dashed: best trivial answer, {', '.join(trivial)}"] if trivial else []),
        ],
    )


def _lengths(board: Board) -> tuple[int, int]:
    lengths = [length for result in board.ours.values() for length in result.runs[0].by_length]
    return min(lengths), max(lengths)


def _train_window(task: str) -> Window | None:
    """The training lengths of a task, where it is installed and has a train split."""
    known = all_tasks().get(task)
    return known.splits["train"].window if known and "train" in known.splits else None
