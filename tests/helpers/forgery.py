"""Editing generated data as somebody would who does not want it to be seen."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.store.digest import table_digests
from marnn_bench.store.write import describe

Change = Callable[[pa.Table], pa.Table]


def forge(folder: Path, task: str, split: str, change: Change) -> None:
    """Rewrite a split's file and make receipt, manifest and card agree with it, as somebody who edits data would."""
    (path,) = folder.glob(f"data/{task}/{split}-*.parquet")
    table = change(pq.read_table(path))
    pq.write_table(table, path)
    edit_receipt(
        folder / ".receipts" / task / f"{path.stem}.json",
        blocks=list(table_digests(table)),
        sha256=sha256(path.read_bytes()).hexdigest(),
        bytes=path.stat().st_size,
        rows=table.num_rows,
    )


def edit_receipt(path: Path, **changes: object) -> None:
    """Change fields of a receipt, and make manifest and card agree with it."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    describe(path.parents[2])


def replace_cell(column: str, row: int, value: object) -> Change:
    """One cell of a table."""

    def change(table: pa.Table) -> pa.Table:
        cells = table.column(column).to_pylist()
        cells[row] = value
        index = table.column_names.index(column)
        return table.set_column(
            index, table.schema.field(index), pa.array(cells, table.schema.field(index).type)
        )

    return change
