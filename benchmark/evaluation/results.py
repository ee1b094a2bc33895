"""A result on disk: one directory, exactly where the user said.

OUT/.lock                             held by the evaluation that writes the folder; it says which process that is
OUT/.parts/key                        what is being evaluated; gone when the result is complete
OUT/.parts/files.json                 digests of the files that the model's process opened so far
OUT/.parts/thresholds.json            of the runs that needed one
OUT/.parts/<run>-<wave>.arrow         the answers to a wave, and what went wrong in it, with a checksum
OUT/samples.parquet                   the answers to all waves
OUT/errors.jsonl                      what went wrong, a line each
OUT/result.json                       written last: a folder without it holds no result
"""

import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import IO, Any, Final, Literal
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.errors import DataError, UsageError
from marnn_bench.evaluation.records import integrity
from marnn_bench.file_digests import Digests, file_digest
from marnn_bench.scoring.metrics import Record
from marnn_bench.store.arrow import open_file, to_arrow
from marnn_bench.store.columns import METADATA
from marnn_bench.store.lock import Lock, held
from marnn_bench.store.manifest import write_json, write_text
from marnn_bench.visible import visible

State = Literal["new", "unfinished", "complete", "other", "changed"]

Policy = Literal["refuse", "move", "replace"]
"""What becomes of another result in the folder."""

LOCK: Final = ".lock"
RUN: Final = pa.field("run", pa.uint16(), nullable=False)
ROW: Final = pa.field("row", pa.uint32(), nullable=False)
CHECKSUM_BYTES: Final = 4


@dataclass(frozen=True)
class Part:
    """The answers of one run to one wave.

    rows:    of the split
    table:   a row for each of them, of any columns, the same in all parts
    errors:  what went wrong
    """

    run: int
    wave: int
    rows: range
    table: pa.Table
    errors: list[Record]

    def numbered(self) -> pa.Table:
        """The table behind the columns `run` and `row`."""
        runs = to_arrow(np.full(len(self.rows), self.run, np.uint16))
        rows = to_arrow(np.array(self.rows, np.uint32))
        return self.table.add_column(0, ROW, rows).add_column(0, RUN, runs)


class ResultFolder:
    """The directory of one result, new or begun before.

    key:       what is evaluated, and how; a directory with another key holds another result
    other:     what becomes of another result there, when this one begins
    changed:   which of the files that a model's process opened are not now what they were
    moved_to:  where it was moved
    """

    def __init__(
        self,
        path: Path,
        key: str,
        other: Policy = "refuse",
        changed: Callable[[Digests], list[str]] = lambda recorded: [],
    ) -> None:
        self.path = path
        self.key = key
        self.moved_to: Path | None = None
        self._other = other
        self._changed = changed
        self._remembered: dict[str, Any] = {}
        self._lock: Lock | None = None
        self.samples = path / "samples.parquet"
        self._errors = path / "errors.jsonl"
        self._result = path / "result.json"
        self._parts = path / ".parts"

    def state(self) -> State:
        """What is there of this result. UsageError for what may not be touched."""
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"{self.path} is a file. Choose another --out.")
        found = {file.name for file in self.path.iterdir()} - {LOCK} if self.path.exists() else set()
        if not found:
            return "new"
        if self._result.name in found:
            if self._is_complete():
                return "complete"
            if self._other == "refuse":
                raise UsageError(
                    f"{self.path} holds the result of something else: {self.cause()}. Choose another --out, or "
                    "replace it with --overwrite."
                )
            return "other"
        if self._parts.name in found:
            key = self._parts / "key"
            if not key.exists():  # killed before it began
                return "new"
            same = key.read_bytes() == self.key.encode() and not self.changed_files()
            return "unfinished" if same else "changed"
        if self._other != "move":
            raise UsageError(f"{self.path} holds other files; choose a new or empty folder.")
        return "other"

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the folder, ready for the parts that are missing; what there is of another result goes.

        UsageError if another process holds it: an evaluation may take hours, so that nobody waits for it unasked.
        """
        with ExitStack() as locks:
            self._lock = locks.enter_context(self._held())
            state = self.state()
            if state == "complete" and self._other != "replace":
                raise UsageError(f"{self.path} holds this result by now; --overwrite evaluates it again.")
            if state == "other" and self._other == "move":
                self._move()
                self._lock = locks.enter_context(self._held())
            if state != "unfinished":
                self._clear()
            try:
                yield
            finally:
                self._lock = None

    def changed_files(self) -> list[str]:
        """The files of the model that what is there depends on and that have changed since."""
        try:
            if self._result.exists():
                return self._changed(json.loads(self._result.read_bytes())["model"].get("files", {}))
            return self._changed(self.files())
        except (ValueError, KeyError, TypeError, AttributeError):  # what is there is damaged
            return []

    def cause(self) -> str:
        """What has changed since the result that is there was begun."""
        if changed := self.changed_files():
            return f"{visible(', '.join(changed))} {'has' if len(changed) == 1 else 'have'} changed"
        return "the name of the model, the data, an option or the version of marnn-bench has changed"

    def files(self) -> Digests:
        """The files of the model that the parts depend on."""
        files: Digests = self._recall("files")
        return files

    def remember_files(self, opened: Digests) -> None:
        """Add to the files that the parts depend on."""
        self._remember("files", opened)

    def threshold(self, run: int) -> float | None:
        """The threshold that was chosen for a run, if one was."""
        chosen: float | None = self._recall("thresholds").get(str(run))
        return chosen

    def remember_threshold(self, run: int, threshold: float) -> None:
        """Keep the threshold that was chosen for a run."""
        self._remember("thresholds", {str(run): threshold})

    def _recall(self, name: str) -> dict[str, Any]:
        path = self._parts / f"{name}.json"
        found: dict[str, Any] = json.loads(path.read_bytes()) if path.exists() else {}
        return found

    def _remember(self, name: str, added: Mapping[str, Any]) -> None:
        if added != self._remembered.get(name):
            write_json(self._parts / f"{name}.json", {**self._recall(name), **added})
            self._remembered[name] = dict(added)

    def has(self, run: int, wave: int, rows: range) -> bool:
        """Whether the answers to a wave of these rows are there, whole and of this evaluation."""
        return self._read(run, wave, rows) is not None

    def write(self, part: Part) -> None:
        """Write the answers to a wave, as a whole."""
        if len(part.table) != len(part.rows):
            raise ValueError(f"A part has {len(part.table)} answers to {len(part.rows)} rows.")
        self._require_lock()
        about = {b"part": self._name(part.run, part.rows), b"errors": json.dumps(part.errors)}
        buffer = pa.BufferOutputStream()
        schema = part.table.schema.with_metadata(about)
        with pa.ipc.new_stream(buffer, schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as stream:
            stream.write_table(part.table)
        content = buffer.getvalue().to_pybytes()
        temporary = self._parts / "part"
        temporary.write_bytes(content + _checksum(content))
        temporary.replace(self._part(part.run, part.wave))

    def write_error(self, error: Record) -> None:
        """Write what ended the evaluation."""
        self._require_lock()
        (self._parts / self._errors.name).write_text(json.dumps(error) + "\n", encoding="utf-8")
        self._publish(self._errors)

    @contextmanager
    def joining(
        self, waves: Sequence[range], about: Mapping[str, Any]
    ) -> Iterator[Callable[[int], pa.Table]]:
        """Make samples.parquet, a row group for each run, and errors.jsonl from the parts.

        Gives a function to be called for each run in order, once its parts are there, which returns its table. The files
        come to their places at the end.

        waves:  their rows, the same in all runs
        about:  what the samples are of, for who finds the file alone: JSON in its metadata
        """
        self._require_lock()
        metadata = {METADATA: json.dumps({**about, "key": self.key})}
        with ExitStack() as files:
            writer: pq.ParquetWriter | None = None
            errors: IO[str]

            def join(run: int) -> pa.Table:
                nonlocal writer, errors
                table, failures = self._joined(run, waves)
                if writer is None:  # the parts say which columns there are
                    errors = files.enter_context(
                        (self._parts / self._errors.name).open("w", encoding="utf-8")
                    )
                    file = files.enter_context((self._parts / self.samples.name).open("wb"))
                    schema = table.schema.with_metadata(metadata)
                    writer = files.enter_context(pq.ParquetWriter(file, schema, compression="zstd"))
                errors.writelines(json.dumps(failure) + "\n" for failure in failures)
                writer.write_table(table, row_group_size=len(table))
                return table

            yield join
        self._publish(self.samples, self._errors)

    def table(self, run: int, columns: Sequence[str] | None = None) -> pa.Table:
        """The answers of a run, out of samples.parquet: all columns or these."""
        with open_file(self.samples) as file:
            return pq.ParquetFile(file).read_row_group(run, columns=columns)

    def commit(self, result: Record) -> Record:
        """Write result.json, which completes the result, and remove the parts."""
        self._require_lock()
        with self._errors.open(encoding="utf-8") as lines:
            listed = map(json.loads, lines)
            failed = len({(error["run"], row) for error in listed for row in error["rows"]})
        with open_file(self.samples) as file:
            rows = {self.samples: pq.read_metadata(file).num_rows, self._errors: failed}
        samples, errors = (
            {"file": path.name, "rows": n, "sha256": file_digest(path)} for path, n in rows.items()
        )
        result = {**result, "samples": samples, "errors": errors, "resume_key": self.key}
        result["integrity"] = integrity(result)
        text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
        (self._parts / self._result.name).write_text(text, encoding="utf-8")
        self._publish(self._result)
        shutil.rmtree(self._parts)
        return result

    def read(self) -> Record:
        """The result that is complete; what a killed evaluation did not remove any more goes."""
        record: Record = json.loads(self._result.read_bytes())
        if self._parts.exists() or (self.path / LOCK).exists():
            with suppress(UsageError, OSError), self._held():  # somebody else's by now, or read-only
                if self.state() == "complete":
                    shutil.rmtree(self._parts)
        return record

    # -- the folder

    @contextmanager
    def _held(self) -> Iterator[Lock]:
        def refuse(holder: str) -> None:
            raise UsageError(
                f"{self.path} is being written by {holder}. Wait for its end, or choose another --out."
            )

        now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        me = f"process {os.getpid()} on {platform.node()}, since {now}"
        with held(self.path / LOCK, me, refuse) as lock:
            yield lock

    def _require_lock(self) -> None:
        if self._lock is None or not self._lock.in_place():
            raise UsageError(
                f"{self.path} was removed while it was being written. Give the same command again."
            )

    def _move(self) -> None:
        """Out of the way, as a whole; the lock of the folder that was is of no use there."""
        numbered = (self.path.with_name(f"{self.path.name}.{i}") for i in count(1))
        self.moved_to = next(path for path in numbered if not path.exists())
        self.path.rename(self.moved_to)
        (self.moved_to / LOCK).unlink()

    def _clear(self) -> None:
        """Begin anew. Whenever this is cut short, the folder holds no result, and can be told from foreign ones."""
        self._parts.mkdir(exist_ok=True)
        for file in (self._result, self.samples, self._errors, *self._parts.iterdir()):
            file.unlink(missing_ok=True)
        write_text(self._parts / "key", self.key)

    def _publish(self, *files: Path) -> None:
        """Move finished files from the parts to their places, so that a power cut leaves no later one without them."""
        for file in files:
            _sync(self._parts / file.name)
            (self._parts / file.name).replace(file)
        _sync(self.path)

    def _is_complete(self) -> bool:
        try:
            record = json.loads(self._result.read_bytes())
            sound = (record["resume_key"], record["integrity"]) == (self.key, integrity(record))
            return sound and not self.changed_files()
        except (ValueError, KeyError, TypeError):
            return False

    # -- its parts

    def _part(self, run: int, wave: int) -> Path:
        return self._parts / f"{run:05d}-{wave:05d}.arrow"

    def _name(self, run: int, rows: range) -> str:
        """What a part belongs to."""
        return json.dumps([self.key, run, rows.start, rows.stop])

    def _read(self, run: int, wave: int, rows: range) -> Part | None:
        """The answers to a wave; None if they are not there, not whole or not of this evaluation."""
        try:
            whole = self._part(run, wave).read_bytes()
            content, checksum = whole[:-CHECKSUM_BYTES], whole[-CHECKSUM_BYTES:]
            if checksum != _checksum(content):
                return None
            with pa.ipc.open_stream(content) as stream:
                table = stream.read_all()
            about = table.schema.metadata
            if about[b"part"].decode() != self._name(run, rows):
                return None
            return Part(run, wave, rows, table.replace_schema_metadata(), json.loads(about[b"errors"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return None

    def _joined(self, run: int, waves: Sequence[range]) -> tuple[pa.Table, list[Record]]:
        """The answers of a run, and what went wrong."""
        tables, errors = [], []
        for wave, rows in enumerate(waves):
            part = self._read(run, wave, rows)
            if part is None:
                raise DataError(f"{self._part(run, wave)} was changed. Give the same command again.")
            errors += part.errors
            tables.append(part.numbered())
        return pa.concat_tables(tables), errors


def _checksum(content: bytes) -> bytes:
    return crc32(content).to_bytes(CHECKSUM_BYTES, "little")


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, would survive a power cut."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
