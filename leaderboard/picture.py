"""Accuracy by length as a picture: one line per model, a band across its runs, the training lengths shaded.

Lines are named where they end; models that have nothing right share a label. Dotted is what the paper of a model prints.

One chart specification gives the interactive page, the bitmap and the vector formats. The page holds all that it needs.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from marnn_bench.commands.output import show_percent
from marnn_bench.gallery.charts import COLOURS, GREY, save
from marnn_bench.gallery.description import length_range
from marnn_bench.leaderboard.boards import SEQUENCE_ACCURACY, Board
from marnn_bench.leaderboard.statistics import mean_intervals
from marnn_bench.tasks.registry import all_tasks

Layers = tuple[list[alt.Chart], list[alt.Chart]]
"""Lines, and the texts that are drawn above everything."""

Lines = dict[str, list[dict[str, Any]]]
"""Of each model, the points of its line as plain data."""

TITLE = "strings right, %"
WIDTH, HEIGHT = 640, 320
SMALL = 12
"""The size of type within a panel."""

ROW = 5.2
"""What a line of type takes of the axis, which is in percent."""

MOST_LABELS = 16
"""So many names fit beside a panel; more go into a legend."""

NOTHING = 0.5
"""A model is drawn as having nothing right if it reaches so many percent at no length: its line is on the axis."""


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
    """One task: the shading lies below, then published means, bands and lines; trivial answers and all texts lie above."""
    boards = sorted(boards, key=_lengths)
    lines = _points(boards)
    at_zero = [model for model, points in lines.items() if max(p["mean"] for p in points) < NOTHING]
    if len(at_zero) < 2:
        at_zero = []
    drawn = {model: points for model, points in lines.items() if model not in at_zero}
    train = _train_lengths(boards[0].task)
    lengths = [point["length"] for points in lines.values() for point in points]
    ends = (min([*lengths, *train]), max([*lengths, *train]))
    across = alt.Scale(domain=ends, nice=False, padding=8)
    legend = None if len(drawn) <= MOST_LABELS else alt.Legend(values=[*drawn], columns=6)
    colour = alt.Color(
        "model:N",
        scale=alt.Scale(domain=[*lines], range=COLOURS),
        title=None,
        legend=legend,
    )
    colours = dict(zip(lines, cycle(COLOURS), strict=False))
    (trivial, trivial_texts), (published, published_texts) = _trivial(boards), _published(boards, colours)
    layers = [
        *_shading(train),
        *published,
        *_lines(drawn, colour, legend),
        *([] if legend else _names(drawn, colour)),
        *_nothing_right(at_zero, min(lengths), min(ends)),
        *trivial,
        *trivial_texts,
        *published_texts,
    ]
    x = alt.X("length:Q", title="length of the string", scale=across)
    return (
        alt.layer(*layers)
        .encode(x=x)
        .properties(width=WIDTH, height=HEIGHT, title=_title(boards, bool(published_texts)))
    )


def _height(name: str) -> alt.Y:
    """The axis of accuracy, with room for a line of type below 0."""
    return alt.Y(f"{name}:Q", title=TITLE, scale=alt.Scale(domain=[0, 100], nice=False, padding=20))


def _points(boards: Sequence[Board]) -> Lines:
    """Of each model, for each length the mean over runs, in percent, with its interval: over runs, or a single run's over strings."""
    lines: Lines = {}
    for board in boards:
        for model, result in board.ours.items():
            lengths = sorted(result.runs[0].by_length)
            cells = [[run.by_length[length] for length in lengths] for run in result.runs]
            values = np.array([[cell.value for cell in row] for row in cells])  # [runs, lengths]
            means = mean_intervals(values) if len(cells) > 1 else cells[0]
            for length, cell in zip(lengths, means, strict=True):
                shares = {"mean": 100 * cell.value, "lower": 100 * cell.lower, "upper": 100 * cell.upper}
                lines.setdefault(model, []).append({"model": model, "length": length, **shares})
    return lines


def _lines(lines: Lines, colour: alt.Color, legend: alt.Legend | None) -> Iterator[alt.Chart]:
    shape = alt.Shape("model:N", scale=alt.Scale(domain=[*lines]), title=None, legend=legend)
    shown = [alt.Tooltip(f"{name}:Q", format=".2f") for name in ("mean", "lower", "upper")]
    points = [point for line in lines.values() for point in line]
    base = alt.Chart(alt.InlineData(values=points)).encode(color=colour)
    yield base.mark_area(opacity=0.2).encode(y=_height("lower"), y2="upper:Q")
    yield base.mark_line(strokeWidth=2).encode(y=_height("mean"))
    yield base.mark_point(filled=True, opacity=1, size=40).encode(
        y=_height("mean"), shape=shape, tooltip=["model:N", "length:Q", *shown]
    )


def _names(lines: Lines, colour: alt.Color) -> Iterator[alt.Chart]:
    """The models' names beside the ends of their lines, moved apart where those are close."""
    by_mean = sorted(lines, key=lambda model: sum(point["mean"] for point in lines[model]))
    ends = {model: lines[model][-1]["mean"] for model in by_mean}
    names = [
        {"model": model, "mean": ends[model], "text": model, "place": place}
        for model, place in _apart(ends).items()
    ]
    base = alt.Chart(alt.InlineData(values=names)).encode(color=colour)
    yield base.mark_rule().encode(
        x=alt.value(WIDTH + 2), x2=alt.value(WIDTH + 12), y=_height("mean"), y2="place:Q"
    )
    yield base.mark_text(align="left", baseline="middle", fontSize=13).encode(
        x=alt.value(WIDTH + 16), y=_height("place"), text="text:N"
    )


def _apart(heights: Mapping[str, float]) -> dict[str, float]:
    """Places on the axis as near to the heights as lines of type allow, in the same order.

    >>> _apart({"a": 0.0, "b": 1.0, "c": 60.0})
    {'a': 0.0, 'b': 5.2, 'c': 60.0}
    >>> _apart({"a": 99.0, "b": 100.0})
    {'a': 94.8, 'b': 100.0}
    """
    names = sorted(heights, key=lambda name: heights[name])
    places: list[float] = []
    for name in names:
        places.append(max(heights[name], places[-1] + ROW) if places else heights[name])
    highest = 100.0 + ROW
    for i in reversed(range(len(places))):
        places[i] = highest = min(places[i], highest - ROW)
    return dict(zip(names, places, strict=True))


def _nothing_right(models: Sequence[str], first: int, place: int) -> Iterator[alt.Chart]:
    """One line on the axis, from the first length on, and one label for the models that have nothing right."""
    if models:
        text = f"{len(models)} models at 0: {', '.join(models)}"
        base = alt.Chart(alt.InlineData(values=[{"length": first, "mean": 0}]))
        yield base.mark_rule(color=GREY, strokeWidth=3).encode(x2=alt.value(WIDTH), y=_height("mean"))
        for number, line in enumerate(reversed(textwrap.wrap(text, 45))):
            where = {"length": place, "mean": number * ROW, "text": line, "colour": GREY}
            yield from _remarks([where], align="left", baseline="bottom", dx=4, dy=-4)


def _remarks(remarks: Sequence[Mapping[str, Any]], **mark: Any) -> Iterator[alt.Chart]:
    """Texts within the panel, with a white rim, so that they can be read before lines and bands."""
    base = alt.Chart(alt.InlineData(values=remarks)).encode(y=_height("mean"), text="text:N")
    yield base.mark_text(fontSize=SMALL, stroke="white", strokeWidth=3, **mark)
    yield base.mark_text(fontSize=SMALL, **mark).encode(color=alt.Color("colour:N", scale=None))


def _shading(train: Sequence[int]) -> Iterator[alt.Chart]:
    if train:
        low, high = train
        where = {"length": low, "end": high, "text": f"training lengths {low}-{high}"}
        base = alt.Chart(alt.InlineData(values=[where]))
        yield base.mark_rect(color="black", opacity=0.06).encode(x2="end:Q")
        yield base.mark_text(align="left", baseline="bottom", dx=2, dy=-5, fontSize=13, color=GREY).encode(
            y=alt.value(0), text="text:N"
        )


def _trivial(boards: Sequence[Board]) -> Layers:
    """A dashed line at the best trivial answer of each split, across its lengths, and what it is, below it."""
    lines: list[alt.Chart] = []
    texts: list[alt.Chart] = []
    for board in boards:
        if board.trivial and board.headline == SEQUENCE_ACCURACY:  # else it is of another metric
            name, accuracy = max(board.trivial.items(), key=lambda answer: answer[1])
            low, high = _lengths(board)
            text = f"best trivial answer: {name} {show_percent(accuracy)} %"
            where = {"length": low, "end": high, "mean": 100 * accuracy, "text": text, "colour": "black"}
            lines.append(_rule([where], strokeDash=[6, 4]))
            texts += _remarks([where], align="left", baseline="top", dx=4, dy=4)
    return lines, texts


def _published(boards: Sequence[Board], colours: Mapping[str, str]) -> Layers:
    """A dotted line at the mean that the paper prints for a model that we reproduce, across the lengths of the split."""
    lines: list[alt.Chart] = []
    texts: list[alt.Chart] = []
    for board in boards:
        figures = {row.model: row.splits[board.split] for row in board.published}
        printed = {model: 100 * of_row["mean"] for model, of_row in figures.items() if "mean" in of_row}
        models = {result.published_row: label for label, result in reversed([*board.ours.items()])}
        means = {models[row]: mean for row, mean in printed.items() if row in models}
        rows = {label: row for row, label in models.items() if row}
        low, high = _lengths(board)
        rules = [
            {"length": low, "end": high, "mean": mean, "colour": colours[model]}
            for model, mean in means.items()
        ]
        remarks = [
            {
                "length": high,
                "mean": place,
                "colour": colours[model],
                "text": f"paper, {rows[model]}: {show_percent(means[model] / 100)} %",
            }
            for model, place in _apart(means).items()
        ]
        if rules:
            lines.append(_rule(rules, strokeDash=[2, 3]))
            texts += _remarks(remarks, align="right", baseline="bottom", dx=-4, dy=-2)
    return lines, texts


def _rule(rules: Sequence[Mapping[str, Any]], **mark: Any) -> alt.Chart:
    base = alt.Chart(alt.InlineData(values=rules)).mark_rule(strokeWidth=2, **mark)
    rule: alt.Chart = base.encode(y=_height("mean"), x2="end:Q", color=alt.Color("colour:N", scale=None))
    return rule


def _title(boards: Sequence[Board], published: bool) -> alt.TitleParams:
    splits = " and ".join(dict.fromkeys(board.split for board in boards))
    lines = "line: mean over runs; band: its 95 % interval (over strings where there is one run)"
    return alt.TitleParams(
        f"{boards[0].name}, {splits}: accuracy by length",
        subtitle=f"{lines}; dotted: the mean in the paper" if published else lines,
    )


def _lengths(board: Board) -> tuple[int, int]:
    lengths = [length for result in board.ours.values() for length in result.runs[0].by_length]
    return min(lengths), max(lengths)


def _train_lengths(task: str) -> tuple[int, ...]:
    """The least and the greatest training length of a task, where it is installed and has a train split."""
    known = all_tasks().get(task)
    return length_range(known, "train") if known and "train" in known.splits else ()
