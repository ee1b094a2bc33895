"""Verifying: every row of a folder decided again.

1. the files are those of the manifest, byte for byte, and so are their rows;
2. every string is in its window, is accepted by the automaton (which did not draw it), and carries the automaton's
   answers; no string is there twice where the split says so;
3. the split is what its key generates now.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from marnn_bench.errors import DataError
from marnn_bench.examples import Examples
from marnn_bench.generators import kernels
from marnn_bench.generators.window import Window
from marnn_bench.registry import all_tasks
from marnn_bench.store.columns import to_batch
from marnn_bench.store.digest import BLOCK_ROWS, block_digest, split_digest
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import REMEDY, read_split
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
    """Verify every split of a folder; DataError at the first that fails."""
    known = all_tasks()
    for name, entry in read_manifest(folder)["tasks"].items():
        if name not in known:
            raise DataError(
                f"{folder} holds {name}, which is no task here. Install the package that offers it."
            )
        for split, listed in entry["splits"].items():
            _check_files(folder, listed)
            task = _as_listed(known[name], split, listed)
            examples = read_split(folder, task, split)
            _check_rows(examples, folder)
            regenerated = entry["version"] == known[name].version
            if regenerated:
                _check_generation(examples, listed, folder)
            progress(len(examples))
            yield Verified(name, split, len(examples), listed["symbols"], listed["digest"], regenerated)


def _as_listed(task: Task, split: str, listed: dict[str, Any]) -> Task:
    """The task with the rows, window and law that the manifest gives for a split."""
    own = task.split(split)
    rows = {} if own.rows == "all" or own.per_size else {split: listed["rows"]}
    return task.with_splits(rows=rows, law=listed["law"], windows={split: Window.parse(listed["window"])})


def _check_files(folder: Path, listed: dict[str, Any]) -> None:
    for shard in listed["shards"]:
        path = folder / shard["file"]
        if not path.exists():
            raise DataError(f"{path} is missing. {REMEDY}")
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != shard["sha256"]:
                raise DataError(
                    f"{path} is damaged or edited: its sha256 is not that of the manifest. {REMEDY}"
                )


def _check_rows(examples: Examples, folder: Path) -> None:
    task, split, strings = examples.task, examples.task.split(examples.split), examples.strings
    where = f"{folder}: {task.name} {examples.split}"
    _refuse(
        ~task.language.accepts(strings), f"{where}, row {{row}}: no string of {task.language.name}. {REMEDY}"
    )
    sizes = task.language.measured(strings)
    outside = (sizes < split.window.low) | (sizes > split.window.high)
    _refuse(outside, f"{where}, row {{row}}: a string outside the window {split.window}. {REMEDY}")
    wrong = task.view.answers(task.language, strings) != examples.answers
    _refuse(_rows_with(wrong, examples), f"{where}, row {{row}}: a wrong answer. {REMEDY}")
    if split.distinct:
        seen = np.zeros((1 << (2 * len(strings)).bit_length(), 2), np.uint64)
        new = kernels.distinct.mark_new(seen, kernels.distinct.fingerprints(strings.ids, strings.offsets))
        _refuse(~new, f"{where}, row {{row}}: a string that an earlier row has. {REMEDY}")


def _rows_with(wrong: Any, examples: Examples) -> Any:
    rows = np.zeros(len(examples), np.bool_)
    rows[examples.strings.rows[wrong]] = True
    return rows


def _refuse(bad: Any, message: str) -> None:
    if bad.any():
        raise DataError(message.format(row=int(np.flatnonzero(bad)[0])))


def _check_generation(examples: Examples, listed: dict[str, Any], folder: Path) -> None:
    task, split = examples.task, examples.split
    rows = choose_rows(task, split)
    blocks = (
        block_digest(to_batch(task, split, rows.strings(first, min(first + BLOCK_ROWS, len(examples)))))
        for first in range(0, len(examples), BLOCK_ROWS)
    )
    if split_digest(blocks) != listed["digest"]:
        raise DataError(
            f"{folder}: {task.name} {split} is not what {task.name} {task.version} generates. {REMEDY}"
        )
