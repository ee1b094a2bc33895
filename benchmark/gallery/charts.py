"""What all pictures share: formats, colours, sizes of type. One specification gives page, bitmap and vector formats."""

from io import StringIO
from pathlib import Path
from typing import Any

import altair as alt

from marnn_bench.errors import UsageError

SUFFIXES = (".html", ".pdf", ".png", ".svg")

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe & Ito's palette, which the colour-blind can tell apart, without its yellow, which is faint on white."""

GREY = "#666666"

OPTIONS: dict[str, dict[str, Any]] = {".html": {"inline": True}, ".png": {"ppi": 144}}


def check_suffix(path: Path) -> None:
    """UsageError unless a picture can be written under this name."""
    if path.suffix not in SUFFIXES:
        raise UsageError(
            f"No picture can be written as {path.name}; end its name with {', '.join(SUFFIXES)}."
        )


Chart = alt.VConcatChart | alt.HConcatChart | alt.ConcatChart


def save(chart: Chart, path: Path) -> None:
    """Write a chart in our style; a page holds all that it needs."""
    check_suffix(path)
    _styled(chart).save(path, **OPTIONS.get(path.suffix, {}))


def as_svg(chart: Chart) -> str:
    """A chart in our style as the text of an SVG file."""
    text = StringIO()
    _styled(chart).save(text, format="svg")
    return text.getvalue()


def _styled(chart: Chart) -> Chart:
    styled: Chart = (
        chart.configure_axis(
            labelFontSize=13, titleFontSize=14, titleFontWeight="normal", gridColor="#e6e6e6"
        )
        .configure_title(fontSize=17, subtitleFontSize=13, subtitleColor=GREY, anchor="start", offset=12)
        .configure_legend(labelFontSize=13, labelLimit=500, symbolSize=120, symbolOpacity=1, orient="bottom")
        .configure_view(stroke=None)
    )
    return styled
