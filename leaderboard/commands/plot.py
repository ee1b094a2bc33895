"""marnn-bench plot"""

from pathlib import Path
from typing import Final

import click

from marnn_bench.commands.output import note
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.gallery.charts import Chart, check_suffix, save
from marnn_bench.leaderboard.boards import Board, make_boards
from marnn_bench.leaderboard.pictures.curves import chart_of
from marnn_bench.leaderboard.pictures.first_errors import first_errors
from marnn_bench.leaderboard.pictures.groupings import GROUPINGS, find_grouping
from marnn_bench.leaderboard.pictures.models_on_tasks import models_on_tasks
from marnn_bench.leaderboard.results import read_result
from marnn_bench.scoring.metrics import LOWER_IS_BETTER

FOLDER = click.Path(path_type=Path)

FIRST_ERROR: Final = "first-error"
TASK: Final = "task"


@click.command()
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=FOLDER)
@click.option(
    "--by",
    type=click.Choice([*GROUPINGS, FIRST_ERROR, TASK]),
    default="length",
    show_default=True,
    help="What strings are told apart by; first-error: where they go wrong; task: models on tasks.",
)
@click.option(
    "--out",
    metavar="FILE",
    type=FOLDER,
    default=Path("accuracy.png"),
    show_default=True,
    help="The picture: .png, .svg, .html or .pdf.",
)
def plot(results: tuple[Path, ...], by: str, out: Path) -> None:
    """Draw results.

    RESULT is a folder that `marnn-bench eval` wrote, or one with such folders below it. One panel a task; a line for each
    model with its 95 % interval, over runs where there are several. By length, the lengths of training are shaded.
    """
    check_suffix(out)
    boards = make_boards([read_result(folder) for path in results for folder in result_folders(path)])
    save(_chart(boards, by), out)
    note(f"{out} written.")


def _chart(boards: list[Board], by: str) -> Chart:
    if by == TASK:
        return models_on_tasks(boards)
    if by == FIRST_ERROR:
        if unasked := [board.task for board in boards if board.headline in LOWER_IS_BETTER]:
            raise UsageError(
                f"{unasked[0]} is language modelling, where nothing is right or wrong: leave that out."
            )
        return first_errors(boards)
    return chart_of(boards, find_grouping(by, [result for board in boards for result in board.ours.values()]))
