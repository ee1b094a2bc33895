"""Pictures of the site, as Vega-Lite specifications that the reader's browser draws."""

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any, Final

from marnn_bench.gallery.charts import COLOURS, GREY
from marnn_bench.leaderboard.pictures.groupings import Grouping
from marnn_bench.leaderboard.pictures.heat_map import CELL, LIGHT, SCHEME
from marnn_bench.leaderboard.standings.entries import Cell
from marnn_bench.scoring.metrics import LOWER_IS_BETTER
from marnn_bench.task import Task

Spec = Mapping[str, Any]

MOST_LINES: Final = len(COLOURS)
"""As many can be told apart; black, which a dark page hides, is grey here."""

HEIGHT: Final = 280
"""Of curves, in pixels."""


def heat_map(cells: Mapping[str, Mapping[str, Cell]], tasks: Sequence[str]) -> Spec:
    """Models on tasks: the median of the headline over runs, in percent.

    cells:  of each entry, by the name that it is shown by, its results by task
    """
    values = [
        {
            "model": name,
            "task": task,
            "percent": 100 * cell.whole.median,
            "said": f"{100 * cell.whole.median:.1f}",
        }
        for name, found in cells.items()
        for task, cell in found.items()
        if not cell.whole.lower_is_better
    ]
    across = {"field": "task", "type": "nominal", "sort": [*tasks], "title": None}
    down = {"field": "model", "type": "nominal", "sort": [*cells], "title": None}
    colour = {
        "field": "percent",
        "type": "quantitative",
        "scale": {"domain": [0, 100], "scheme": SCHEME},
        "legend": {"title": "median, %", "direction": "horizontal", "orient": "bottom"},
    }
    dark = {"test": f"datum.percent < {LIGHT}", "value": "white"}
    return {
        "data": {"values": values},
        "width": {"step": CELL[0]},
        "height": {"step": CELL[1]},
        "encoding": {
            "x": across | {"axis": {"orient": "top", "labelAngle": -30, "labelLimit": 220}},
            "y": down | {"axis": {"labelLimit": 220}},
        },
        "layer": [
            {"mark": {"type": "rect", "tooltip": True}, "encoding": {"color": colour}},
            {
                "mark": {"type": "text", "fontSize": 11},
                "encoding": {
                    "text": {"field": "said"},
                    "color": {"condition": dark, "value": "black"},
                },
            },
        ],
    }


def curves(
    task: Task, cells: Mapping[str, Cell], grouping: Grouping, training: tuple[int, ...] = ()
) -> Spec | None:
    """The mean over runs by length or another grouping, with its 95 % interval, of the first entries; None without any.

    training:  the least and the greatest length that models are trained on, to be filled
    """
    drawn = [*cells][:MOST_LINES]
    values = [point for name in drawn for point in _points(name, cells[name], grouping)]
    if not values:
        return None
    nats = task.headline in LOWER_IS_BETTER
    title = "excess, nats a symbol" if nats else f"{grouping.value}, %"
    scale: dict[str, Any] = {} if nats else {"domain": [0, 100]}
    across = {"field": "group", "type": "quantitative", "title": grouping.title, "scale": {"zero": False}}
    colour = {
        "field": "model",
        "type": "nominal",
        "title": None,
        "scale": {"domain": drawn, "range": [*COLOURS[:-1], GREY]},
        "legend": {"orient": "bottom", "columns": 3, "labelLimit": 260},
    }
    height = {"type": "quantitative", "title": title, "scale": scale}
    return {
        "width": "container",
        "height": HEIGHT,
        "layer": [
            *_filled(training),
            {
                "data": {"values": values},
                "encoding": {"x": across, "color": colour},
                "layer": [
                    {
                        "mark": {"type": "area", "opacity": 0.18},
                        "encoding": {"y": {"field": "lower", **height}, "y2": {"field": "upper"}},
                    },
                    {
                        "mark": {"type": "line", "point": {"size": 24}, "tooltip": True},
                        "encoding": {"y": {"field": "mean", **height}},
                    },
                ],
            },
        ],
    }


def _points(name: str, cell: Cell, grouping: Grouping) -> Iterator[dict[str, Any]]:
    if not cell.record["runs"][0].get(grouping.breakdown):
        return
    factor = 1 if cell.whole.lower_is_better else 100
    for group, found in grouping.means(cell.record["runs"]).items():
        if isfinite(found.value) and not isinstance(group, str):
            ends = {"mean": found.value, "lower": found.lower, "upper": found.upper}
            yield {
                "model": name,
                "group": group,
                **{end: round(factor * value, 3) for end, value in ends.items()},
            }


def _filled(training: tuple[int, ...]) -> Iterator[Spec]:
    if not training:
        return
    low, high = training
    data = {"values": [{"low": low, "high": high, "text": f"training lengths {low}-{high}"}]}
    where = {"field": "low", "type": "quantitative"}
    yield {
        "data": data,
        "mark": {"type": "rect", "color": GREY, "opacity": 0.12},
        "encoding": {"x": where, "x2": {"field": "high"}},
    }
    yield {
        "data": data,
        "mark": {"type": "text", "align": "left", "baseline": "bottom", "dx": 2, "dy": -3, "color": GREY},
        "encoding": {"x": where, "y": {"value": 0}, "text": {"field": "text"}},
    }
