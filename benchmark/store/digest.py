"""The identity of a split: a digest of its rows, not of its files.

Parquet bytes change with the version of the writer. So rows are cut into blocks of 65,536; a block's digest is the
sha256 of, for each column, its name, type, lengths (uint32, where rows vary) and data, little-endian; the split's is
the sha256 of its blocks' digests. It is the same for any number of files, workers, and any order of work. Columns of
floating-point numbers are left out: their last bits differ between machines.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from marnn_bench.store.arrow import lengths_of, numbers

BLOCK_ROWS = 65_536
ALGORITHM = "sha256 of blocks of 65536 rows, 1"
"""Algorithm and its version, as the manifest names it."""


Part = NDArray[Any]

Pieces = Callable[[Sequence[str]], Iterable[pa.RecordBatch]]
"""The rows of a block, piece after piece, with the columns of these names; each call begins again."""


def block_digest(batch: pa.RecordBatch) -> str:
    """The digest of at most 65,536 rows."""
    return pieces_digest(batch.schema, lambda names: [batch])


def pieces_digest(columns: pa.Schema, pieces: Pieces) -> str:
    """The same of rows in pieces, of which one is held at a time: a column's data come behind the lengths of all rows."""
    names = [field.name for field in columns if not pa.types.is_floating(field.type)]
    rows, heads = 0, {name: list[Part]() for name in names}
    for batch in pieces(names):
        rows += batch.num_rows
        for name, parts in heads.items():
            parts.append(_head(batch[name]))
    content = hashlib.sha256()
    for name, parts in heads.items():
        kind = columns.field(name).type
        content.update(f"{name}:{type_name(kind)}:{rows}:".encode())
        for part in parts:
            content.update(part.data)
        if pa.types.is_string(kind) or pa.types.is_list(kind):
            for batch in pieces([name]):
                content.update(_data(batch[name]).data)
    return content.hexdigest()


def split_digest(blocks: Iterable[str]) -> str:
    """The digest of a split from those of its blocks, in order."""
    return hashlib.sha256(b"".join(bytes.fromhex(block) for block in blocks)).hexdigest()


def table_digests(table: pa.Table) -> Iterator[str]:
    """The digests of a table's blocks, in order."""
    for first in range(0, table.num_rows, BLOCK_ROWS):
        yield block_digest(table.slice(first, BLOCK_ROWS).combine_chunks().to_batches()[0])


def type_name(kind: pa.DataType) -> str:
    """A column's type as it enters the digest, and as the Hub calls it: `uint16`, `list<uint32>`, `float64`."""
    if pa.types.is_float64(kind):
        return "float64"
    return f"list<{kind.value_type}>" if pa.types.is_list(kind) else str(kind)


def _head(column: pa.Array) -> Part:
    """The lengths of texts or lists, all that there is of numbers."""
    if pa.types.is_string(column.type) or pa.types.is_list(column.type):
        return lengths_of(column).astype("<u4")
    values = numbers(column.cast(pa.uint8()) if pa.types.is_boolean(column.type) else column)
    return np.ascontiguousarray(values.astype(values.dtype.newbyteorder("<"), copy=False))


def _data(column: pa.Array) -> Part:
    """The bytes of texts, the numbers in lists."""
    if pa.types.is_list(column.type):
        return _head(column.flatten())
    _, offsets, data = column.buffers()
    ends = np.frombuffer(offsets, "<i4")[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(data or b"", np.uint8)[ends[0] : ends[-1]]
