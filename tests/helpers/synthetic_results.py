"""Result folders made by hand, in the layout that `marnn-bench eval` writes."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import ArrayLike

CONFIDENCE_LEVEL = {"level": 0.95, "method": "wilson"}


def write_result(
    folder: Path,
    correct: ArrayLike,
    *,
    model: str = "mine",
    task: str = "dyck2",
    split: str = "test",
    digest: str = "d1" * 32,
    lengths: ArrayLike | None = None,
    published_row: str | None = None,
    deviations: dict[str, Any] | None = None,
    **changes: Any,
) -> Path:
    """A finished result: which strings each run has right [runs, rows], strings cycling through 52, 54, ..., 100."""
    right = np.atleast_2d(np.asarray(correct, bool))
    length = np.asarray(lengths) if lengths is not None else 52 + 2 * (np.arange(right.shape[1]) % 25)
    folder.mkdir(parents=True, exist_ok=True)
    samples = folder / "samples.parquet"
    _write_samples(samples, right)
    accuracies = right.mean(axis=1)
    spread = {
        "min": accuracies.min(),
        "max": accuracies.max(),
        "median": float(np.median(accuracies)),
        "mean": accuracies.mean(),
    }
    record: dict[str, Any] = {
        "schema_version": 1,
        "task": {
            "name": task,
            "version": "1.0",
            "view": "next-symbol",
            "split": split,
            "law": "pcfg:p=1/2,q=1/4",
            "window": f"{length.min()}:{length.max()}",
            "rows": right.shape[1],
            "symbols": int(length.sum()),
            "digest": digest,
            "columns": ["(", ")", "[", "]"],
        },
        "model": {
            "name": model,
            "interface": "step",
            "training": {"published_row": published_row, "deviations": deviations or {}}
            if published_row
            else None,
        },
        "runs": [_run(number, row, length) for number, row in enumerate(right)],
        "summary": {
            "runs": len(right),
            "sequence_accuracy": spread,
            "position_accuracy": spread,
            "solved": {"threshold": 0.99, **_share(accuracies >= 0.99)},
        },
        "trivial": [
            {"name": "best constant set", "sequence_accuracy": 0.0, "position_accuracy": 0.31},
            {"name": "counter", "sequence_accuracy": 0.0124, "position_accuracy": 0.9},
        ],
        "samples": {
            "file": samples.name,
            "rows": right.size,
            "sha256": hashlib.sha256(samples.read_bytes()).hexdigest(),
        },
        **changes,
    }
    write_record(folder, record)
    return folder


def write_record(folder: Path, record: dict[str, Any]) -> None:
    """Write result.json with the integrity field that fits the record."""
    record.pop("integrity", None)
    canonical = json.dumps(record, sort_keys=True, separators=(",", ":"))
    record["integrity"] = hashlib.sha256(canonical.encode()).hexdigest()
    (folder / "result.json").write_text(json.dumps(record, indent=2))


def _write_samples(path: Path, right: np.ndarray) -> None:
    runs, rows = right.shape
    columns = {
        "run": np.repeat(np.arange(runs, dtype=np.uint16), rows),
        "row": np.tile(np.arange(rows, dtype=np.uint32), runs),
        "correct": right.ravel(),
    }
    pq.write_table(pa.table(columns), path)


def _run(number: int, right: np.ndarray, lengths: np.ndarray) -> dict[str, Any]:
    return {
        "run": number,
        "sequence_accuracy": {
            "value": float(right.mean()),
            "lower": 0.0,
            "upper": 1.0,
            **CONFIDENCE_LEVEL,
            "n": len(right),
        },
        "by_length": [
            {"length": int(n), "n": int((lengths == n).sum()), **_cell(right[lengths == n])}
            for n in np.unique(lengths)
        ],
    }


def _cell(right: np.ndarray) -> dict[str, Any]:
    share = _share(right)
    return {
        "correct": share["runs"],
        "value": share["share"],
        "lower": share["lower"],
        "upper": share["upper"],
    }


def _share(right: np.ndarray) -> dict[str, Any]:
    """Wilson's interval, in its textbook form."""
    k, n, z = int(right.sum()), len(right), 1.959963984540054
    centre, half = k / n + z * z / (2 * n), z * (k / n * (1 - k / n) / n + z * z / (4 * n * n)) ** 0.5
    scale = 1 + z * z / n
    return {
        "runs": k,
        "share": k / n,
        "lower": max(0.0, (centre - half) / scale),
        "upper": (centre + half) / scale,
    }
