"""Where models go wrong first: the share of strings that have gone wrong by each symbol, one panel a task.

Answers behind the first wrong one do not count, so that a line can only rise; it ends at the share of strings with an error.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import altair as alt
import numpy as np
import pyarrow.parquet as pq

from marnn_bench.evaluation.records import SAMPLES
from marnn_bench.gallery.charts import COLOURS
from marnn_bench.leaderboard.boards import Board
from marnn_bench.leaderboard.results import Result
from marnn_bench.store.arrow import numbers, open_file

PANEL: Final = (640, 240)
"""Width and height, in pixels."""


def first_errors(boards: Sequence[Board]) -> alt.VConcatChart:
    """The picture of our results: a line for each model, over all of its runs."""
    chart: alt.VConcatChart = alt.vconcat(*(_panel(board) for board in boards if board.ours), spacing=40)
    return chart


def _panel(board: Board) -> alt.Chart:
    points = [{"model": model, **point} for model, result in board.ours.items() for point in _points(result)]
    title = alt.TitleParams(
        f"{board.name}, {board.split}: where the first error is",
        subtitle="percent of the strings of all runs with an error up to there",
    )
    chart: alt.Chart = (
        alt.Chart(alt.InlineData(values=points), width=PANEL[0], height=PANEL[1], title=title)
        .mark_line(interpolate="step-after", strokeWidth=2)
        .encode(
            x=alt.X("place:Q", title="answer, counted from 1", scale=alt.Scale(nice=False)),
            y=alt.Y("percent:Q", title="strings gone wrong, %", scale=alt.Scale(domain=[0, 100])),
            color=alt.Color(
                "model:N",
                title=None,
                scale=alt.Scale(domain=[*board.ours], range=COLOURS),
                legend=alt.Legend(),
            ),
            tooltip=["model:N", "place:Q", alt.Tooltip("percent:Q", format=".2f")],
        )
    )
    return chart


def _points(result: Result) -> Iterator[dict[str, Any]]:
    """How many percent of the strings have gone wrong by answer 1, 2, ..., up to the last first error."""
    with open_file(result.folder / SAMPLES) as file:
        found = numbers(pq.read_table(file, columns=["first_error"])["first_error"])
    counts = np.bincount(found[found >= 0], minlength=1)
    for place, share in enumerate(np.cumsum(counts) / max(1, len(found)), 1):
        yield {"place": place, "percent": 100 * float(share)}
