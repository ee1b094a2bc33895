"""Lengths and depths of the strings of a task as a picture, one colour a split (Suzgun et al. 2019, Figure 2)."""

from collections.abc import Iterator
from itertools import count, pairwise
from pathlib import Path

import altair as alt
import numpy as np
from numpy.typing import NDArray

from marnn_bench.gallery.charts import COLOURS, save
from marnn_bench.gallery.description import Splits

TITLES = {
    "length": ("length of the string", "strings of a length, %"),
    "depth": ("most symbols owed at once", "strings of a depth, %"),
}
WIDTH, SPACING, HEIGHT, LOW_HEIGHT = 320, 30, 200, 140

MOST_BARS, BINS = 60, 30
"""More values than that are put into bins, at most so many."""

FAR_APART = 4
"""Splits whose longest strings differ by more than this factor get axes of their own: in one, the shorter were a line."""

Numbers = NDArray[np.int64]


def plot_distributions(title: str, splits: Splits, path: Path) -> None:
    """Write the picture: for each column, how many of a split's strings have a value.

    Splits share their axes, except where one of them would be small or hidden behind another.
    """
    columns = ["length", *(["depth"] if _varies(splits, "depth") else [])]
    ends = sorted((int(numbers["length"].min()), int(numbers["length"].max())) for numbers in splits.values())
    far = max(ends)[1] > FAR_APART * min(high for _, high in ends)
    hidden = any(low <= before for (_, before), (low, _) in pairwise(ends))
    rows = [{name: numbers} for name, numbers in splits.items()] if far or hidden else [splits]
    size = {
        "width": WIDTH if len(columns) > 1 else 2 * WIDTH + SPACING,
        "height": LOW_HEIGHT if len(rows) > 1 else HEIGHT,
    }
    panels = [
        [_panel(column, row, row if far else splits).properties(**size) for column in columns] for row in rows
    ]
    if len(rows) > 1:
        titles = [alt.TitleParams(name, fontSize=14, offset=4) for name in splits]
        lines = [alt.hconcat(*row, title=name) for row, name in zip(panels, titles, strict=True)]
        save(alt.vconcat(*lines, title=title), path)
    else:
        alone = f", {next(iter(splits))}" if len(splits) == 1 else ""
        save(alt.hconcat(*panels[0], spacing=SPACING, title=title + alone), path)


def _varies(splits: Splits, column: str) -> bool:
    """Whether all splits have the column, with several values; the strings of a regular language are all of depth 0."""
    found = [numbers[column] for numbers in splits.values() if column in numbers]
    return len(found) == len(splits) and len(np.unique(np.concatenate(found))) > 1


def _panel(column: str, splits: Splits, scale: Splits) -> alt.Chart:
    """Bars of some splits, with room for those that give the scale; a split alone needs no legend."""
    values = {split: numbers[column].astype(np.int64) for split, numbers in splits.items()}
    step, width = _steps(np.unique(np.concatenate([*values.values()])))
    bars = [{"split": split, **bar} for split in values for bar in _bars(values[split], step, width)]
    low = min(int(numbers[column].min()) for numbers in scale.values()) - step / 2
    reach = max(int(numbers[column].max()) for numbers in scale.values()) + step / 2
    legend = alt.Legend(title=None) if len(splits) > 1 else None
    colours = alt.Scale(domain=[*scale], range=COLOURS)
    across, upwards = TITLES[column]
    whole = alt.Axis(tickMinStep=1, grid=False, labelOverlap=True, labelSeparation=4)
    panel: alt.Chart = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(opacity=0.75, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X(
                "from:Q", title=across, scale=alt.Scale(domain=[min(0, low), reach], nice=False), axis=whole
            ),
            x2="to:Q",
            y=alt.Y("share:Q", title=upwards, stack=None, axis=alt.Axis(tickCount=5)),
            y2=alt.datum(0),
            color=alt.Color("split:N", legend=legend, scale=colours),
        )
    )
    return panel


def _steps(values: Numbers) -> tuple[int, int]:
    """What lies between neighbouring values, and how many integers a bar covers: as many, or a round multiple.

    >>> _steps(np.arange(2, 100, 2)), _steps(np.arange(2, 960, 2))
    ((2, 2), (2, 40))
    """
    step = int(np.gcd.reduce(np.diff(values))) if len(values) > 1 else 1
    if len(values) <= MOST_BARS:
        return step, step
    steps = int(values[-1] - values[0]) // step
    return step, step * next(10**e * k for e in count() for k in (1, 2, 5) if steps < BINS * 10**e * k)


def _bars(values: Numbers, step: int, width: int) -> Iterator[dict[str, float]]:
    """Bars around the values, and as high as the mean share of a value, so that a last one which is cut tells no lie."""
    low, high = int(values.min()), int(values.max())
    for group, strings in enumerate(np.bincount((values - low) // width)):
        if strings:
            begin = low + group * width
            end = min(begin + width, high + step)
            share = 100 * int(strings) / len(values) * step / (end - begin)
            yield {"from": begin - step / 2, "to": end - step / 2, "share": share}
