"""Editing generated data as somebody would who does not want it to be seen."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.store.digest import split_digest, table_digests
from marnn_bench.store.manifest import read_manifest

Change = Callable[[pa.Table], pa.Table]


def forge(folder: Path, task: str, split: str, change: Change) -> None:
    """Rewrite a split's file and make the manifest agree with it, as somebody who edits data would."""
    manifest = read_manifest(folder)
    entry = manifest["tasks"][task]["splits"][split]
    path = folder / entry["shards"][0]["file"]
    table = change(pq.read_table(path))
    pq.write_table(table, path)
    entry["digest"] = split_digest(table_digests(table))
    entry["shards"][0]["sha256"] = sha256(path.read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))


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
