"""numpy arrays as Arrow arrays and back, without a copy.

pyarrow's own `pa.array` and `to_numpy` import pandas where it is installed, which takes longer than an evaluation.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def to_arrow(values: NDArray[Any]) -> pa.Array:
    """An Arrow array of these numbers or truth values.

    >>> to_arrow(np.array([True, False, True])).to_pylist(), to_arrow(np.arange(3, dtype=np.uint8)).type
    ([True, False, True], DataType(uint8))
    """
    packed = (
        np.packbits(values, bitorder="little") if values.dtype == np.bool_ else np.ascontiguousarray(values)
    )
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), [None, pa.py_buffer(packed)])


def from_texts(texts: Sequence[str]) -> pa.Array:
    """An Arrow array of these texts.

    >>> from_texts(["a", "", "bc"]).to_pylist()
    ['a', '', 'bc']
    """
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    return pa.Array.from_buffers(
        pa.string(), len(texts), [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    )


def to_lists(values: NDArray[Any] | pa.Array, offsets: NDArray[np.int64], kind: pa.ListType) -> pa.Array:
    """An Arrow array of lists, of which list i is values[offsets[i]:offsets[i + 1]]."""
    starts = pa.py_buffer(offsets.astype(np.int32))
    children = [to_arrow(values) if isinstance(values, np.ndarray) else values]
    return pa.Array.from_buffers(kind, len(offsets) - 1, [None, starts], children=children)


def from_lists(lists: pa.ChunkedArray) -> NDArray[Any]:
    """All values of a column of lists of numbers."""
    return np.concatenate([numbers(chunk.flatten()) for chunk in lists.chunks])


def numbers(column: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    """The values of a column of numbers without nulls."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    values = np.frombuffer(column.buffers()[1], column.type.to_pandas_dtype())
    return values[column.offset : column.offset + len(column)]


def lengths_of(column: pa.Array) -> NDArray[np.int64]:
    """How many elements each list, or bytes each text, of a column has."""
    offsets = column.buffers()[1]
    starts = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return np.diff(starts).astype(np.int64)


def open_file(path: Path, mode: Literal["rb", "wb"] = "rb") -> pa.NativeFile:
    """A file of any name: pyarrow itself encodes names as UTF-8, whatever the system's encoding."""
    return pa.OSFile(os.fsencode(path), mode)
