"""result.json, read: whole, unedited, and in the layout of today whatever version wrote it."""

import hashlib
import json
from pathlib import Path
from typing import Final

from marnn_bench.errors import DataError, UsageError
from marnn_bench.file_digests import file_digest
from marnn_bench.scoring.metrics import Record

RESULT: Final = "result.json"
SAMPLES: Final = "samples.parquet"
ERRORS: Final = "errors.jsonl"
PARTS: Final = ".parts"

SCHEMA_VERSION: Final = 2
"""What is written. Version 1 had two metrics, sequence_accuracy and position_accuracy, beside the entries of a run."""

FIRST_METRICS: Final = ("sequence_accuracy", "position_accuracy")

ENTRIES: Final = {
    "task": dict, "model": dict, "runs": list, "summary": dict, "trivial": list, "samples": dict, "errors": dict,
}  # fmt: skip
"""What is read of every record."""


def read_record(folder: Path, samples: bool = True) -> Record:
    """What the result in a folder says. UsageError if there is none, DataError if it is damaged or edited.

    samples:  whether its other files have to be there; where only figures are kept they are not
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder. Give the folder that `marnn-bench eval --out` wrote.")
    path = folder / RESULT
    if not path.is_file():
        if (folder / PARTS).exists() or (folder / SAMPLES).exists():
            raise UsageError(f"{folder}: its evaluation did not finish. Run `marnn-bench eval` again.")
        below = [str(found) for found in result_folders(folder) if found != folder]
        hint = f"Below it are {', '.join(below[:3])}." if below else "`marnn-bench eval` writes results."
        raise UsageError(f"{folder} has no {RESULT}, so that it is no result. {hint}")
    try:
        record = json.loads(path.read_bytes())
        _check(folder, record, samples)
        return record if record["schema_version"] == SCHEMA_VERSION else upgraded(record)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise damaged(folder, f"{RESULT} is not what `marnn-bench eval` writes ({error!r})") from error


def result_folders(path: Path) -> list[Path]:
    """The result folders below a folder, or the folder itself if it is one or holds none."""
    if (path / RESULT).exists() or not path.is_dir():
        return [path]
    return sorted(found.parent for found in path.rglob(RESULT)) or [path]


def integrity(record: Record) -> str:
    """sha256 of a result's canonical JSON without its field `integrity`. ValueError for NaN and infinities."""
    rest = {name: value for name, value in record.items() if name != "integrity"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def damaged(folder: Path, what: str) -> DataError:
    """The error of a result that is not what was written."""
    return DataError(f"{folder} is damaged: {what}. Run `marnn-bench eval` again.")


def upgraded(record: Record) -> Record:
    """A result of version 1 in the layout of version 2; `schema_version` still says what it was."""

    def gathered(entry: Record) -> Record:
        rest = {name: value for name, value in entry.items() if name not in FIRST_METRICS}
        return {"metrics": {name: entry[name] for name in FIRST_METRICS}, **rest}

    return {
        **record,
        "runs": [gathered(run) for run in record["runs"]],
        "summary": {"headline": FIRST_METRICS[0], **gathered(record["summary"])},
        "trivial": [gathered(answer) for answer in record["trivial"]],
    }


def _check(folder: Path, record: Record, samples: bool) -> None:
    version = record["schema_version"]
    if type(version) is not int or not 1 <= version <= SCHEMA_VERSION:
        raise DataError(
            f"{folder}: {RESULT} has schema version {version!r:.20}; this marnn-bench reads up to {SCHEMA_VERSION}."
        )
    if record["integrity"] != integrity(record):
        raise damaged(folder, f"{RESULT} was edited")
    for entry, kind in ENTRIES.items():
        if not isinstance(record[entry], kind):
            raise TypeError(f"{entry} is no {kind.__name__}")
    for entry, name in (("samples", SAMPLES), ("errors", ERRORS)):
        said = record[entry]
        if said["file"] != name:
            raise ValueError(f"{entry} are in {said['file']!r:.40}")
        if entry == "errors" and "sha256" not in said:  # early results do not say
            continue
        if not samples:
            continue
        if not (folder / name).is_file():
            raise damaged(folder, f"{name} is missing")
        if file_digest(folder / name) != said["sha256"]:
            raise damaged(folder, f"{name} was edited or cut")
