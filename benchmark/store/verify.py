"""Verifying: every row of a folder decided again.

1. the files are those of the manifest, byte for byte, and so are their rows;
2. every string is accepted by the automaton, which did not draw it, has a size in its window, and carries what the
   automaton says of it; no string is there twice where the split says so;
3. the split is what its key generates now.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from marnn_bench.errors import DataError, UsageError
from marnn_bench.generators.sampling.distinct import first_occurrences
from marnn_bench.generators.strings import Strings
from marnn_bench.store.columns import read_strings, to_batch
from marnn_bench.store.content import contents
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import REGENERATE_HINT, check_file, read_rows, with_manifest_splits
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import Recognition


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
    for name, entry in read_manifest(folder)["tasks"].items():
        known = _known(name, folder)
        task = with_manifest_splits(known, entry["splits"])
        regenerated = entry["version"].split(".")[0] == known.version.split(".")[0]
        if regenerated:
            _check_description(known, entry, f"{folder}: {name}")
        written = contents(task)
        for split, listed in entry["splits"].items():
            where = f"{folder}: {name} {split}"
            for shard in listed["shards"]:
                check_file(folder / shard["file"], shard["sha256"])
            table = read_rows(folder, listed)
            _check_rows(task, split, table, where)
            if listed["symbols"] != pc.sum(table["length"]).as_py() or listed["rows"] != table.num_rows:
                raise DataError(
                    f"{where}: its numbers of rows and symbols are not those of the manifest. {REGENERATE_HINT}"
                )
            if regenerated and (
                listed["key"] != f"{task.key(split):016x}" or written[split].digest() != listed["digest"]
            ):
                raise DataError(f"{where} is not what {name} {known.version} generates. {REGENERATE_HINT}")
            progress(listed["rows"])
            yield Verified(name, split, listed["rows"], listed["symbols"], listed["digest"], regenerated)


def _check_description(task: Task, entry: dict[str, Any], where: str) -> None:
    """DataError unless the manifest says of a task what the task is, and lists all of its splits."""
    expected = {
        "view": task.view.name,
        "alphabet": list(task.language.alphabet),
        "columns": list(task.columns),
    }
    for name, value in expected.items():
        if entry[name] != value:
            raise DataError(f"{where}: the manifest has another {name} than the task. {REGENERATE_HINT}")
    for split in contents(task):
        if split not in entry["splits"]:
            raise DataError(f"{where}: the manifest lacks the split {split}. {REGENERATE_HINT}")


def _known(name: str, folder: Path) -> Task:
    try:
        return find_task(name)
    except UsageError:
        raise DataError(
            f"{folder} holds {name}, which is no task here. Install the package that offers it."
        ) from None


def _check_rows(task: Task, split: str, table: pa.Table, where: str) -> None:
    strings, window, language = read_strings(task, table, where), task.split(split).window, task.language
    if task.split(split).distinct:
        _refuse(~first_occurrences(strings), where, "repeats an earlier one")
    member = language.accepts(strings)
    if isinstance(task.view, Recognition):
        _refuse(
            member != np.array(table["label"].to_pylist()),
            where,
            "has another label than the automaton gives",
        )
    else:
        _refuse(~member, where, f"is no string of {language.name}")
        _check_columns(task, split, table, strings, where)
    sizes, rows = language.sizes_of(strings.take(member)), np.flatnonzero(member)
    outside = np.zeros(len(strings), np.bool_)
    outside[rows[(sizes < window.low) | (sizes > window.high)]] = True
    _refuse(outside, where, f"is outside the window {window}")


def _check_columns(task: Task, split: str, table: pa.Table, strings: Strings, where: str) -> None:
    expected = pa.Table.from_batches([to_batch(task, split, strings)])
    for name in expected.column_names:
        if name not in table.column_names:
            raise DataError(f"{where} has no column {name}. {REGENERATE_HINT}")
        found, right = (t[name].combine_chunks() for t in (table, expected))
        if not found.equals(right):
            differs = np.array([a != b for a, b in zip(found.to_pylist(), right.to_pylist(), strict=True)])
            _refuse(differs, where, f"has another {name} than the automaton gives")


def _refuse(bad: NDArray[np.bool_], where: str, fault: str) -> None:
    if bad.any():
        raise DataError(f"{where}, row {int(np.flatnonzero(bad)[0])}: {fault}. {REGENERATE_HINT}")
