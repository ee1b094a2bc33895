"""Models on tasks as a picture: a row for each model, a column for each task, lighter where a model is better.

The colours differ in lightness too, so that they can be told apart in grey and by the colour-blind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import altair as alt

SCHEME: Final = "cividis"
"""From dark to light, alike to all eyes (Nuñez, Anderton & Renslow 2018)."""

LIGHT: Final = 50
"""From so many percent on, a cell is light and its number dark."""

CELL: Final = (66, 26)
"""Width and height of a cell, in pixels."""

SIGN, MARGIN = 6, 5
"""How far a sign of a slanted name reaches to the right, and what is left free around the picture, in pixels."""


@dataclass(frozen=True)
class HeatCell:
    """A model on a task: a share, in percent, and how it is written."""

    model: str
    task: str
    percent: float
    said: str


def heat_map(cells: Sequence[HeatCell], measure: str, title: str, subtitle: str) -> alt.ConcatChart:
    """The picture; models and tasks in the order in which they come.

    measure:  what the shares are of
    """
    models, tasks = (list(dict.fromkeys(getattr(cell, name) for cell in cells)) for name in ("model", "task"))
    base = alt.Chart(
        alt.InlineData(values=[vars(cell) for cell in cells]),
        width=alt.Step(CELL[0]),
        height=alt.Step(CELL[1]),
    ).encode(
        x=alt.X(
            "task:N", sort=tasks, axis=alt.Axis(title=None, orient="top", labelAngle=-30, labelLimit=220)
        ),
        y=alt.Y("model:N", sort=models, axis=alt.Axis(title=None, labelLimit=220)),
    )
    colour = alt.Color(
        "percent:Q",
        scale=alt.Scale(domain=[0, 100], scheme=SCHEME),
        legend=alt.Legend(title=f"{measure}, %", gradientLength=300, direction="horizontal"),
    )
    numbers = base.mark_text(fontSize=11).encode(
        text="said:N",
        color=alt.condition(f"datum.percent < {LIGHT}", alt.value("white"), alt.value("black")),
    )
    chart = alt.layer(base.mark_rect().encode(color=colour), numbers)
    padding = {"left": MARGIN, "top": MARGIN, "bottom": MARGIN, "right": MARGIN + _overhang(tasks)}
    return alt.concat(chart, title=alt.TitleParams(title, subtitle=subtitle), padding=padding)


def _overhang(tasks: Sequence[str]) -> int:
    """How far the slanted names reach beyond the last column, in pixels; the renderer does not make room for them.

    >>> _overhang(["unary-addition-recognition", "dyck2"]), _overhang(["dyck2"])
    (57, 0)
    """
    ends = [SIGN * len(task) - CELL[0] * (place + 0.5) for place, task in enumerate(reversed(tasks))]
    return max(0, *map(int, ends))
