"""The answers of a model as a table, a row for each string, and back: what samples.parquet holds.

predicted     by what the task reads from an answer: list<uint8..uint64>, a mask for each symbol; list<int16>, a column
              for each, -1 where several have the highest score; double, the probability that the string is a member;
              list<double>, the log of the probability of each symbol that came, END at last. Null: no answer
closing       list<int16>: which closing bracket has the highest score, where the task looks at it
illegal_mass  double: the sum of the probabilities of symbols that cannot come, for models that answer probabilities
correct       bool: whether all that was asked about the string is right
first_error   int32: the place of the first wrong answer, -1 if there is none
"""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from marnn_bench.scoring.metrics import Correctness
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.store.arrow import lengths_of, numbers, to_arrow, to_lists

MASK_TYPES: Final = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
VALUES: Final = ("predicted", "closing")
TOTALS: Final = ("illegal_mass",)


def samples_table(predictions: Predictions, correctness: Correctness, columns: int) -> pa.Table:
    """The rows of samples.parquet about these strings; `columns` is the number of columns of the task."""
    arrays = {name: _to_column(predictions, name, columns) for name in predictions.values}
    arrays |= {name: to_arrow(values) for name, values in predictions.totals.items()}
    arrays |= {"correct": to_arrow(correctness.correct), "first_error": to_arrow(correctness.first_error)}
    return pa.table(arrays)


def read_predictions(table: pa.Table, first_version: bool = False) -> Predictions:
    """The answers in such a table. ValueError if a list is missing, or `closing` belongs to other answers.

    first_version:  whether a result of schema version 1 has it, whose masks have all bits set where there is no answer
    """
    flat, answered, offsets = _from_column(table["predicted"])
    if first_version and flat.dtype == np.uint64:
        answered &= flat != np.iinfo(table["predicted"].type.value_type.to_pandas_dtype()).max
    values = {"predicted": flat}
    if "closing" in table.column_names:
        values["closing"], _, others = _from_column(table["closing"])
        if not np.array_equal(others, offsets):
            raise ValueError("closing belongs to other answers")
    totals = {name: numbers(table[name]) for name in TOTALS if name in table.column_names}
    return Predictions(values, answered, offsets, totals)


def _to_column(predictions: Predictions, name: str, columns: int) -> pa.Array:
    values = predictions.values[name]
    if values.dtype == np.uint64:
        values = values.astype(next(kind for bits, kind in MASK_TYPES.items() if columns <= bits))
    elif values.dtype == np.int64:
        values = values.astype(np.int16)
    flat = to_arrow(values)
    if not predictions.answered.all():
        missing = pa.py_buffer(np.packbits(predictions.answered, bitorder="little"))
        flat = pa.Array.from_buffers(flat.type, len(flat), [missing, flat.buffers()[1]])
    if values.dtype == np.float64 and columns == 1:  # the probability that each string is a member
        return flat
    return to_lists(flat, predictions.offsets, pa.list_(flat.type))


def _from_column(column: pa.ChunkedArray) -> tuple[NDArray[Any], NDArray[np.bool_], NDArray[np.int64]]:
    """The answers in a column, which of them came, and where those of each string begin."""
    lists = column.combine_chunks()
    if not pa.types.is_list(lists.type):
        return _widened(numbers(lists)), _came(lists), np.arange(len(lists) + 1)
    if lists.null_count:
        raise ValueError("a list is missing")
    flat = lists.flatten()
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths_of(lists))])
    return _widened(numbers(flat)), _came(flat), offsets


def _widened(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype({"u": np.uint64, "i": np.int64, "f": np.float64}[values.dtype.kind])


def _came(flat: pa.Array) -> NDArray[np.bool_]:
    if not flat.null_count:
        return np.ones(len(flat), np.bool_)
    bits = np.unpackbits(np.frombuffer(flat.buffers()[0], np.uint8), bitorder="little")
    return bits[flat.offset : flat.offset + len(flat)].astype(np.bool_)
