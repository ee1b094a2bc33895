"""`marnn-bench leaderboard` and `marnn-bench compare`."""

from collections.abc import Sequence
from pathlib import Path

import click

from marnn_bench.commands.hints import HintedGroup
from marnn_bench.commands.output import format_option, note, show, suggest
from marnn_bench.commands.selection import task_option
from marnn_bench.errors import CheckFailed, UsageError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.leaderboard.boards import Board, make_boards
from marnn_bench.leaderboard.comparison import compare_results
from marnn_bench.leaderboard.difference import FEWEST_RUNS
from marnn_bench.leaderboard.results import read_result
from marnn_bench.leaderboard.tables import board_table, board_text, comparison_table, comparison_text
from marnn_bench.scoring.metrics import LOWER_IS_BETTER
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
        from marnn_bench.leaderboard.picture import draw

        check_suffix(plot)
    found = [read_result(folder) for path in results for folder in result_folders(path)]
    boards = make_boards(found, tasks)
    if plot:
        if not any(board.ours for board in boards):
            raise UsageError("--plot draws results: give a result folder of this task.")
        if unbounded := [board.task for board in boards if board.headline in LOWER_IS_BETTER]:
            raise UsageError(f"--plot draws shares, not the nats of {unbounded[0]}: leave that out.")
        draw(boards, plot)
        note(f"{plot} written.")
    text = "\n\n".join(map(board_text, boards))
    show(style, text, [board.record() for board in boards], [*map(board_table, boards)])
    suggest(_next(boards))


@click.command()
@click.argument("a", type=FOLDER)
@click.argument("b", type=FOLDER)
@click.option("--fail-if-worse", is_flag=True, help="Exit with 1 if B is significantly worse than A.")
@format_option
def compare(a: Path, b: Path, fail_if_worse: bool, style: str) -> None:
    """Test whether two results differ.

    A and B are folders that `marnn-bench eval` wrote, of any models on the same strings. Single runs are judged by
    McNemar's exact test, which speaks of these two runs only; results of five or more runs each by the 95 % interval of
    the difference of their means and a permutation test of the runs. There is no verdict on other numbers of runs.
    """
    comparison = compare_results(read_result(a), read_result(b))
    if fail_if_worse and comparison.verdict == "no verdict":
        raise UsageError(
            f"--fail-if-worse needs a verdict, but {comparison.how_many_runs}. Give one run of each, or at least "
            f"{FEWEST_RUNS}: `marnn-bench train MODEL --runs {FEWEST_RUNS}`, then `marnn-bench eval`."
        )
    show(style, comparison_text(comparison), comparison.record(), [comparison_table(comparison)])
    if fail_if_worse and comparison.verdict == "A is better":
        raise CheckFailed(f"{b} is significantly worse than {a}.")
    suggest(("leaderboard", "show", a, b))


def _next(boards: Sequence[Board]) -> tuple[object, ...]:
    """The command that follows: results on the same strings can be compared."""
    folders = [[result.folder for result in board.ours.values()] for board in boards if board.ours]
    if pair := next((found for found in folders if len(found) > 1), None):
        return ("compare", pair[0], pair[1])
    if folders:
        return ("leaderboard", "show", folders[0][0], "--plot", "accuracy.html")
    return ("eval", "my_model.py", "--task", boards[0].task)
