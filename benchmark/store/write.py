"""Generating: from the key of a split to its files.

A block of rows is a function of the key and the numbers of its draws, so blocks are made by any number of threads
(the kernels run without the GIL) and written in order. A file that is finished has a receipt; a run that was killed
goes on behind the last receipt and ends in the same content.
"""

import hashlib
import os
import shutil
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.errors import UsageError
from marnn_bench.store.arrow import numbers
from marnn_bench.store.card import dataset_card
from marnn_bench.store.columns import schema
from marnn_bench.store.content import Content, contents
from marnn_bench.store.digest import BLOCK_ROWS, block_digest
from marnn_bench.store.leaks import leak_report
from marnn_bench.store.manifest import (
    RECEIPTS,
    Plan,
    Receipt,
    build_manifest,
    leaks_file,
    receipts,
    write_json,
    write_text,
)
from marnn_bench.task import Task

SHARD_ROWS = 16 * BLOCK_ROWS
REPLACING = ".replacing"

PARQUET = {"compression": "zstd", "write_page_index": True}

Progress = Callable[[int], object]
Block = tuple[pa.RecordBatch, str]
"""Rows and their digest."""


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

    def rows(self, plan: Plan, index: int) -> range:
        """The rows of a file."""
        first = index * self.shard_rows
        return range(first, min(first + self.shard_rows, plan.rows))

    def file(self, plan: Plan, index: int, out: Path) -> None:
        """One file, under its name once it is complete, then its receipt."""
        content, path = self.splits[plan.split], out / plan.file(index)
        (out / RECEIPTS).mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
        _remove_abandoned(path)
        rows, columns, totals = self.rows(plan, index), schema(content.task, plan.split), _Totals()

        def make(start: int) -> Block:
            batch = content.batch(start, min(start + BLOCK_ROWS, rows.stop))
            return batch, block_digest(batch)

        try:
            with pq.ParquetWriter(temporary, columns, **PARQUET, use_dictionary=columns.names[1:]) as writer:
                for batch, digest in _prefetch(make, range(rows.start, rows.stop, BLOCK_ROWS), self.workers):
                    writer.write_batch(batch, row_group_size=BLOCK_ROWS)
                    totals.add(batch, digest)
                    self.progress(batch.num_rows)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        receipt = totals.receipt(plan, index, path.stat().st_size, sha256, content.repetition_rate)
        write_json(out / plan.receipt(index), asdict(receipt))


def _remove_abandoned(path: Path) -> None:
    """Remove what killed processes left of a file."""
    for part in path.parent.glob(f".{path.name}.*.part"):
        try:
            os.kill(int(part.suffixes[-2][1:]), 0)
        except ProcessLookupError:
            part.unlink(missing_ok=True)
        except PermissionError:
            continue  # of another user, and alive


def _is_finished(plan: Plan, index: int, out: Path) -> bool:
    receipt, file = out / plan.receipt(index), out / plan.file(index)
    return receipt.exists() and file.exists() and file.stat().st_size == Receipt.read(receipt).bytes


class _Totals:
    """What adds up over the blocks of a file."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.rows = self.symbols = self.depth = self.longest = self.deepest = self.arrow_bytes = 0
        self.shortest: int | None = None

    def add(self, batch: pa.RecordBatch, digest: str) -> None:
        lengths = numbers(batch["length"])
        depths = numbers(batch["depth"]) if "depth" in batch.schema.names else lengths[:0]
        self.blocks.append(digest)
        self.rows += batch.num_rows
        self.symbols += int(lengths.sum())
        self.depth += int(depths.sum())
        self.longest = max(self.longest, int(lengths.max()))
        self.deepest = max(self.deepest, int(depths.max(initial=0)))
        self.arrow_bytes += batch.nbytes
        shortest = int(lengths.min())
        self.shortest = shortest if self.shortest is None else min(self.shortest, shortest)

    def receipt(
        self, plan: Plan, index: int, size: int, sha256: str, repetition_rate: float | None
    ) -> Receipt:
        return Receipt(
            plan=plan,
            index=index,
            rows=self.rows,
            bytes=size,
            sha256=sha256,
            blocks=self.blocks,
            symbols=self.symbols,
            depth=self.depth,
            shortest=self.shortest or 0,
            longest=self.longest,
            deepest=self.deepest,
            repetition_rate=repetition_rate,
            arrow_bytes=self.arrow_bytes,
        )


def _prefetch(make: Callable[[int], Block], starts: range, workers: int) -> Iterator[Block]:
    """The blocks in order, made by this many threads a little ahead of their use."""
    if workers == 1 or len(starts) == 1:
        yield from map(make, starts)
        return
    with ThreadPoolExecutor(workers) as pool:
        pending: deque[Future[Block]] = deque()
        for start in starts:
            pending.append(pool.submit(make, start))
            if len(pending) > workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


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
