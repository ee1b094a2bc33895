"""marnn-bench leaderboard"""

from collections.abc import Sequence
from pathlib import Path

import click

from marnn_bench.commands.hints import HintedGroup
from marnn_bench.commands.output import format_option, note, show, suggest
from marnn_bench.commands.selection import task_option
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.leaderboard.boards import Board, make_boards
from marnn_bench.leaderboard.results import read_result
from marnn_bench.leaderboard.tables import board_table, board_text
from marnn_bench.tasks.registry import find_tasks

FOLDER = click.Path(path_type=Path)


@click.group(cls=HintedGroup)
def leaderboard() -> None:
    """Compare results with published ones."""


@leaderboard.command("show")
@click.argument("results", metavar="RESULT...", nargs=-1, type=FOLDER)
@task_option("Only these tasks or suites; without a RESULT, their published rows alone.")
@click.option(
    "--plot", metavar="FILE", type=FOLDER, help="Draw accuracy by length: .png, .svg, .html or .pdf."
)
@format_option
def show_board(results: tuple[Path, ...], names: tuple[str, ...], plot: Path | None, style: str) -> None:
    """Show results beside the published rows of their tasks.

    RESULT is a folder that `marnn-bench eval` wrote, or one with such folders below it. Published numbers are of the
    paper's own strings and runs, ours of the strings named above the table.
    """
    tasks = [task.name for task in find_tasks(names)]
    if not (results or tasks):
        raise UsageError("Give a result folder, or --task NAME for its published rows.")
    if plot:
        from marnn_bench.gallery.charts import check_suffix
        from marnn_bench.leaderboard.pictures.curves import draw

        check_suffix(plot)
    found = [read_result(folder) for path in results for folder in result_folders(path)]
    boards = make_boards(found, tasks)
    if plot:
        if not any(board.ours for board in boards):
            raise UsageError("--plot draws results: give a result folder of this task.")
        draw(boards, plot)
        note(f"{plot} written.")
    text = "\n\n".join(map(board_text, boards))
    show(style, text, [board.record() for board in boards], [*map(board_table, boards)])
    suggest(_next(boards))


def _next(boards: Sequence[Board]) -> tuple[object, ...]:
    """The command that follows: results on the same strings can be compared."""
    folders = [[result.folder for result in board.ours.values()] for board in boards if board.ours]
    if pair := next((found for found in folders if len(found) > 1), None):
        return ("compare", pair[0], pair[1])
    if folders:
        return ("leaderboard", "show", folders[0][0], "--plot", "accuracy.html")
    return ("eval", "my_model.py", "--task", boards[0].task)
