"""marnn-bench rescore"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from marnn_bench.commands.output import Table, format_option, show, suggest
from marnn_bench.errors import DataError
from marnn_bench.evaluation.records import result_folders
from marnn_bench.rescoring.rescore import Rescored
from marnn_bench.rescoring.rescore import rescore as rescore_folder
from marnn_bench.visible import visible

FOLDER = click.Path(path_type=Path)


@click.command()
@click.argument("results", metavar="RESULT...", nargs=-1, required=True, type=FOLDER)
@click.option("--data", type=FOLDER, help="A folder with the data  [default: made anew]")
@format_option
def rescore(results: tuple[Path, ...], data: Path | None, style: str) -> None:
    """Compute every figure of results again.

    RESULT is a folder that `marnn-bench eval` wrote, or one with such folders below it. All figures are computed from
    samples.parquet and the data, which is generated anew, and compared with result.json; the model is not asked. Ends
    with 5 if anything differs. `leaderboard show` and `compare` do the same before they believe a result.
    """
    folders = [folder for path in results for folder in result_folders(path)]
    found = [_rescored(folder, data) for folder in folders]
    cells = [[visible(str(it.folder)), f"{it.figures:,}", visible(_outcome(it))] for it in found]
    table = Table(cells, ["result", "figures", "outcome"], ["left", "right", "left"])
    records = [asdict(it) | {"folder": str(it.folder)} for it in found]
    show(style, "\n".join(_lines(found)), records, [table])
    if wrong := [it.folder for it in found if it.differing]:
        others = f" and {len(wrong) - 1:,} more" if len(wrong) > 1 else ""
        raise DataError(
            f"{wrong[0]}{others} did not pass: what follows from the samples is another result. "
            "Run `marnn-bench eval` again."
        )
    suggest(("leaderboard", "show", *results))


def _rescored(folder: Path, data: Path | None) -> Rescored:
    """A result scored again; one that is too damaged for that differs in that."""
    try:
        return rescore_folder(folder, data)
    except DataError as error:
        return Rescored(folder, 0, 1, (str(error),))


def _outcome(rescored: Rescored) -> str:
    if not rescored.differing:
        return "as it says"
    return f"{rescored.differing:,} differ" if rescored.figures else "damaged"


def _lines(found: Sequence[Rescored]) -> Iterator[str]:
    """A line for each result; below it what differs."""
    for it in found:
        yield visible(f"{it.folder}: {it.figures:,} figures, {_outcome(it)}")
        yield from (visible(f"  {difference}") for difference in it.differences)
        if more := it.differing - len(it.differences):
            yield f"  and {more:,} more"
