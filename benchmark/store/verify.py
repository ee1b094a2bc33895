"""Verifying: every row of a folder decided again.

1. the files are those of the manifest, byte for byte, and so are their rows;
2. every string is accepted by the automaton, which did not draw it, has a size in its window, and carries what the
   automaton says of it; no string is there twice where the split says so;
3. the split is what its key generates now.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from marnn_bench.errors import DataError
from marnn_bench.generators.distinct import first_occurrences
from marnn_bench.generators.strings import Strings
from marnn_bench.registry import all_tasks
from marnn_bench.store.columns import read_strings, to_batch
from marnn_bench.store.digest import BLOCK_ROWS, block_digest, split_digest
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import REMEDY, as_listed, check_file, read_rows
from marnn_bench.store.rows import choose_rows
from marnn_bench.task import Task


@dataclass(frozen=True)
class Verified:
    """A split that stood every test; `regenerated` is false where this program cannot generate its version."""

    task: str
    split: str
    rows: int
    symbols: int
    digest: str
    regenerated: bool


def verify(folder: Path, progress: Callable[[int], object] = lambda rows: None) -> Iterator[Verified]:
    """Verify every split of a folder; DataError at the first fault."""
    known = all_tasks()
    for name, entry in read_manifest(folder)["tasks"].items():
        if name not in known:
            raise DataError(
                f"{folder} holds {name}, which is no task here. Install the package that offers it."
            )
        for split, listed in entry["splits"].items():
            task = as_listed(known[name], split, listed)
            for shard in listed["shards"]:
                check_file(folder / shard["file"], shard["sha256"])
            _check_rows(task, split, read_rows(folder, listed), f"{folder}: {name} {split}")
            regenerated = entry["version"] == task.version
            if regenerated and digest_now(task, split) != listed["digest"]:
                raise DataError(
                    f"{folder}: {name} {split} is not what {name} {task.version} generates. {REMEDY}"
                )
            progress(listed["rows"])
            yield Verified(name, split, listed["rows"], listed["symbols"], listed["digest"], regenerated)


def _check_rows(task: Task, split: str, table: pa.Table, where: str) -> None:
    strings, window = read_strings(task, table, where), task.split(split).window
    _refuse(~task.language.accepts(strings), where, f"is no string of {task.language.name}")
    sizes = task.language.measured(strings)
    _refuse((sizes < window.low) | (sizes > window.high), where, f"is outside the window {window}")
    if task.split(split).distinct:
        _refuse(~first_occurrences(strings), where, "repeats an earlier one")
    _check_columns(task, split, table, strings, where)


def _check_columns(task: Task, split: str, table: pa.Table, strings: Strings, where: str) -> None:
    expected = pa.Table.from_batches([to_batch(task, split, strings)])
    for name in expected.column_names:
        if name not in table.column_names:
            raise DataError(f"{where} has no column {name}. {REMEDY}")
        found, right = (t[name].combine_chunks() for t in (table, expected))
        if not found.equals(right):
            differs = np.array([a != b for a, b in zip(found.to_pylist(), right.to_pylist(), strict=True)])
            _refuse(differs, where, f"has another {name} than the automaton gives")


def _refuse(bad: NDArray[np.bool_], where: str, fault: str) -> None:
    if bad.any():
        raise DataError(f"{where}, row {int(np.flatnonzero(bad)[0])}: {fault}. {REMEDY}")


def digest_now(task: Task, split: str) -> str:
    """The digest of a split as it is generated now, nothing written."""
    rows = choose_rows(task, split)
    starts = range(0, len(rows), BLOCK_ROWS)
    blocks = (rows.strings(start, min(start + BLOCK_ROWS, len(rows))) for start in starts)
    return split_digest(block_digest(to_batch(task, split, block)) for block in blocks)
