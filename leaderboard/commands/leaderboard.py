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
from marnn_bench.leaderboard.commands.hidden import answer, commit_hidden, show_key
from marnn_bench.leaderboard.commands.keep import keep
from marnn_bench.leaderboard.commands.site import build
from marnn_bench.leaderboard.commands.submissions import validate
from marnn_bench.leaderboard.results import read_result
from marnn_bench.leaderboard.standings.entries import RANKED, Standing
from marnn_bench.leaderboard.standings.groups import KINDS, SUITE, Kind, groups
from marnn_bench.leaderboard.standings.rankings import rank
from marnn_bench.leaderboard.standings.tables import numbers_table, ranking_table, rankings_text
from marnn_bench.leaderboard.tables import board_table, board_text
from marnn_bench.leaderboard.validation.boards import read_board
from marnn_bench.tasks.registry import find_tasks

FOLDER = click.Path(path_type=Path)


@click.group(cls=HintedGroup)
def leaderboard() -> None:
    """Compare results with published ones."""


leaderboard.add_command(validate)
leaderboard.add_command(build)
leaderboard.add_command(keep)
leaderboard.add_command(commit_hidden)
leaderboard.add_command(answer)
leaderboard.add_command(show_key)


@leaderboard.command("show")
@click.argument("results", metavar="RESULT...", nargs=-1, type=FOLDER)
@task_option("Only these tasks or suites; without a RESULT, their published rows alone.")
@click.option("--results", "board", metavar="DIR", type=FOLDER, help="Rank the entries below a folder.")
@click.option(
    "--by",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="With --results: which tables, repeatable.  [default: all]",
)
@click.option(
    "--rank-all", is_flag=True, help="With --results: rank entries whose makers nobody watched, too."
)
@click.option(
    "--plot", metavar="FILE", type=FOLDER, help="Draw accuracy by length: .png, .svg, .html or .pdf."
)
@format_option
def show_board(
    results: tuple[Path, ...],
    names: tuple[str, ...],
    board: Path | None,
    kinds: tuple[Kind, ...],
    rank_all: bool,
    plot: Path | None,
    style: str,
) -> None:
    """Show results beside the published rows of their tasks.

    RESULT is a folder that `marnn-bench eval` wrote, or one with such folders below it. Published numbers are of the
    paper's own strings and runs, ours of the strings named above the table.

    With --results, rank the models that have results below DIR by their scores above trivial answers: over a suite
    (--task; by default core), by class of languages, by view, and by task.
    """
    if board:
        if results or plot:
            raise UsageError("--results ranks what is below its folder: leave out RESULT and --plot.")
        _show_rankings(board, names, kinds, rank_all, style)
        return
    if kinds or rank_all:
        raise UsageError("--by and --rank-all are of the ranking: give --results DIR, too.")
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


def _show_rankings(
    folder: Path, names: Sequence[str], kinds: Sequence[Kind], rank_all: bool, style: str
) -> None:
    entries = read_board(folder)
    if not entries:
        raise UsageError(
            f"{folder} holds no result of a task's default split. `marnn-bench eval` writes results."
        )
    chosen = groups(names[0] if len(names) == 1 else names or SUITE, kinds or KINDS)
    if not kinds and all(len(group.tasks) == 1 for group in chosen):  # of one task all tables are the same
        chosen = chosen[-1:]
    rankings = [rank(entries, group, tuple(Standing) if rank_all else RANKED) for group in chosen]
    found = [ranking for ranking in rankings if ranking.lines]
    if not found:
        raise UsageError(f"{folder} has no result of these tasks. Name others with --task.")
    tables = [numbers_table(found)] if style == "csv" else [*map(ranking_table, found)]
    show(style, rankings_text(found), [ranking.record() for ranking in found], tables)


def _next(boards: Sequence[Board]) -> tuple[object, ...]:
    """The command that follows: results on the same strings can be compared."""
    folders = [[result.folder for result in board.ours.values()] for board in boards if board.ours]
    if pair := next((found for found in folders if len(found) > 1), None):
        return ("compare", pair[0], pair[1])
    if folders:
        return ("leaderboard", "show", folders[0][0], "--plot", "accuracy.html")
    return ("eval", "my_model.py", "--task", boards[0].task)
