"""Curves: how right models are by length, depth or another number, or by a name, one panel a task.

A line for each model, a band for its 95 % interval, the training lengths shaded. Lines are named where they end; models that
have nothing right share a label. Dotted is what the paper of a model prints. One chart specification gives the interactive
page, the bitmap and the vector formats. The page holds all that it needs.
"""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from math import isfinite
from pathlib import Path
from typing import Any, Final

import altair as alt

from marnn_bench.commands.output import show_percent
from marnn_bench.gallery.charts import COLOURS, GREY, save
from marnn_bench.gallery.description import length_range
from marnn_bench.leaderboard.boards import SEQUENCE_ACCURACY, Board
from marnn_bench.leaderboard.pictures.groupings import LENGTH, WHOLE, Grouping
from marnn_bench.leaderboard.results import Result
from marnn_bench.scoring.metrics import LOWER_IS_BETTER
from marnn_bench.tasks.registry import all_tasks

Layers = tuple[list[alt.Chart], list[alt.Chart]]
"""Lines, and the texts that are drawn above everything."""

Lines = dict[str, list[dict[str, Any]]]
"""Of each model, the points of its line as plain data."""

WIDTH, HEIGHT = 640, 320
SMALL: Final = 12
"""The size of type within a panel."""

ROW: Final = 5.2 / 100
"""What a line of type takes of the axis."""

MOST_LABELS: Final = 16
"""So many names fit beside a panel; more go into a legend."""

NOTHING: Final = 0.5
"""A model is drawn as having nothing right if it reaches so many percent nowhere: its line is on the axis."""


def draw(boards: Sequence[Board], path: Path, grouping: Grouping = LENGTH) -> None:
    """Write the picture of our results: one panel a task, in which the splits of a model join in one line."""
    save(chart_of(boards, grouping), path)


def chart_of(boards: Sequence[Board], grouping: Grouping = LENGTH) -> alt.VConcatChart:
    """The same as a chart."""
    panels = [Panel(sorted(joined, key=_lengths), grouping).chart() for joined in _joined(boards)]
    chart: alt.VConcatChart = alt.vconcat(*panels, spacing=40).resolve_scale(
        color="independent", shape="independent"
    )
    return chart


def _joined(boards: Sequence[Board]) -> list[list[Board]]:
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


@dataclass(frozen=True)
class Panel:
    """The boards of one task, that of the shortest strings first, drawn by one grouping."""

    boards: Sequence[Board]
    grouping: Grouping

    def chart(self) -> alt.LayerChart | alt.FacetChart:
        """The shading lies below, then published means, bands and lines; trivial answers and all texts lie above."""
        chart = alt.layer(*(self._points_of_names() if self.by_name else self._curves()))
        if not self.by_name:
            scale = alt.Scale(domain=self._ends, nice=False, padding=8)
            chart = chart.encode(x=alt.X("group:Q", title=self.grouping.title, scale=scale))
        return chart.properties(width=WIDTH, height=HEIGHT, title=self._title())

    @cached_property
    def by_name(self) -> bool:
        """Whether groups have names, which no line joins."""
        return any(isinstance(point["group"], str) for point in _flat(self.lines))

    @cached_property
    def nats(self) -> bool:
        """Whether nats are drawn, of which less is better, not shares."""
        return self.boards[0].headline in LOWER_IS_BETTER

    @cached_property
    def lines(self) -> Lines:
        """Of each model, for each group the mean over runs, in percent or nats, with its interval, where it is finite."""
        factor = 1 if self.nats else 100
        lines: Lines = {}
        for model, result in self._results():
            for group, cell in self.grouping.means(result.records).items():
                ends = {"mean": cell.value, "lower": cell.lower, "upper": cell.upper}
                if isfinite(cell.value):
                    shown = {name: factor * value for name, value in ends.items()}
                    lines.setdefault(model, []).append({"model": model, "group": group, **shown})
        return lines

    def _results(self) -> Iterator[tuple[str, Result]]:
        for board in self.boards:
            yield from board.ours.items()

    @cached_property
    def top(self) -> float:
        """The highest number on the axis."""
        if not self.nats:
            return 100.0
        return max([point["upper"] for point in _flat(self.lines)], default=1.0) * 1.05

    def height(self, name: str) -> alt.Y:
        """The upright axis, with room for a line of type below 0."""
        title = "excess, nats a symbol" if self.nats else f"{self.grouping.value}, %"
        scale = alt.Scale(domain=[0, self.top], nice=False, padding=20)
        return alt.Y(f"{name}:Q", title=title, scale=scale)

    @cached_property
    def _legend(self) -> alt.Legend | None:
        many = len(self.lines) > MOST_LABELS or self.by_name
        return alt.Legend(values=[*self.lines], columns=6) if many else None

    @cached_property
    def _colour(self) -> alt.Color:
        scale = alt.Scale(domain=[*self.lines], range=COLOURS)
        return alt.Color("model:N", scale=scale, title=None, legend=self._legend)

    @cached_property
    def _shape(self) -> alt.Shape:
        return alt.Shape("model:N", scale=alt.Scale(domain=[*self.lines]), title=None, legend=self._legend)

    def _curves(self) -> Iterator[alt.Chart]:
        at_zero = [] if self.nats else [model for model, line in self.lines.items() if _nothing(line)]
        if len(at_zero) < 2:
            at_zero = []
        drawn = {model: line for model, line in self.lines.items() if model not in at_zero}
        trivial, trivial_texts = self._trivial() if self.grouping == LENGTH else ([], [])
        published, published_texts = self._published() if self.grouping == LENGTH else ([], [])
        yield from _shading(self._train)
        yield from published
        yield from self._lines(drawn)
        if not self._legend:
            yield from self._names(drawn)
        yield from self._nothing_right(at_zero)
        yield from [*trivial, *trivial_texts, *published_texts]

    @cached_property
    def _train(self) -> tuple[int, ...]:
        """The lengths of training, where the axis is of lengths."""
        return _train_lengths(self.boards[0].task) if self.grouping == LENGTH else ()

    @cached_property
    def _ends(self) -> tuple[int, int]:
        """Those of the axis."""
        groups = [*(point["group"] for point in _flat(self.lines)), *self._train]
        return min(groups, default=0), max(groups, default=1)

    def _lines(self, lines: Lines) -> Iterator[alt.Chart]:
        base = alt.Chart(alt.InlineData(values=_flat(lines))).encode(color=self._colour)
        yield base.mark_area(opacity=0.2).encode(y=self.height("lower"), y2="upper:Q")
        yield base.mark_line(strokeWidth=2).encode(y=self.height("mean"))
        yield base.mark_point(filled=True, opacity=1, size=40).encode(
            y=self.height("mean"), shape=self._shape, tooltip=_tooltip()
        )

    def _points_of_names(self) -> Iterator[alt.Chart]:
        """A point with its interval for each model and name."""
        names = list(dict.fromkeys(point["group"] for point in _flat(self.lines)))
        base = alt.Chart(alt.InlineData(values=_flat(self.lines))).encode(
            x=alt.X("group:N", sort=names, title=self.grouping.title, axis=alt.Axis(labelAngle=0)),
            xOffset=alt.XOffset("model:N", sort=[*self.lines]),
            color=self._colour,
        )
        yield base.mark_rule(strokeWidth=2).encode(y=self.height("lower"), y2="upper:Q")
        yield base.mark_point(filled=True, opacity=1, size=60).encode(
            y=self.height("mean"), shape=self._shape, tooltip=_tooltip()
        )

    def _names(self, lines: Lines) -> Iterator[alt.Chart]:
        """The models' names beside the ends of their lines, moved apart where those are close."""
        by_mean = sorted(lines, key=lambda model: sum(point["mean"] for point in lines[model]))
        ends = {model: lines[model][-1]["mean"] for model in by_mean}
        names = [
            {"model": model, "mean": ends[model], "text": model, "place": place}
            for model, place in apart(ends, self.top).items()
        ]
        base = alt.Chart(alt.InlineData(values=names)).encode(color=self._colour)
        yield base.mark_rule().encode(
            x=alt.value(WIDTH + 2), x2=alt.value(WIDTH + 12), y=self.height("mean"), y2="place:Q"
        )
        yield base.mark_text(align="left", baseline="middle", fontSize=13).encode(
            x=alt.value(WIDTH + 16), y=self.height("place"), text="text:N"
        )

    def _nothing_right(self, models: Sequence[str]) -> Iterator[alt.Chart]:
        """One line on the axis, from the first group on, and one label for the models that have nothing right."""
        if models:
            text = f"{len(models)} models at 0: {', '.join(models)}"
            first = min(point["group"] for point in _flat(self.lines))
            base = alt.Chart(alt.InlineData(values=[{"group": first, "mean": 0}]))
            yield base.mark_rule(color=GREY, strokeWidth=3).encode(x2=alt.value(WIDTH), y=self.height("mean"))
            for number, line in enumerate(reversed(textwrap.wrap(text, 45))):
                where = {
                    "group": self._ends[0],
                    "mean": number * ROW * self.top,
                    "text": line,
                    "colour": GREY,
                }
                yield from self._remarks([where], align="left", baseline="bottom", dx=4, dy=-4)

    def _remarks(self, remarks: Sequence[Mapping[str, Any]], **mark: Any) -> Iterator[alt.Chart]:
        """Texts within the panel, with a white rim, so that they can be read before lines and bands."""
        base = alt.Chart(alt.InlineData(values=remarks)).encode(y=self.height("mean"), text="text:N")
        yield base.mark_text(fontSize=SMALL, stroke="white", strokeWidth=3, **mark)
        yield base.mark_text(fontSize=SMALL, **mark).encode(color=alt.Color("colour:N", scale=None))

    def _trivial(self) -> Layers:
        """A dashed line at the best trivial answer of each split, across its lengths, and what it is, below it."""
        lines: list[alt.Chart] = []
        texts: list[alt.Chart] = []
        for board in self.boards:
            if board.trivial and board.headline == SEQUENCE_ACCURACY:  # else it is of another metric
                name, accuracy = max(board.trivial.items(), key=lambda answer: answer[1])
                low, high = _lengths(board)
                text = f"best trivial answer: {name} {show_percent(accuracy)} %"
                where = {"group": low, "end": high, "mean": 100 * accuracy, "text": text, "colour": "black"}
                lines.append(self._rule([where], strokeDash=[6, 4]))
                texts += self._remarks([where], align="left", baseline="top", dx=4, dy=4)
        return lines, texts

    def _published(self) -> Layers:
        """A dotted line at the mean that the paper prints for a model that we reproduce, across the lengths of the split."""
        lines: list[alt.Chart] = []
        texts: list[alt.Chart] = []
        colours = dict(zip(self.lines, cycle(COLOURS), strict=False))
        for board in self.boards:
            printed = _printed_means(board)
            rows = {label: result.published_row for label, result in board.ours.items()}
            low, high = _lengths(board)
            rules = [
                {"group": low, "end": high, "mean": mean, "colour": colours[model]}
                for model, mean in printed.items()
            ]
            remarks = [
                {
                    "group": high,
                    "mean": place,
                    "colour": colours[model],
                    "text": f"paper, {rows[model]}: {show_percent(printed[model] / 100)} %",
                }
                for model, place in apart(printed).items()
            ]
            if rules:
                lines.append(self._rule(rules, strokeDash=[2, 3]))
                texts += self._remarks(remarks, align="right", baseline="bottom", dx=-4, dy=-2)
        return lines, texts

    def _rule(self, rules: Sequence[Mapping[str, Any]], **mark: Any) -> alt.Chart:
        base = alt.Chart(alt.InlineData(values=rules)).mark_rule(strokeWidth=2, **mark)
        colour = alt.Color("colour:N", scale=None)
        rule: alt.Chart = base.encode(y=self.height("mean"), x2="end:Q", color=colour)
        return rule

    def _title(self) -> alt.TitleParams:
        splits = " and ".join(dict.fromkeys(board.split for board in self.boards))
        drawn = "point" if self.by_name else "line"
        around = "rule" if self.by_name else "band"
        lines = f"{drawn}: mean over runs; {around}: its 95 % interval (over strings where there is one run)"
        published = self.grouping == LENGTH and any(map(_printed_means, self.boards))
        whole = "excess cross-entropy" if self.nats else "accuracy"
        what = whole if self.grouping.value == WHOLE else self.grouping.value
        return alt.TitleParams(
            f"{self.boards[0].name}, {splits}: {what} by {self.grouping.name}",
            subtitle=f"{lines}; dotted: the mean in the paper" if published else lines,
        )


def apart(heights: Mapping[str, float], top: float = 100.0) -> dict[str, float]:
    """Places on the axis as near to the heights as lines of type allow, in the same order.

    >>> apart({"a": 0.0, "b": 1.0, "c": 60.0})
    {'a': 0.0, 'b': 5.2, 'c': 60.0}
    >>> apart({"a": 99.0, "b": 100.0})
    {'a': 94.8, 'b': 100.0}
    """
    row = ROW * top
    names = sorted(heights, key=lambda name: heights[name])
    places: list[float] = []
    for name in names:
        places.append(max(heights[name], places[-1] + row) if places else heights[name])
    highest = top + row
    for i in reversed(range(len(places))):
        places[i] = highest = min(places[i], highest - row)
    return dict(zip(names, places, strict=True))


def _printed_means(board: Board) -> dict[str, float]:
    """For our results that reproduce a row, the mean that the paper prints there, in percent."""
    figures = {row.model: row.splits[board.split] for row in board.published}
    labels = {result.published_row: label for label, result in reversed([*board.ours.items()])}
    return {
        labels[row]: 100 * of_row["mean"]
        for row, of_row in figures.items()
        if "mean" in of_row and row in labels
    }


def _nothing(line: Sequence[Mapping[str, Any]]) -> bool:
    return all(point["mean"] < NOTHING for point in line)


def _flat(lines: Lines) -> list[dict[str, Any]]:
    return [point for line in lines.values() for point in line]


def _tooltip() -> list[Any]:
    numbers = [alt.Tooltip(f"{name}:Q", format=".2f") for name in ("mean", "lower", "upper")]
    return ["model:N", "group:N", *numbers]


def _shading(train: Sequence[int]) -> Iterator[alt.Chart]:
    if train:
        low, high = train
        where = {"group": low, "end": high, "text": f"training lengths {low}-{high}"}
        base = alt.Chart(alt.InlineData(values=[where]))
        yield base.mark_rect(color="black", opacity=0.06).encode(x2="end:Q")
        yield base.mark_text(align="left", baseline="bottom", dx=2, dy=-5, fontSize=13, color=GREY).encode(
            y=alt.value(0), text="text:N"
        )


def _lengths(board: Board) -> tuple[int, int]:
    lengths = [length for result in board.ours.values() for length in result.runs[0].by_length]
    return min(lengths), max(lengths)


def _train_lengths(task: str) -> tuple[int, ...]:
    """The least and the greatest training length of a task, where it is installed and has a train split."""
    known = all_tasks().get(task)
    return length_range(known, "train") if known and "train" in known.splits else ()
