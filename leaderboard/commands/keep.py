"""marnn-bench leaderboard keep"""

import shlex
from pathlib import Path

import click

from marnn_bench.commands.output import note, suggest
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.leaderboard.standings.kept import keep as write
from marnn_bench.leaderboard.standings.kept import place
from marnn_bench.rescoring.rescore import believe

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=FOLDER)
@click.option("--out", type=FOLDER, required=True, help="The folder of results to add to.")
@click.option("--command", metavar="TEXT", help="What made them, where that is not what they say.")
def keep(results: tuple[Path, ...], out: Path, command: str | None) -> None:
    """Add results of the maintainers to a leaderboard, without their samples.

    RESULT is a folder that `marnn-bench eval` wrote, or one with such folders below it; each is scored again before it
    is believed, and all are added or none. OUT gets MODEL/TASK/SPLIT/result.json: the figures of each run and its
    accuracy by length, what made it, and the sha256 of the samples that all of it follows from.
    """
    words = shlex.split(command) if command else None
    folders = [folder for path in results for folder in result_folders(path)]
    records = [believe(folder).record for folder in folders]
    places = [place(record, out) for record in records]
    for path in places:  # before anything is written
        if path.exists() or places.count(path) > 1:
            there = "there" if path.exists() else "to be written twice"
            raise UsageError(f"{path} is {there}: a model has one result of each split.")
    for record in records:
        write(record, out, words)
    size = sum(path.stat().st_size for path in out.rglob("*.json"))
    note(f"{len(folders)} results added; {out} has {size / 1e6:.1f} MB.")
    suggest(("leaderboard", "show", "--results", out.parent))
