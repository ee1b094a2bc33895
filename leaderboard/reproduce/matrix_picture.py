"""Models on tasks as a picture: a row for each model, a column for each task, lighter where the median is higher."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import altair as alt

from marnn_bench.gallery.charts import save
from marnn_bench.leaderboard.reproduce.matrix import named, said
from marnn_bench.leaderboard.reproduce.picture import LIGHT, SCHEME
from marnn_bench.scoring.metrics import Record

CELL: Final = (66, 26)
"""Width and height of a cell, in pixels."""


def draw(record: Record, path: Path) -> None:
    """Write the picture of a matrix's record."""
    models, tasks = named(record, "model"), named(record, "task")
    base = alt.Chart(
        alt.InlineData(values=[*_cells(record)]), width=alt.Step(CELL[0]), height=alt.Step(CELL[1])
    ).encode(
        x=alt.X(
            "task:N", sort=tasks, axis=alt.Axis(title=None, orient="top", labelAngle=-30, labelLimit=220)
        ),
        y=alt.Y("model:N", sort=models, axis=alt.Axis(title=None, labelLimit=220)),
    )
    colour = alt.Color(
        "median:Q",
        scale=alt.Scale(domain=[0, 100], scheme=SCHEME),
        legend=alt.Legend(title="median over runs, %", gradientLength=300, direction="horizontal"),
    )
    numbers = base.mark_text(fontSize=11).encode(
        text="said:N",
        color=alt.condition(f"datum.median < {LIGHT}", alt.value("white"), alt.value("black")),
    )
    title = alt.TitleParams(
        f"{record['source']}: median of the headline metric, percent (runs that solve the task)",
        subtitle=f"{record['options']['runs']} runs of each; empty: the model cannot be trained on the task",
    )
    chart = alt.layer(base.mark_rect().encode(color=colour), numbers)
    save(alt.concat(chart, title=title), path)


def _cells(record: Record) -> Iterator[dict[str, Any]]:
    for row in record["rows"]:
        ours = row["ours"]
        yield {
            "model": row["model"],
            "task": row["task"],
            "median": 100 * ours["median"],
            "said": said(ours),
        }
