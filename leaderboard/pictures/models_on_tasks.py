"""Results as a heat map: models on tasks."""

from collections.abc import Sequence

import altair as alt

from marnn_bench.commands.output import show_percent
from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.boards import Board
from marnn_bench.leaderboard.pictures.heat_map import HeatCell, heat_map
from marnn_bench.scoring.metrics import LOWER_IS_BETTER

TITLE = "Models on tasks: median of the headline metric over runs, percent"


def shares(boards: Sequence[Board]) -> list[HeatCell]:
    """A cell for each result whose headline is a share."""
    return [
        HeatCell(label, _named(board), 100 * result.spread.median, show_percent(result.spread.median))
        for board in boards
        if board.headline not in LOWER_IS_BETTER
        for label, result in board.ours.items()
    ]


def models_on_tasks(boards: Sequence[Board]) -> alt.ConcatChart:
    """The picture. UsageError where nothing is a share, as nats are not."""
    if not (cells := shares(boards)):
        raise UsageError("No result has shares to compare models by: nats are drawn by length.")
    return heat_map(cells, "median", TITLE, "empty: no result")


def _named(board: Board) -> str:
    return board.task if board.split == "test" else f"{board.task} {board.split}"
