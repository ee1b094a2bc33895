"""marnn-bench verify"""

import os
from dataclasses import asdict
from pathlib import Path

import click

from marnn_bench.commands.output import Table, format_option, note, progress, show, suggest
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.verify import verify as verify_folder


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--workers", type=click.IntRange(1), default=os.cpu_count() or 1, help="Threads  [default: all cores]"
)
@format_option
def verify(folder: Path, workers: int, style: str) -> None:
    """Decide every row of generated splits again.

    Every string by the automaton that did not draw it, every row against what its key generates now, every file and
    everything that manifest, receipts and card say against the rows. Ends with 5 if anything differs.
    """
    tasks = read_manifest(folder)["tasks"].values()
    total = sum(split["rows"] for task in tasks for split in task["splits"].values())
    with progress(total, "verify", "row") as bar:
        found = list(verify_folder(folder, workers, bar.update))
    cells = [
        [
            v.task,
            v.split,
            f"{v.rows:,}",
            f"{v.symbols:,}",
            "yes" if v.regenerated else "other version",
            v.digest[:8],
        ]
        for v in found
    ]
    headers = ["task", "split", "rows", "symbols", "anew", "digest"]
    listed = Table(cells, headers, ["left", "left", "right", "right", "left", "left"])
    show(style, str(listed), [asdict(v) for v in found], [listed])
    note(f"All {total:,} rows are right.")
    suggest(("publish", folder, "--repo", "NAME/REPO", "--dry-run"))
