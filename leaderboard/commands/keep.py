"""marnn-bench leaderboard keep"""

import shlex
from pathlib import Path

import click

from marnn_bench.commands.output import note, suggest
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.leaderboard.standings.kept import keep as write
from marnn_bench.rescoring.rescore import believe

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=FOLDER)
@click.option("--out", type=FOLDER, required=True, help="The folder of results to add to.")
@click.option("--command", metavar="TEXT", help="What made them, where that is not what they say.")
def keep(results: tuple[Path, ...], out: Path, command: str | None) -> None:
    """Add results of the maintainers to a leaderboard, without their samples.

    RESULT is a folder that `marnn-bench eval` wrote, or one with such folders below it; each is scored again before it
    is believed. OUT gets MODEL/TASK/SPLIT/result.json: the figures of each run and its accuracy by length, what made it,
    and the sha256 of the samples that all of it follows from.
    """
    words = shlex.split(command) if command else None
    folders = [folder for path in results for folder in result_folders(path)]
    for folder in folders:
        try:
            write(believe(folder).record, out, words)
        except FileExistsError as error:
            raise UsageError(f"{error.filename} is there: a model has one result of each split.") from None
    size = sum(path.stat().st_size for path in out.rglob("*.json"))
    note(f"{len(folders)} results added; {out} has {size / 1e6:.1f} MB.")
    suggest(("leaderboard", "show", "--results", out.parent))
