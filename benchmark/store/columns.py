"""Examples as Arrow columns, and back.

input    string                         the symbols, separated by spaces
next     list<uint32>, list<uint64>     next-symbol view: the set after each symbol, a mask over the task's alphabet
target   string                         synchronous view: the output symbols
length   uint16, uint32                 number of symbols
depth    uint16, uint32                 the most symbols owed at once
"""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from marnn_bench.errors import DataError
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.language import Masks
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.task import Task
from marnn_bench.views import Synchronous

METADATA = b"marnn_bench"
"""Under this key of a Parquet file's metadata: all that is needed to decode a file that stands alone."""


def schema(task: Task, split: str) -> pa.Schema:
    """The columns of a split and, as metadata, what it is."""
    count = pa.uint16() if task.split(split).window.high < 1 << 16 else pa.uint32()
    if isinstance(task.view, Synchronous):
        answers = pa.field("target", pa.string(), nullable=False)
    else:
        mask = pa.uint32() if len(task.columns) <= 32 else pa.uint64()
        answers = pa.field("next", pa.list_(pa.field("element", mask, nullable=False)), nullable=False)
    counts = [pa.field(name, count, nullable=False) for name in ("length", "depth")]
    about = {
        **task.parameters(split),
        "version": task.version,
        "view": task.view.name,
        "alphabet": list(task.language.alphabet),
        "columns": list(task.columns),
    }
    fields = [pa.field("input", pa.string(), nullable=False), answers, *counts]
    return pa.schema(fields, {METADATA: json.dumps(about)})


def to_batch(task: Task, split: str, strings: Strings) -> pa.RecordBatch:
    """Strings and their right answers as columns."""
    columns = schema(task, split)
    answers: pa.Array
    if isinstance(task.view, Synchronous):
        targets = task.view.targets(task.language, strings)
        answers = _spell(task.view.outputs(task.language), targets)
    else:
        masks = task.view.answers(task.language, strings)
        values = masks.astype(columns.field("next").type.value_type.to_pandas_dtype())
        answers = pa.ListArray.from_arrays(pa.array(strings.offsets.astype(np.int32)), pa.array(values))
        answers = answers.cast(columns.field("next").type)
    count = columns.field("length").type.to_pandas_dtype()
    arrays = [
        _spell(task.language.alphabet, strings),
        answers,
        pa.array(strings.lengths.astype(count)),
        pa.array(depths(task, strings).astype(count)),
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def depths(task: Task, strings: Strings) -> NDArray[np.int64]:
    """The most symbols owed at once in each string: [n]."""
    deepest = np.zeros(len(strings), np.int64)
    filled = strings.lengths > 0
    deepest[filled] = np.maximum.reduceat(task.language.depths(strings), strings.offsets[:-1][filled])
    return deepest


def from_table(task: Task, table: pa.Table, where: str) -> tuple[Strings, Masks]:
    """The strings and right answers of a table; `where` names it in errors."""
    expected = schema(task, next(iter(task.splits)))
    for name in expected.names:
        if name not in table.column_names:
            raise DataError(
                f"{where} has no column {name}; it is no split of {task.name} as generate writes it."
            )
    strings = _read(task.language.alphabet, table["input"], where)
    if isinstance(task.view, Synchronous):
        targets = _read(task.view.outputs(task.language), table["target"], where)
        answers, lengths = np.uint64(1) << targets.ids.astype(np.uint64), targets.lengths
    else:
        lists = table["next"].combine_chunks()
        answers = lists.flatten().to_numpy(zero_copy_only=False).astype(np.uint64)
        lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False)
    if not np.array_equal(lengths, strings.lengths):
        row = int(np.flatnonzero(lengths != strings.lengths)[0])
        raise DataError(f"{where}, row {row}: {lengths[row]} answers for {strings.lengths[row]} symbols.")
    return strings, answers


def _spell(alphabet: Alphabet, strings: Strings) -> pa.Array:
    symbols = pa.array(alphabet.symbols).take(pa.array(strings.ids))
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(strings.offsets.astype(np.int32)), symbols), " ")


def _read(alphabet: Alphabet, column: pa.ChunkedArray, where: str) -> Strings:
    texts = column.combine_chunks()
    words = pc.split_pattern(texts, " ")
    lengths = pc.if_else(pc.equal(texts, ""), 0, pc.list_value_length(words)).to_numpy(zero_copy_only=False)
    symbols = words.flatten()
    symbols = symbols.filter(pc.not_equal(symbols, ""))
    ids = pc.index_in(symbols, value_set=pa.array(alphabet.symbols))
    offsets = offsets_of(lengths)
    if ids.null_count or len(ids) != offsets[-1]:
        bad = int(np.flatnonzero(ids.is_null())[0]) if ids.null_count else 0
        row = int(np.searchsorted(offsets, bad, side="right")) - 1
        raise DataError(
            f"{where}, row {row}: {symbols[bad].as_py()!r} is not in the alphabet {' '.join(alphabet)}."
        )
    return Strings(ids.to_numpy().astype(alphabet.dtype), offsets)
