"""`marnn-bench submit` and `marnn-bench leaderboard validate`."""

from collections.abc import Sequence
from pathlib import Path

import click

from marnn_bench.commands.output import Table, format_option, note, show, suggest
from marnn_bench.errors import DataError, UsageError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.leaderboard.validation.boards import HIDDEN, checked, hidden_splits, submission_folders
from marnn_bench.leaderboard.validation.checking import Submission
from marnn_bench.leaderboard.validation.hidden import read_hidden
from marnn_bench.leaderboard.validation.writing import write_submission
from marnn_bench.visible import visible

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=FOLDER)
@click.option("--name", required=True, help="Of the entry: letters, digits, spaces and . _ + -")
@click.option("--authors", help="Whose it is.")
@click.option("--url", help="Where more is said of it: https://...")
@click.option("--hidden", type=FOLDER, metavar="DIR", help="The hidden splits that it answers.")
@click.option(
    "--out", type=FOLDER, default=Path("submissions"), show_default=True, help="Where its folder goes."
)
def submit(
    results: tuple[Path, ...], name: str, authors: str | None, url: str | None, hidden: Path | None, out: Path
) -> None:
    """Write the folder of a submission to the leaderboard.

    RESULT is a folder that `marnn-bench eval` wrote (or, for hidden splits, `leaderboard answer`), or one with such
    folders below it. They are copied, and checked as `leaderboard validate` does. Send OUT/NAME as a pull request that
    adds it below leaderboard/submissions.
    """
    folders = [folder for path in results for folder in result_folders(path)]
    asked = read_hidden(hidden) if hidden else None
    written = write_submission(folders, out, name, authors=authors, url=url, hidden=asked)
    note(f"{written} is complete: {len(folders)} result{'s' if len(folders) > 1 else ''}.")
    suggest(("leaderboard", "validate", written, *(("--hidden", hidden.parent) if hidden else ())))


@click.command()
@click.argument("folder", metavar="DIR", type=FOLDER)
@click.option(
    "--hidden", type=FOLDER, help="The folder of hidden splits.  [default: DIR/../hidden, if it is there]"
)
@format_option
def validate(folder: Path, hidden: Path | None, style: str) -> None:
    """Check submissions, and compute all their figures again.

    DIR is the folder of a submission, or one with such folders in it. Nothing in them is executed: samples are scored
    against data that is generated anew. Ends with 5 if one of them is refused.
    """
    beside = folder.resolve().parent / HIDDEN
    known = hidden_splits(hidden or beside) if hidden or beside.is_dir() else {}
    folders = submission_folders(folder)
    if not folders:
        raise UsageError(f"{folder} holds no submission. `marnn-bench submit` writes one.")
    found: dict[Path, Submission | str] = {}
    for place in folders:
        try:
            found[place] = checked(place, known)
        except DataError as error:
            found[place] = str(error).removeprefix(f"{place}: ")
    rows = [[visible(place.name), *_cells(outcome)] for place, outcome in found.items()]
    table = Table(rows, ["submission", "standing", "tasks", "outcome"], ["left", "left", "right", "left"])
    records = [dict(zip(("submission", "standing", "tasks", "outcome"), row, strict=True)) for row in rows]
    show(style, "\n".join(_lines(found)), records, [table])
    if refused := [place for place, outcome in found.items() if isinstance(outcome, str)]:
        raise DataError(f"{len(refused)} of {len(found)} refused, such as {visible(str(refused[0]))}.")


def _cells(outcome: Submission | str) -> list[str]:
    if isinstance(outcome, str):
        return ["", "", visible(outcome)]
    return [outcome.entry.standing.value, str(len(outcome.entry.cells)), "as it says"]


def _lines(found: dict[Path, Submission | str]) -> Sequence[str]:
    return [
        f"{visible(str(place))}: refused: {visible(outcome)}"
        if isinstance(outcome, str)
        else f"{visible(str(place))}: {outcome.entry.standing.value}, {_tasks(outcome)}, as it says"
        for place, outcome in found.items()
    ]


def _tasks(found: Submission) -> str:
    count = len(found.entry.cells)
    return f"{count} task{'s' if count > 1 else ''}"
