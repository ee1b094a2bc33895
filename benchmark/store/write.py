"""Generating: from the key of a split to its files.

A block of rows is a function of the key and the numbers of its draws, so blocks are made by any number of threads
(the kernels run without the GIL) and written in order. A file that is finished has a receipt; a run that was killed
goes on behind the last receipt and ends in the same content.
"""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.errors import UsageError
from marnn_bench.file_digests import file_digest
from marnn_bench.store.arrow import open_file
from marnn_bench.store.card import dataset_card
from marnn_bench.store.columns import schema
from marnn_bench.store.content import Content, contents, in_order
from marnn_bench.store.digest import BLOCK_ROWS
from marnn_bench.store.leaks import leak_report
from marnn_bench.store.lock import CLEARING, writing
from marnn_bench.store.manifest import (
    RECEIPTS,
    Plan,
    Receipt,
    Totals,
    build_manifest,
    leaks_file,
    receipts,
    write_json,
    write_text,
)
from marnn_bench.task import Task

SHARD_ROWS = 16 * BLOCK_ROWS
REPLACING = ".replacing"

Progress = Callable[[int], object]


def generate(
    task: Task,
    out: Path,
    *,
    workers: int = 1,
    shard_rows: int = SHARD_ROWS,
    overwrite: bool = False,
    progress: Progress = lambda rows: None,
) -> None:
    """Write all splits of a task below `out`, unless they are there already.

    Raises UsageError if `out` holds other data: something that is none of ours, or the same task with other rows,
    windows, law or version. With `overwrite` the task is written anew, and what is there of it, and that alone, is
    replaced once the new one is complete.
    """
    _refuse_foreign(out)
    splits = contents(task, workers)
    if shard_rows % BLOCK_ROWS:
        raise UsageError(f"--shard-rows must be a multiple of {BLOCK_ROWS:,}, not {shard_rows:,}.")
    plans = {name: Plan.of(content, shard_rows) for name, content in splits.items()}
    write = _Writer(splits, plans, workers, shard_rows, progress)
    _clear_abandoned(out)
    with writing(out, task.name, repr(sorted(map(repr, plans.values())))):
        if overwrite and (out / RECEIPTS / task.name).exists():
            staged = out / f"{REPLACING}-{task.name}-{os.getpid()}"
            write.task(task, staged)
            _replace(task.name, staged, out)
        elif all(receipt.plan in plans.values() for receipt in receipts(out, task.name)):
            write.task(task, out)
        else:
            raise UsageError(
                f"{out} holds {task.name} with other rows, windows, law, version or size of files. "
                "Choose another folder, or replace it with --overwrite."
            )
    describe(out)


def describe(out: Path) -> None:
    """Rebuild the manifest and the card of a folder from its receipts, until no other job has added any meanwhile."""
    written = None
    while (manifest := build_manifest(out)) != written:
        write_json(out / "manifest.json", manifest)
        write_text(out / "README.md", dataset_card(manifest, out))
        written = manifest


def _refuse_foreign(out: Path) -> None:
    if out.is_dir() and any(out.iterdir()) and not (out / RECEIPTS).is_dir():
        raise UsageError(f"{out} holds other files; choose a new or empty folder.")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; choose a new or empty folder.")


@dataclass(frozen=True, eq=False)
class _Writer:
    """Writes what is missing of a task."""

    splits: dict[str, Content]
    plans: dict[str, Plan]
    workers: int
    shard_rows: int
    progress: Progress

    def task(self, task: Task, out: Path) -> None:
        """Every file that is missing, and the leak report."""
        self.clear(out / "data" / task.name)
        missing = {
            name: [i for i in range(p.files) if not _is_finished(p, i, out)] for name, p in self.plans.items()
        }
        rows = sum(plan.rows for plan in self.plans.values())
        self.progress(
            rows - sum(len(self.rows(self.plans[name], i)) for name, some in missing.items() for i in some)
        )
        if not any(missing.values()) and leaks_file(out, task.name).exists():
            return
        for content in self.splits.values():
            _ = content.rows  # chosen once, before there are threads, and before anything is written
        with ThreadPoolExecutor(1) as background:
            leaks = background.submit(leak_report, task, self.splits)
            for name, some in missing.items():
                for index in some:
                    self.file(self.plans[name], index, out)
            write_json(leaks_file(out, task.name), leaks.result())

    def clear(self, folder: Path) -> None:
        """Remove what a killed command left: half a file, or a file of other rows that has no receipt."""
        files = {Path(plan.file(index)).name for plan in self.plans.values() for index in range(plan.files)}
        for path in folder.glob("*"):
            if path.name not in files and path.is_file():
                path.unlink()

    def rows(self, plan: Plan, index: int) -> range:
        """The rows of a file."""
        first = index * self.shard_rows
        return range(first, min(first + self.shard_rows, plan.rows))

    def file(self, plan: Plan, index: int, out: Path) -> None:
        """One file, under its name once it is complete, then its receipt."""
        content, path = self.splits[plan.split], out / plan.file(index)
        (out / RECEIPTS).mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.part")
        rows, columns, totals = self.rows(plan, index), schema(content.task, plan.split), Totals()
        starts = range(rows.start, rows.stop, BLOCK_ROWS)
        try:
            with (
                open_file(temporary, "wb") as file,
                pq.ParquetWriter(file, columns, **parquet_options(columns)) as writer,
            ):
                for block in in_order(content.block, starts, self.workers):
                    for piece in block.pieces:
                        writer.write_batch(piece.batch, row_group_size=BLOCK_ROWS)
                        totals.add(piece.batch)
                        self.progress(piece.batch.num_rows)
                    totals.blocks.append(block.digest)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sha256 = file_digest(path)
        receipt = totals.receipt(plan, index, path.stat().st_size, sha256, content.repetition_rate)
        write_json(out / plan.receipt(index), asdict(receipt))


def parquet_options(columns: pa.Schema) -> dict[str, Any]:
    """How files are written. Dictionaries are for all columns but the first, which is the text.

    Parquet knows a column by its leaf, `next.list.element`.
    """
    leaves = [
        f"{field.name}.list.{field.type.value_field.name}" if pa.types.is_list(field.type) else field.name
        for field in columns
    ]
    return {"compression": "zstd", "write_page_index": True, "use_dictionary": leaves[1:]}


def _is_finished(plan: Plan, index: int, out: Path) -> bool:
    receipt, file = out / plan.receipt(index), out / plan.file(index)
    return receipt.exists() and file.exists() and file.stat().st_size == Receipt.read(receipt).bytes


def _clear_abandoned(out: Path) -> None:
    """Remove what commands that were killed had written to replace a task."""
    for path in out.glob(f"{REPLACING}-*"):
        task = path.name.removeprefix(f"{REPLACING}-").rpartition("-")[0]
        with suppress(UsageError), writing(out, task, CLEARING):
            shutil.rmtree(path, ignore_errors=True)


def _replace(task: str, staged: Path, out: Path) -> None:
    """Put the staged files of a task in the place of the old ones by renaming folders, the receipts last."""
    for part in ("data", RECEIPTS):
        old, new = out / part / task, staged / part / task
        if old.exists():
            old.rename(staged / f"old-{part}")
        old.parent.mkdir(parents=True, exist_ok=True)
        new.rename(old)
    leaks_file(staged, task).replace(leaks_file(out, task))
    shutil.rmtree(staged)
