"""A trace as a picture: the weights of the actions above, what the memory holds below them, the answers at the bottom.

After Figures 3 and 4 of Suzgun et al. 2019 and Table 3 of Joulin & Mikolov 2015. Steps go from left to right.
"""

import json
from collections.abc import Iterator, Sequence
from math import isnan
from pathlib import Path

import altair as alt
import numpy as np

from marnn_bench.baselines.traces.recording import MemoryTrace, Numbers, Trace
from marnn_bench.gallery.charts import GREY, save

SQUARE = 32
"""The width of a step, and the height of a row."""

FEW = 5
"""Numbers of a cell, each of which is a row; of a wider cell they are stripes of"""

STRIPE = 5
"""so many pixels, without the numbers in print."""

FAINT = 0.01
"""Of the largest number in a memory: what changes by less cannot be seen."""

SHARE = alt.Scale(domain=[0, 1], range=["#ffffff", "#08519c"], interpolate="rgb")
"""The colours of what lies between 0 and 1."""


def draw(trace: Trace, title: str, path: Path) -> None:
    """Write the picture: .html, .pdf, .png or .svg."""
    panels = [panel for memory in trace.memories for panel in _of_memory(trace, memory)]
    if not panels:
        units = [f"{number + 1}" for number in range(trace.features.shape[1])]
        panels = [_panel(trace.symbols, units, trace.features, "hidden unit", _around_zero(trace.features))]
    panels.append(_panel(trace.symbols, trace.columns, trace.scores, "answer", SHARE))
    chart = alt.vconcat(*panels, spacing=12, title=title)
    save(chart.resolve_scale(color="independent"), path)


def _of_memory(trace: Trace, memory: MemoryTrace) -> Iterator[alt.LayerChart]:
    of = f" {memory.name}" if memory.name else ""
    yield _panel(trace.symbols, memory.actions, memory.weights, f"action{of}", SHARE)
    names, rows = _rows(memory)
    colours = SHARE if memory.strengths else _around_zero(rows)
    height = SQUARE if memory.cells.shape[2] <= FEW else STRIPE
    yield _panel(trace.symbols, names, rows, f"{'item' if memory.strengths else 'cell'}{of}", colours, height)


def _rows(memory: MemoryTrace) -> tuple[list[str], Numbers]:
    """A row for each number of each cell, down to the last that changes, named after its cell, 0 being read first: [step, row]"""
    steps, cells, width = memory.cells.shape
    names = [
        f"{cell - memory.head}" + (f".{number + 1}" if 1 < width <= FEW else "")
        if width <= FEW or number == width // 2
        else ""
        for cell in range(cells)
        for number in range(width)
    ]
    rows = memory.cells.reshape(steps, -1)
    used = np.nanmax(rows, 0) - np.nanmin(rows, 0) > FAINT * np.nanmax(np.abs(rows))
    used[memory.head * width : (memory.head + 1) * width] = True
    last = (int(np.flatnonzero(used).max()) // width + 1) * width
    return names[:last], rows[:, :last]


def _around_zero(rows: Numbers) -> alt.Scale:
    """Blue above 0, red below."""
    most = float(np.nanmax(np.abs(rows))) or 1.0
    return alt.Scale(domain=[-most, 0, most], range=["#b2182b", "#ffffff", "#2166ac"], interpolate="rgb")


def _panel(
    symbols: Sequence[str],
    names: Sequence[str],
    rows: Numbers,
    title: str,
    colours: alt.Scale,
    height: int = SQUARE,
) -> alt.LayerChart:
    """Rows of squares, or of stripes if they are not so high: [step, row]"""
    places = [f"{place} {name}" for place, name in enumerate(names)]
    points = [
        {"step": step, "symbol": symbols[step], "row": places[row], "value": round(value, 4)}
        for step, values in enumerate(rows.tolist())
        for row, value in enumerate(values)
        if not isnan(value)
    ]
    spelled = alt.Axis(
        labelExpr=f"{json.dumps([*symbols])}[datum.value]",
        labelAngle=0,
        title=None,
        orient="top",
        domain=False,
        ticks=False,
    )
    named = alt.Axis(
        labelExpr="slice(datum.value, indexof(datum.value, ' ') + 1)", title=title, domain=False, ticks=False
    )
    base = alt.Chart(alt.InlineData(values=points)).encode(
        x=alt.X("step:O", axis=spelled, scale=alt.Scale(domain=[*range(len(symbols))])),
        y=alt.Y("row:O", axis=named, sort=places, scale=alt.Scale(domain=places)),
        tooltip=["symbol:N", alt.Tooltip("value:Q", title=title)],
    )
    rim = 0.5 if height == SQUARE else 0.0
    squares = base.mark_rect(stroke="#dddddd", strokeWidth=rim).encode(
        color=alt.Color("value:Q", scale=colours, legend=None)
    )
    most = max(map(abs, colours.domain))
    numbers = base.mark_text(fontSize=11).encode(
        text=alt.Text("value:Q", format=".2f"),
        color=alt.condition(abs(alt.datum.value) > 0.6 * most, alt.value("white"), alt.value(GREY)),
    )
    layers = [squares, numbers] if height == SQUARE else [squares]
    return alt.LayerChart(layer=layers, width=SQUARE * len(symbols), height=height * len(names))
