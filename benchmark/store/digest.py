"""The identity of a split: a digest of its rows, not of its files.

Parquet bytes change with the version of the writer. So rows are cut into blocks of 65,536; a block's digest is the
sha256 of, for each column, its name, type, lengths (uint32, where rows vary) and data, little-endian; the split's is
the sha256 of its blocks' digests. It is the same for any number of files, workers, and any order of work. Columns of
floating-point numbers are left out: their last bits differ between machines.
"""

import hashlib
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from marnn_bench.store.arrow import lengths_of, numbers

BLOCK_ROWS = 65_536
ALGORITHM = "sha256 of blocks of 65536 rows, 1"
"""Algorithm and its version, as the manifest names it."""


def block_digest(batch: pa.RecordBatch) -> str:
    """The digest of at most 65,536 rows."""
    content = hashlib.sha256()
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_floating(column.type):
            continue
        content.update(f"{name}:{type_name(column.type)}:{len(column)}:".encode())
        for part in _parts(column):
            content.update(np.ascontiguousarray(part).data)
    return content.hexdigest()


def split_digest(blocks: Iterable[str]) -> str:
    """The digest of a split from those of its blocks, in order."""
    return hashlib.sha256(b"".join(bytes.fromhex(block) for block in blocks)).hexdigest()


def table_digests(table: pa.Table) -> Iterator[str]:
    """The digests of a table's blocks, in order."""
    for first in range(0, table.num_rows, BLOCK_ROWS):
        yield block_digest(table.slice(first, BLOCK_ROWS).combine_chunks().to_batches()[0])


def type_name(kind: pa.DataType) -> str:
    """A column's type as it enters the digest: `uint16`, `list<uint32>`."""
    return f"list<{kind.value_type}>" if pa.types.is_list(kind) else str(kind)


def _parts(column: pa.Array) -> Iterator[np.ndarray]:
    if pa.types.is_string(column.type):
        _, offsets, data = column.buffers()
        ends = np.frombuffer(offsets, "<i4")[column.offset : column.offset + len(column) + 1]
        yield np.diff(ends).astype("<u4")
        yield np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]
    elif pa.types.is_list(column.type):
        yield lengths_of(column).astype("<u4")
        yield from _parts(column.flatten())
    else:
        values = numbers(column.cast(pa.uint8()) if pa.types.is_boolean(column.type) else column)
        yield values.astype(values.dtype.newbyteorder("<"))
