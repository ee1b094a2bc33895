"""marnn-bench report"""

from pathlib import Path

import click

from marnn_bench.commands.output import note
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.leaderboard.boards import make_boards
from marnn_bench.leaderboard.report.page import page
from marnn_bench.leaderboard.results import read_result
from marnn_bench.store.manifest import write_text

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=FOLDER)
@click.option(
    "--out", metavar="FILE", type=FOLDER, default=Path("report.html"), show_default=True, help="The page."
)
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
def report(results: tuple[Path, ...], out: Path, overwrite: bool) -> None:
    """Write results as one page of HTML that needs nothing else.

    RESULT is a folder that `marnn-bench eval` wrote, or one with such folders below it. The page has the figures with
    their intervals beside trivial answers and published ones, pictures by length, depth and place of the first error,
    the shortest strings that the median run has wrong, and what was asked how.
    """
    if out.exists() and not overwrite:
        raise UsageError(f"{out} is there. Choose another --out, or replace it with --overwrite.")
    found = [read_result(folder) for path in results for folder in result_folders(path)]
    write_text(out, page(make_boards(found)))
    note(f"{out} written: {len(found)} {'results' if len(found) > 1 else 'result'}.")
