"""A grid as a picture: for each task and model a map of learning rates and epochs, lighter where more runs solve the task.

The frame is the recipe that the model's table is made by.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from textwrap import wrap
from typing import Any, Final

import altair as alt

from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.gallery.charts import COLOURS, save
from marnn_bench.leaderboard.pictures.heat_map import LIGHT, SCHEME
from marnn_bench.scoring.metrics import Record
from marnn_bench.tasks.registry import find_task

CELL: Final = (30, 22)
"""Width and height of a learning rate and a number of epochs, in pixels."""

LINE: Final = 14
"""So many letters of a model's name stand beside a panel."""


def draw(record: Record, path: Path) -> None:
    """Write the picture of a grid's record: a row of panels for each model, a column for each task."""
    models, tasks = (list(dict.fromkeys(row[name] for row in record["rows"])) for name in ("model", "task"))
    panels = []
    for model, task in product(models, tasks):
        x, y = _axes(record, model if task == tasks[0] else None, lowest=model == models[-1])
        heading = alt.TitleParams(task if model == models[0] else "", fontSize=14, anchor="middle", offset=4)
        panels.append(_map([*_cells(record, model, task)], x, y).properties(title=heading))
    title = alt.TitleParams(
        f"{record['options']['runs']:,} runs of each: percent that solve the task",
        subtitle="a run solves it with 99 % of the test strings right; frame: the recipe of the tables",
    )
    chart = alt.concat(*panels, columns=len(tasks), spacing=12, bounds="flush", title=title)
    save(chart.resolve_scale(color="shared"), path)


def _axes(record: Record, model: str | None, lowest: bool) -> tuple[alt.X, alt.Y]:
    """Learning rates and epochs; written at the lower edge of the whole, and at the left one with the model's name."""
    rates, epochs = ([f"{value:g}" for value in record[name]] for name in ("learning_rates", "epochs"))
    left = bool(model)
    across = alt.Axis(title="learning rate" if lowest else None, labels=lowest, ticks=lowest, labelAngle=-60)
    upwards = alt.Axis(title=[*wrap(model, LINE), "epochs"] if model else None, labels=left, ticks=left)
    return (
        alt.X("rate:N", scale=alt.Scale(domain=rates), axis=across),
        alt.Y("epochs:N", scale=alt.Scale(domain=epochs[::-1]), axis=upwards),
    )


def _map(cells: Sequence[Mapping[str, Any]], x: alt.X, y: alt.Y) -> alt.LayerChart | alt.FacetChart:
    """One panel: colours, numbers, and the frame."""
    colour = alt.Color(
        "solved:Q",
        scale=alt.Scale(domain=[0, 100], scheme=SCHEME),
        legend=alt.Legend(title="runs that solve the task, %", gradientLength=300, direction="horizontal"),
    )
    base = alt.Chart(alt.InlineData(values=cells), width=alt.Step(CELL[0]), height=alt.Step(CELL[1]))
    base = base.encode(x=x, y=y)
    numbers = base.mark_text(fontSize=10).encode(
        text=alt.Text("solved:Q", format=".0f"),
        color=alt.condition(f"datum.solved < {LIGHT}", alt.value("white"), alt.value("black")),
    )
    frame = base.transform_filter("datum.own").mark_rect(fillOpacity=0, stroke=COLOURS[1], strokeWidth=2.5)
    return alt.layer(base.mark_rect().encode(color=colour), numbers, frame)


def _cells(record: Record, model: str, task: str) -> Iterator[dict[str, Any]]:
    recipe = find_baseline(model).recipe_for(find_task(task))
    for row in record["rows"]:
        if (row["model"], row["task"]) == (model, task):
            yield {
                "rate": f"{row['learning_rate']:g}",
                "epochs": f"{row['epochs']:g}",
                "solved": 100 * row["ours"]["solved"]["runs"] / row["ours"]["runs"],
                "own": (row["learning_rate"], row["epochs"]) == (recipe.learning_rate, recipe.epochs),
            }
