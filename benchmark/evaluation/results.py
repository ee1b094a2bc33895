"""A result on disk: one directory, exactly where the user said.

OUT/.parts/key                        what is being evaluated; gone when the result is complete
OUT/.parts/<run>-<wave>.parquet       the answers to a wave, and what went wrong in it
OUT/samples.parquet                   the answers to all waves
OUT/errors.jsonl                      what went wrong, a line each
OUT/result.json                       written last: a folder without it holds no result
"""

import hashlib
import json
import shutil
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.errors import DataError, UsageError
from marnn_bench.evaluation.protocol import Masks
from marnn_bench.evaluation.source import file_digest
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.metrics import Correctness, Record
from marnn_bench.store.arrow import from_lists, to_arrow, to_lists
from marnn_bench.store.manifest import write_json, write_text

State = Literal["new", "unfinished", "complete", "other", "changed"]

SAMPLES: Final = pa.schema(
    [
        pa.field("run", pa.uint16(), nullable=False),
        pa.field("row", pa.uint32(), nullable=False),
        pa.field("predicted", pa.list_(pa.field("element", pa.uint64(), nullable=False)), nullable=False),
        pa.field("correct", pa.bool_(), nullable=False),
        pa.field("first_error", pa.int32(), nullable=False),
    ]
)
"""predicted: a mask for each symbol. first_error: index of the first wrong one, -1 if there is none."""

ERRORS: Final = b"errors"
"""Under this key of a part's metadata: what went wrong in its wave, so that both are written at once."""


@dataclass(frozen=True)
class Part:
    """The answers of one run to one wave.

    rows:       of the split
    strings:    their strings, with
    answers:    the right set after each symbol, [symbols], and
    predicted:  the model's, [symbols]
    errors:     what went wrong
    """

    run: int
    wave: int
    rows: range
    strings: Strings
    answers: Masks
    predicted: Masks
    errors: list[Record]

    def table(self) -> pa.Table:
        """The part as it is written."""
        correctness = Correctness.of(self.strings, self.answers, self.predicted)
        columns = [
            to_arrow(np.full(len(self.rows), self.run, np.uint16)),
            to_arrow(np.array(self.rows, np.uint32)),
            to_lists(self.predicted, self.strings.offsets, SAMPLES.field("predicted").type),
            to_arrow(correctness.correct),
            to_arrow(correctness.first_error),
        ]
        return pa.Table.from_arrays(columns, schema=SAMPLES.with_metadata({ERRORS: json.dumps(self.errors)}))


class ResultFolder:
    """The directory of one result, new or begun before.

    key:         what is evaluated, and how; a directory with another key holds another result
    moves_other: whether what else is there is moved, when this result begins, and not replaced
    moved_to:    where, once it was
    """

    def __init__(self, path: Path, key: str, moves_other: bool = False) -> None:
        self.path = path
        self.key = key
        self.moved_to: Path | None = None
        self._moves_other = moves_other
        self.samples = path / "samples.parquet"
        self._result = path / "result.json"
        self._errors = path / "errors.jsonl"
        self._parts = path / ".parts"

    def state(self) -> State:
        """What is there of this result."""
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"{self.path} is a file. Choose another --out.")
        if not self.path.exists() or not any(self.path.iterdir()):
            return "new"
        if self._result.exists():
            return "complete" if self._is_complete() else "other"
        key = self._parts / "key"
        if not key.exists():
            if self._moves_other:
                return "other"
            raise UsageError(f"{self.path} holds other files; choose a new or empty folder.")
        return "unfinished" if key.read_text() == self.key else "changed"

    def begin(self) -> None:
        """Make ready for the parts that are missing; what there is of another result goes."""
        state = self.state()
        if state == "unfinished":
            return
        if state == "other" and self._moves_other:
            numbered = (self.path.with_name(f"{self.path.name}.{i}") for i in count(1))
            self.moved_to = next(path for path in numbered if not path.exists())
            self.path.rename(self.moved_to)
        for file in (self._result, self.samples, self._errors):
            file.unlink(missing_ok=True)
        if self._parts.exists():
            shutil.rmtree(self._parts)
        self._parts.mkdir(parents=True)
        write_text(self._parts / "key", self.key)

    def has(self, run: int, wave: int) -> bool:
        """Whether the answers to a wave are there."""
        return self._part(run, wave).exists()

    def write(self, part: Part) -> None:
        """Write the answers to a wave, as a whole."""
        buffer = pa.BufferOutputStream()
        pq.write_table(part.table(), buffer, compression="zstd")
        temporary = self._parts / "part"
        temporary.write_bytes(buffer.getvalue())
        temporary.replace(self._part(part.run, part.wave))

    def write_errors(self, last: Record | None = None) -> int:
        """Write what went wrong in all waves that are there, and what went wrong last; how many rows that concerns."""
        errors = [
            error for part in self._parts_of("*") for error in json.loads(_read(part).schema.metadata[ERRORS])
        ]
        errors += [last] if last else []
        write_text(self._errors, "".join(json.dumps(error) + "\n" for error in errors))
        return sum(len(error["rows"]) for error in errors)

    def join(self, runs: range) -> None:
        """Make samples.parquet, a row group for each run, from the parts."""
        temporary = self._parts / "samples"
        with temporary.open("wb") as file, pq.ParquetWriter(file, SAMPLES, compression="zstd") as writer:
            for run in runs:
                table = pa.concat_tables(
                    _read(part).replace_schema_metadata() for part in self._parts_of(f"{run:05d}")
                )
                writer.write_table(table, row_group_size=len(table))
        temporary.replace(self.samples)

    def predicted(self, run: int) -> Masks:
        """The answers of a run, out of samples.parquet: [symbols]."""
        column = pq.ParquetFile(self.samples).read_row_group(run, columns=["predicted"]).column(0)
        return from_lists(column)

    def commit(self, result: Record) -> Record:
        """Write result.json, which completes the result, and remove the parts."""
        samples = {
            "file": self.samples.name,
            "rows": pq.read_metadata(self.samples).num_rows,
            "sha256": file_digest(self.samples),
        }
        errors = {"file": self._errors.name, "rows": self.write_errors()}
        result = {**result, "samples": samples, "errors": errors, "resume_key": self.key}
        result["integrity"] = integrity(result)
        write_json(self._result, result)
        shutil.rmtree(self._parts)
        return result

    def read(self) -> Record:
        """The result that is complete."""
        record: Record = json.loads(self._result.read_bytes())
        return record

    def _is_complete(self) -> bool:
        try:
            record = self.read()
            return (record["resume_key"], record["integrity"]) == (self.key, integrity(record))
        except (ValueError, KeyError, TypeError):
            return False

    def _part(self, run: int, wave: int) -> Path:
        return self._parts / f"{run:05d}-{wave:05d}.parquet"

    def _parts_of(self, run: str) -> list[Path]:
        return sorted(self._parts.glob(f"{run}-*.parquet"))


def integrity(record: Record) -> str:
    """sha256 of a result's canonical JSON without its field `integrity`."""
    rest = {name: value for name, value in record.items() if name != "integrity"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _read(part: Path) -> pa.Table:
    try:
        return pq.ParquetFile(part).read()
    except (pa.ArrowException, OSError) as error:
        raise DataError(f"{part} is damaged ({error}). Remove it and run the same command again.") from None
