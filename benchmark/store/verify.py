"""Verifying: every row of a folder decided again, a block at a time.

1. manifest, receipts and the list of files belong together, and each file has its sha256;
2. every block of rows is what the split's key generates now, column for column;
3. every string is accepted by the automaton, which did not draw it, and its size is in the window; no string is there
   twice where the split says so;
4. the leak report and everything else that the manifest says is what comes out of that, and the card is made of both.

Floating-point numbers may differ in their last bits, which are not the same on every machine.
Splits of another major version cannot be generated; their answers are compared with those of the automaton instead.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from marnn_bench.errors import DataError, UsageError
from marnn_bench.generators.errors import MarnnError
from marnn_bench.generators.sampling.distinct import StringSet, fingerprints
from marnn_bench.generators.strings import Strings
from marnn_bench.store.arrow import numbers, open_file
from marnn_bench.store.columns import read_strings, schema, to_batch
from marnn_bench.store.content import Content, contents, in_order
from marnn_bench.store.digest import BLOCK_ROWS, block_digest
from marnn_bench.store.folder import check_card, check_description, check_receipts, difference, plain
from marnn_bench.store.leaks import leak_report
from marnn_bench.store.manifest import REGENERATE_HINT, Plan, Receipt, Totals, manifest_of, read_manifest
from marnn_bench.store.read import check_file, readable, with_manifest_splits
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import Recognition

Progress = Callable[[int], object]

TOLERANCE = 1e-12
"""What floating-point numbers may differ by, relative to their size, or to 1 if they are smaller."""


@dataclass(frozen=True)
class Verified:
    """A split that stood every test; `regenerated` is false where this program cannot generate its version."""

    task: str
    split: str
    rows: int
    symbols: int
    digest: str
    regenerated: bool


def verify(folder: Path, workers: int = 1, progress: Progress = lambda rows: None) -> Iterator[Verified]:
    """Verify every split of a folder; DataError at the first fault."""
    manifest = read_manifest(folder)
    check_description(folder, manifest)
    for name, entry in manifest["tasks"].items():
        yield from _verify_task(folder, name, entry, workers, progress)
    expected = {**manifest_of([], {}), "tasks": manifest["tasks"]}
    _refuse_other(folder, "", manifest, expected)
    check_card(folder, manifest)


def _verify_task(
    folder: Path, name: str, entry: dict[str, Any], workers: int, progress: Progress
) -> Iterator[Verified]:
    known = _known(name, folder)
    regenerated = entry["version"].split(".")[0] == known.version.split(".")[0]
    with _impossible(folder, name):
        task = with_manifest_splits(replace(known, version=entry["version"]), entry["splits"])
        splits = contents(task, workers)
        columns = {split: schema(task, split) for split in splits}
    for split in splits:
        if split not in entry["splits"]:
            raise DataError(f"{folder}: {name} lacks the split {split}. Run `marnn-bench generate` again.")
    checks = [
        _SplitCheck(folder, content, columns[split], entry["splits"][split], regenerated)
        for split, content in splits.items()
    ]
    for check in checks:  # all of them before rows are drawn: a damaged law or window could take for ever
        check.footers()
    found: list[Receipt] = []
    for check in checks:
        found += check.files(workers, progress)
        listed = check.listed
        yield Verified(
            name, check.content.split, listed["rows"], listed["symbols"], listed["digest"], regenerated
        )
    leaks = plain(leak_report(task, splits)) if regenerated else entry.get("leaks")
    expected = manifest_of(found, {} if leaks is None else {name: leaks})["tasks"][name]
    _refuse_other(folder, name, entry, plain(expected))
    check_receipts(folder, name, found, leaks)


def _refuse_other(folder: Path, name: str, found: dict[str, Any], expected: dict[str, Any]) -> None:
    differs = difference(found, expected)
    if differs is not None:
        what = " ".join(f"{name} {differs}".split())
        raise DataError(f"{folder / 'manifest.json'}: {what} is not what the data says. {REGENERATE_HINT}")


@contextmanager
def _impossible(folder: Path, what: str) -> Iterator[None]:
    """Windows, laws and rows that no command writes, as damage."""
    try:
        yield
    except DataError:
        raise
    except MarnnError as error:
        raise DataError(
            f"{folder / 'manifest.json'}: {what} is impossible ({error}) {REGENERATE_HINT}"
        ) from None


def _known(name: str, folder: Path) -> Task:
    try:
        return find_task(name)
    except UsageError:
        raise DataError(
            f"{folder} holds {name!r:.50}, which is no task here. Install the package that offers it."
        ) from None


@dataclass(frozen=True, eq=False)
class _SplitCheck:
    """Checks the files of a split.

    columns:  what its files must have
    listed:   what the manifest says of it
    """

    folder: Path
    content: Content
    columns: pa.Schema
    listed: Mapping[str, Any]
    regenerated: bool

    def footers(self) -> None:
        """DataError unless each file is the one that is listed, with these columns, metadata and number of rows."""
        for shard in self.listed["shards"]:
            path = self.folder / shard["file"]
            check_file(path, shard["sha256"])
            _File(path, 0, shard["rows"]).check_footer(self.columns)

    def files(self, workers: int, progress: Progress) -> Iterator[Receipt]:
        """What the receipt of each file must be; DataError at the first fault."""
        plan = self._plan()
        known = StringSet(plan.rows) if self.content.task.split(plan.split).distinct else None
        first = 0
        for index, shard in enumerate(self.listed["shards"]):
            file = _File(self.folder / shard["file"], first, shard["rows"])
            starts = range(first, first + file.rows, BLOCK_ROWS)
            totals = Totals()
            for start, block in zip(
                starts, in_order(partial(self._block, file), starts, workers), strict=True
            ):
                if known is not None:
                    file.refuse(~known.add_fingerprints(block.fingerprints), start, "repeats an earlier one")
                totals.merge(block.totals)
                progress(block.totals.rows)
            first += file.rows
            rate = self.content.repetition_rate if self.regenerated else self.listed["repetition_rate"]
            yield totals.receipt(plan, index, file.path.stat().st_size, shard["sha256"], rate)

    def _plan(self) -> Plan:
        """The plan of the split, which its files must follow."""
        where, shards = f"{self.content.task.name} {self.content.split}", self.listed["shards"]
        sizes = [shard["rows"] for shard in shards]
        rows, of_file = sum(sizes), sizes[0]
        if len(sizes) == 1:
            of_file = max(-(-rows // BLOCK_ROWS), 1) * BLOCK_ROWS
        with _impossible(self.folder, where):
            plan = Plan.of(self.content, max(of_file, 1), None if self.regenerated else rows)
            if self.regenerated and plan.rows == rows:
                _ = self.content.rows  # chosen once, before there are threads
        cut = [min(of_file, rows - start) for start in range(0, rows, max(of_file, 1))]
        named = [plan.file(index) for index in range(len(sizes))]
        if plan.rows != rows or of_file % BLOCK_ROWS or sizes != cut or [s["file"] for s in shards] != named:
            raise DataError(
                f"{self.folder / 'manifest.json'}: {where} has {plan.rows:,} rows; those of the files that are listed "
                f"are {rows:,}, or they are cut or named otherwise. {REGENERATE_HINT}"
            )
        return plan

    def _block(self, file: "_File", start: int) -> "_Block":
        """Check the block that begins with this row of the split."""
        totals, prints, row = Totals(), [], start
        rows = file.reader()
        if self.regenerated:
            block = self.content.block(start)
            for piece in block.pieces:
                found = rows(row, row + len(piece.strings))
                if _other_column(found, piece.batch) is not None:
                    self._explain(file, found, piece.batch, row)
                self._decide(file, piece.strings, piece.batch, row)
                totals.add(piece.batch)
                prints.append(fingerprints(piece.strings))
                row += len(piece.strings)
            totals.blocks.append(block.digest)
        else:
            found = rows(start, min(start + BLOCK_ROWS, file.first + file.rows))
            strings = read_strings(self.content.task, found, str(file.path), start - file.first)
            (batch,) = found.combine_chunks().to_batches()
            self._decide(file, strings, batch, start)
            self._check_answers(file, strings, batch, start)
            totals.add(batch)
            totals.blocks.append(block_digest(batch))
            prints.append(fingerprints(strings))
        return _Block(totals, np.concatenate(prints))

    def _decide(self, file: "_File", strings: Strings, batch: pa.RecordBatch, row: int) -> None:
        """Membership by the automaton, and sizes; of recognition rows the label."""
        task, window = self.content.task, self.content.task.split(self.content.split).window
        member = task.language.accepts(strings)
        if isinstance(task.view, Recognition):
            label = numbers(batch["label"].cast(pa.uint8())) == 1
            file.refuse(member != label, row, "has another label than the automaton gives")
        else:
            file.refuse(~member, row, f"is no string of {task.language.name}")
        sizes, outside = task.language.sizes_of(strings.take(member)), np.zeros(len(strings), np.bool_)
        outside[member] = (sizes < window.low) | (sizes > window.high)
        file.refuse(outside, row, f"is outside the window {window}")

    def _check_answers(self, file: "_File", strings: Strings, found: pa.RecordBatch, row: int) -> None:
        """The answers after each symbol, and what else follows from the string alone."""
        task = self.content.task
        if not isinstance(task.view, Recognition):
            right = to_batch(task, self.content.split, strings)
            name = _other_column(found, right)
            if name is not None:
                source = "law" if name == "log_prob" else "automaton"
                fault = f"has another {name} than the {source} gives"
                file.refuse(_unequal(found[name], right[name]), row, fault)

    def _explain(self, file: "_File", found: pa.Table, right: pa.RecordBatch, row: int) -> None:
        """Raise the DataError for rows that are not those that are generated: what the automaton says, if anything."""
        strings = read_strings(self.content.task, found, str(file.path), row - file.first)
        (batch,) = found.combine_chunks().to_batches()
        self._decide(file, strings, batch, row)
        self._check_answers(file, strings, batch, row)
        task = self.content.task
        for name in right.schema.names:
            fault = f"has another {name}: the row is not what {task.name} {task.version} generates"
            file.refuse(_unequal(batch[name], right[name]), row, fault)


@dataclass(frozen=True, eq=False)
class _Block:
    """What a block adds to the receipt of its file, and fingerprints of its strings."""

    totals: Totals
    fingerprints: NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class _File:
    """A file of a split: its first row's number in the split, and how many rows it has."""

    path: Path
    first: int
    rows: int

    def check_footer(self, columns: pa.Schema) -> None:
        """DataError unless columns, metadata and the number of rows are these."""
        with readable(self.path):
            file = pq.ParquetFile(open_file(self.path))
        keys = {*(columns.metadata or {}), b"ARROW:schema"}
        if not file.schema_arrow.equals(columns, check_metadata=True) or {*file.metadata.metadata} != keys:
            raise DataError(f"{self.path} has other columns or metadata than are written. {REGENERATE_HINT}")
        if file.metadata.num_rows != self.rows:
            raise DataError(
                f"{self.path} has {file.metadata.num_rows:,} rows, not {self.rows:,}. {REGENERATE_HINT}"
            )

    def reader(self) -> Callable[[int, int], pa.Table]:
        """What reads rows first..last-1, numbered as in the split; for one thread."""
        with readable(self.path):
            file = pq.ParquetFile(open_file(self.path))
        groups = [file.metadata.row_group(i).num_rows for i in range(file.metadata.num_row_groups)]
        ends = self.first + np.cumsum(groups)

        def read(first: int, last: int) -> pa.Table:
            chosen = range(
                int(np.searchsorted(ends, first, side="right")), int(np.searchsorted(ends, last)) + 1
            )
            with readable(self.path):
                table = file.read_row_groups([*chosen], use_threads=False)
            start = int(ends[chosen.start]) - groups[chosen.start]
            return table.slice(first - start, last - first)

        return read

    def refuse(self, bad: NDArray[np.bool_], row: int, fault: str) -> None:
        """DataError for the first bad row of some that begin with this row of the split."""
        if bad.any():
            number = row - self.first + int(np.flatnonzero(bad)[0])
            raise DataError(f"{self.path}, row {number}: {fault}. {REGENERATE_HINT}")


def _other_column(found: pa.Table | pa.RecordBatch, right: pa.RecordBatch) -> str | None:
    """The first column in which rows differ."""
    for name in right.schema.names:
        column = found[name]
        if isinstance(column, pa.ChunkedArray):
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        same = column.equals(right[name])
        if not same and (not pa.types.is_floating(column.type) or _unequal(column, right[name]).any()):
            return str(name)
    return None


def _unequal(found: pa.Array, right: pa.Array) -> NDArray[np.bool_]:
    """Which rows of a column differ: [n]."""
    if pa.types.is_floating(right.type):
        there, here = numbers(found), numbers(right)
        return np.asarray(~(np.abs(there - here) <= TOLERANCE * np.maximum(np.abs(here), 1)))
    return np.array([a != b for a, b in zip(found.to_pylist(), right.to_pylist(), strict=True)])
