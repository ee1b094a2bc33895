"""The maintainers' results as the repository keeps them: without samples, which are a release's, and small."""

import json
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final

from marnn_bench.evaluation.records import RESULT, integrity
from marnn_bench.scoring.metrics import Record

LENGTH: Final = "by_length"
"""The one breakdown that is kept: curves are drawn of it. The others follow from the samples."""


def kept(record: Record, command: Sequence[str] | None = None) -> Record:
    """A result with the figures of each run and their breakdown by length, and no path of the machine that it was made on.

    command:  what made it, in the place of what it says, in which paths lose their folders
    """
    model = {name: _last(of) if name == "file" else of for name, of in record["model"].items()}
    small = {
        **record,
        "command": [*command] if command else [_last(word) for word in record["command"]],
        "model": model,
        "runs": [
            {name: of for name, of in run.items() if "_by_" not in f"_{name}" or name.endswith(LENGTH)}
            for run in record["runs"]
        ],
    }
    return {**small, "integrity": integrity(small)}


def place(record: Record, out: Path) -> Path:
    """Where a result is kept: OUT/MODEL/TASK/SPLIT/result.json."""
    task = record["task"]
    path: Path = out / record["model"]["name"] / task["name"] / task["split"] / RESULT
    return path


def keep(record: Record, out: Path, command: Sequence[str] | None = None) -> None:
    """Write a result to its place. FileExistsError if it is there."""
    content = json.dumps(kept(record, command), ensure_ascii=False, separators=(",", ":")) + "\n"
    path = place(record, out)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8") as file:
        file.write(content)


def _last(word: str) -> str:
    """The last part of a path from the root; anything else as it is."""
    return PurePath(word).name if PurePath(word).is_absolute() else word
