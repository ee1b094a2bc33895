"""Examples as Arrow columns, and back.

input    string                         the symbols, separated by spaces
next     list<uint32>, list<uint64>     next-symbol view: the set after each symbol, a mask over the task's columns
target   string                         synchronous and transduction views: the output symbols
length   uint16, uint32                 number of symbols of the input (32 bits above 65,535, and where windows count n)
log_prob float64                        language-modelling view: natural log of the input's probability under the split's law
label    bool                           recognition view: whether the input is a member
negative string                         how it was made, if not; edits: its Levenshtein distance to the member it is of
n        uint16, uint32                 the n of the definition, where windows count that
depth    uint16, uint32                 the most symbols owed at once, in the views that ask after every symbol
"""

import json
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from marnn_bench.errors import DataError
from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.language import Masks
from marnn_bench.generators.sampling.recognition import RecognitionRows
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.store.arrow import from_texts, lengths_of, numbers, to_arrow, to_lists
from marnn_bench.task import Task
from marnn_bench.views import LanguageModelling, NextSymbol, Recognition, SetView, Synchronous, Transduce

CACHED_SYMBOLS = 1 << 16
"""So many symbols are labelled at once: what is computed on the way fits a processor's cache."""

METADATA = b"marnn_bench"
"""Under this key of a Parquet file's metadata: all that is needed to decode a file that stands alone."""


def schema(task: Task, split: str) -> pa.Schema:
    """The columns of a split and, as metadata, what it is."""
    about = {
        **task.parameters(split),
        "version": task.version,
        "view": task.view.name,
        "alphabet": list(task.language.alphabet),
        "columns": list(task.columns),
    }
    short = task.language.measure == "length" and task.split(split).window.high < 1 << 16
    count = pa.uint16() if short else pa.uint32()
    counts = ["length"]
    if task.language.measure == "n":
        counts.append("n")
    if isinstance(task.view, SetView | LanguageModelling):
        counts.append("depth")
    fields = {"input": pa.string(), **_answer_fields(task, count), **dict.fromkeys(counts, count)}
    return pa.schema(
        [pa.field(name, kind, nullable=False) for name, kind in fields.items()], {METADATA: json.dumps(about)}
    )


def _answer_fields(task: Task, count: pa.DataType) -> dict[str, pa.DataType]:
    if isinstance(task.view, NextSymbol):
        mask = pa.uint32() if len(task.columns) <= 32 else pa.uint64()
        return {"next": pa.list_(pa.field("element", mask, nullable=False))}
    if isinstance(task.view, LanguageModelling):
        return {"log_prob": pa.float64()}
    if isinstance(task.view, Recognition):
        return {"label": pa.bool_(), "negative": pa.string(), "edits": count}
    return {"target": pa.string()}


def to_batch(task: Task, split: str, strings: Strings, names: Sequence[str] | None = None) -> pa.RecordBatch:
    """Strings and their right answers as columns: all, or those of these names."""
    columns = schema(task, split)
    if names is not None:
        columns = pa.schema([columns.field(name) for name in names])
    arrays = [_column(task, split, name, columns.field(name).type, strings) for name in columns.names]
    return pa.RecordBatch.from_arrays(arrays, schema=columns)


def _column(task: Task, split: str, name: str, kind: pa.DataType, strings: Strings) -> pa.Array:
    match name:
        case "input":
            return to_texts(task.language.alphabet, strings)
        case "next" if isinstance(task.view, NextSymbol):
            masks = np.empty(len(strings.ids), kind.value_type.to_pandas_dtype())
            for part, symbols in _parts(strings):
                masks[symbols] = task.view.answers(task.language, part)
            return to_lists(masks, strings.offsets, kind)
        case "target" if isinstance(task.view, Synchronous | Transduce):
            targets = [task.view.targets(task.language, part) for part, _ in _parts(strings)]
            return to_texts(task.view.outputs(task.language), Strings.concatenate(targets))
        case "log_prob" if isinstance(task.view, LanguageModelling):
            log_probs = task.law(split).log_prob(strings, task.split(split).window)
            return to_arrow(np.minimum(log_probs, 0))  # rounding makes no probability larger than 1
        case "length":
            counted = strings.lengths
        case "n":
            counted = task.language.sizes_of(strings)
        case "depth":
            counted = max_depths(task, strings)
        case _:
            raise ValueError(f"{task.name} has no column {name}.")
    return to_arrow(counted.astype(kind.to_pandas_dtype()))


def recognition_batch(task: Task, split: str, rows: RecognitionRows, first: int, last: int) -> pa.RecordBatch:
    """Rows first..last-1 of a recognition split as columns; what holds of members alone is that of the source."""
    columns, chosen = schema(task, split), slice(first, last)
    strings = rows.strings.take(np.arange(first, last))
    members = rows.strings.take(rows.source[chosen])
    kinds = from_texts(["", *rows.kinds])
    arrays = {
        "input": to_texts(task.language.alphabet, strings),
        "label": to_arrow(rows.label[chosen]),
        "negative": kinds.take(to_arrow(rows.negative[chosen])),
    }
    counted = {"edits": rows.edits[chosen], "length": strings.lengths}
    if task.language.measure == "n":
        counted["n"] = task.language.sizes_of(members)
    for name, values in counted.items():
        arrays[name] = to_arrow(values.astype(columns.field(name).type.to_pandas_dtype()))
    return pa.RecordBatch.from_arrays([arrays[name] for name in columns.names], schema=columns)


def max_depths(task: Task, strings: Strings) -> NDArray[np.int64]:
    """The most symbols owed at once in each string: [n]."""
    parts = (task.language.max_depths(part) for part, _ in _parts(strings))
    return np.concatenate([np.zeros(0, np.int64), *parts])


def row_ranges(offsets: NDArray[np.int64], symbols: int) -> Iterator[tuple[int, int]]:
    """All rows, in ranges first..last-1 of at most so many symbols together; a longer string is one by itself.

    >>> list(row_ranges(np.array([0, 2, 4, 9, 9, 10]), 4))
    [(0, 2), (2, 3), (3, 5)]
    """
    first, rows = 0, len(offsets) - 1
    while first < rows:
        last = int(np.searchsorted(offsets, offsets[first] + symbols, side="right")) - 1
        yield first, (first := max(last, first + 1))


def _parts(strings: Strings) -> Iterator[tuple[Strings, slice]]:
    """The strings in parts that a processor's cache can hold, and where the symbols of each part are."""
    for first, last in row_ranges(strings.offsets, CACHED_SYMBOLS):
        yield strings.slice(first, last), slice(strings.offsets[first], strings.offsets[last])


def to_texts(alphabet: Alphabet, strings: Strings) -> pa.Array:
    """The strings spelt out, a space between two symbols."""
    spelling = [symbol.encode() for symbol in alphabet.symbols]
    widths = np.array([len(symbol) for symbol in spelling], np.int64)
    letters = np.frombuffer(b"".join(spelling), np.uint8)
    if widths.max() == 1:
        sizes = 2 * strings.lengths
    else:
        written = np.concatenate(([0], np.cumsum(widths[strings.ids] + 1)))
        sizes = written[strings.offsets[1:]] - written[strings.offsets[:-1]]
    ends = offsets_of(np.maximum(sizes - 1, 0)).astype(np.int32)
    text = np.empty(int(ends[-1]) + 1, np.uint8)
    if widths.max() == 1:
        kernels.texts.write_letters(strings.ids, strings.offsets, letters, ends, text)
    else:
        kernels.texts.write_symbols(strings.ids, strings.offsets, letters, offsets_of(widths), ends, text)
    return pa.Array.from_buffers(
        pa.string(), len(strings), [None, pa.py_buffer(ends), pa.py_buffer(text[:-1])]
    )


def read_strings(task: Task, table: pa.Table, where: str, first: int = 0) -> Strings:
    """The strings of a table; in errors `where` names it, and its rows are counted from `first`."""
    return _split_symbols(task.language.alphabet, _require_column(task, table, "input", where), where, first)


def read_answers(task: Task, table: pa.Table, strings: Strings, where: str) -> Masks:
    """The right set after each symbol, in a view that asks for one: [symbols]."""
    if isinstance(task.view, Synchronous):
        targets = read_targets(task, table, where)
        answers, lengths = np.uint64(1) << targets.ids.astype(np.uint64), targets.lengths
    else:
        lists = _require_column(task, table, "next", where).combine_chunks()
        answers, lengths = numbers(lists.flatten()).astype(np.uint64), lengths_of(lists)
    if not np.array_equal(lengths, strings.lengths):
        row = int(np.flatnonzero(lengths != strings.lengths)[0])
        raise DataError(f"{where}, row {row}: {lengths[row]} answers for {strings.lengths[row]} symbols.")
    return answers


def read_log_probs(task: Task, table: pa.Table, where: str) -> NDArray[np.float64]:
    """The natural log of each string's probability, in the language-modelling view: [n]."""
    return numbers(_require_column(task, table, "log_prob", where))


def read_targets(task: Task, table: pa.Table, where: str) -> Strings:
    """The target of each string, in the view of a transduction."""
    if not isinstance(task.view, Synchronous | Transduce):
        raise TypeError(f"{task.name} has no targets.")
    return _split_symbols(
        task.view.outputs(task.language), _require_column(task, table, "target", where), where
    )


def read_labels(
    task: Task, table: pa.Table, where: str
) -> tuple[NDArray[np.bool_], NDArray[np.uint8], NDArray[np.int64]]:
    """Label, number of the kind of negative and edits of each row, in the recognition view: [n], [n], [n]."""
    label, negative, edits = (
        _require_column(task, table, name, where) for name in ("label", "negative", "edits")
    )
    kinds = from_texts(["", *(task.view.negatives if isinstance(task.view, Recognition) else ())])
    numbered = pc.index_in(negative.combine_chunks(), value_set=kinds)
    if numbered.null_count:
        unknown = negative[pc.indices_nonzero(numbered.is_null())[0].as_py()].as_py()
        raise DataError(f"{where}: {unknown!r} is no kind of negatives of {task.name}.")
    bits = numbers(label.combine_chunks().cast(pa.uint8()))
    return bits.astype(np.bool_), numbers(numbered).astype(np.uint8), numbers(edits).astype(np.int64)


def _require_column(task: Task, table: pa.Table, name: str, where: str) -> pa.ChunkedArray:
    if name not in table.column_names:
        raise DataError(f"{where} has no column {name}; it is no split of {task.name} as generate writes it.")
    return table[name]


def _split_symbols(alphabet: Alphabet, column: pa.ChunkedArray, where: str, first: int = 0) -> Strings:
    texts = column.combine_chunks()
    words = pc.split_pattern(texts, " ")
    symbols = words.flatten()
    symbols = symbols.filter(
        pc.not_equal(symbols, from_texts([""])[0])
    )  # the empty text splits into one empty word
    offsets = offsets_of(lengths_of(words) - (lengths_of(texts) == 0))
    ids = pc.index_in(symbols, value_set=from_texts(alphabet.symbols))
    if ids.null_count:
        bad = pc.indices_nonzero(ids.is_null())[0].as_py()
        row = first + int(np.searchsorted(offsets, bad, side="right")) - 1
        raise DataError(
            f"{where}, row {row}: {symbols[bad].as_py()!r} is not in the alphabet {' '.join(alphabet)}."
        )
    if len(ids) != offsets[-1]:
        raise DataError(f"{where}: symbols are not separated by single spaces.")
    return Strings(numbers(ids).astype(alphabet.dtype), offsets)
