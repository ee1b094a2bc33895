"""Editing a result as somebody would who does not want it to be seen: every digest fits what was written."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from helpers.synthetic_results import read_record, write_record

Keys = tuple[str | int, ...]
Change = Callable[[pa.Table], pa.Table]


def at(record: Any, keys: Keys) -> Any:
    """The value in a record at these keys."""
    for key in keys:
        record = record[key]
    return record


def set_field(folder: Path, keys: Keys, value: object) -> None:
    """Another value of one field."""
    record = read_record(folder)
    at(record, keys[:-1])[keys[-1]] = value
    write_record(folder, record)


def drop_field(folder: Path, keys: Keys) -> None:
    """A record without one field, or without one entry of a list."""
    record = read_record(folder)
    del at(record, keys[:-1])[keys[-1]]
    write_record(folder, record)


def change_samples(folder: Path, change: Change, rows_a_group: int | None = None) -> None:
    """Other samples, in row groups of as many rows as a run has, or as are given."""
    path = folder / "samples.parquet"
    rows = rows_a_group or pq.read_metadata(path).row_group(0).num_rows
    pq.write_table(change(pq.read_table(path)), path, row_group_size=rows)
    write_record(folder, read_record(folder))


def cell(column: str, row: int, change: Callable[[Any], Any]) -> Change:
    """One cell of the samples becomes another."""

    def changed(table: pa.Table) -> pa.Table:
        values = table[column].to_pylist()
        values[row] = change(values[row])
        place = table.column_names.index(column)
        kind = table.schema.field(place).type
        return table.set_column(place, pa.field(column, kind), pa.array(values, kind))

    return changed


def cast(column: str, kind: pa.DataType) -> Change:
    """A column of the samples becomes one of another type."""

    def changed(table: pa.Table) -> pa.Table:
        place = table.column_names.index(column)
        return table.set_column(place, column, pa.array(table[column].to_pylist(), kind))

    return changed


def leaves(value: Any, keys: Keys = ()) -> Iterator[Keys]:
    """Where the values are that are no objects and no lists."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*keys, key))
    else:
        yield keys


def some(keys: list[Keys], number: int, seed: int = 0) -> list[Keys]:
    """So many of these, drawn at random."""
    return random.Random(seed).sample(keys, number)
