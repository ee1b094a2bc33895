"""Lengths and depths of the strings of a task as a picture, one colour a split (Suzgun et al. 2019, Figure 2)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
from numpy.typing import NDArray

from marnn_bench.gallery.charts import COLOURS, save

TITLES = {"length": "length of the string", "depth": "most symbols owed at once", "n": "n"}
WIDTH, HEIGHT = 320, 200

Numbers = NDArray[Any]


def plot_distributions(title: str, splits: Mapping[str, Mapping[str, Numbers]], path: Path) -> None:
    """Write the picture: for each column such as `length`, the share of each split's strings by value.

    splits: for each split and column, a number for each of its strings
    """
    columns = [name for name in TITLES if all(name in numbers for numbers in splits.values())]
    panels = [_panel(name, {split: numbers[name] for split, numbers in splits.items()}) for name in columns]
    save(alt.hconcat(*panels, spacing=30, title=title), path)


def _panel(column: str, numbers: Mapping[str, Numbers]) -> alt.Chart:
    points = []
    for split, values in numbers.items():
        found, counts = np.unique(values, return_counts=True)
        points += [
            {"split": split, "value": int(value), "share": float(100 * count / len(values))}
            for value, count in zip(found, counts, strict=True)
        ]
    colour = alt.Color("split:N", title=None, sort=list(numbers), scale=alt.Scale(range=COLOURS))
    panel: alt.Chart = (
        alt.Chart(alt.InlineData(values=points))
        .mark_bar(width=3, opacity=0.75)
        .encode(
            x=alt.X(
                "value:Q", title=TITLES[column], scale=alt.Scale(domainMin=0), axis=alt.Axis(tickMinStep=1)
            ),
            y=alt.Y("share:Q", title="strings, %", stack=None),
            color=colour,
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    return panel
