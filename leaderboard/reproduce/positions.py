"""Closing brackets by position, as the figures of Bernardy 2018 have them: a table for each split."""

from collections.abc import Iterator

from marnn_bench.commands.output import Table, show_percent
from marnn_bench.scoring.metrics import Record


def position_tables(record: Record) -> Iterator[tuple[str, Table]]:
    """What each shows, and the table: a line for each model, a column for each position at which a bracket may close.

    >>> row = {"model": "russ", "split": "test_deep", "ours": {"positions": [6, 7], "by_position": [[1.0, 0.5], [1.0, 1.0]]}}
    >>> [(title, table)] = position_tables({"rows": [row]})
    >>> print(table)
    model      6    7
    -------  ---  ---
    russ     100   75
    """
    rows = [row for row in record["rows"] if "by_position" in row["ours"]]
    for split in dict.fromkeys(row["split"] for row in rows):
        of_split = [row for row in rows if row["split"] == split]
        positions = of_split[0]["ours"]["positions"]
        lines = [
            [row["model"], *map(_shown, zip(*row["ours"]["by_position"], strict=True))] for row in of_split
        ]
        table = Table(lines, ["model", *map(str, positions)], ["left", *["right"] * len(positions)])
        yield (
            f"{split}: closing brackets by position, counted from 0, percent, the mean over our runs.",
            table,
        )


def _shown(of_runs: tuple[float, ...]) -> str:
    return show_percent(sum(of_runs) / len(of_runs), 0)
