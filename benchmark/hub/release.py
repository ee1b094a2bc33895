"""Publishing a folder of splits: checked as a whole, and laid out as the Hugging Face Hub wants it.

A folder of `marnn-bench generate` is uploaded as it is. A release adds eval.yaml, and pictures that its card shows.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from marnn_bench.errors import DataError, UsageError
from marnn_bench.hub.pictures import pictures
from marnn_bench.hub.repository import Release
from marnn_bench.store.card import benchmark_file, dataset_card, picture_file
from marnn_bench.store.folder import BENCHMARK, CARD, MANIFEST, check_card
from marnn_bench.store.manifest import REGENERATE_HINT, read_manifest
from marnn_bench.store.read import check_file

TAG = re.compile(r"[A-Za-z0-9](\.?[A-Za-z0-9_-])*")


@dataclass(frozen=True)
class DataRelease(Release):
    """The release of a folder of splits."""

    tasks: tuple[str, ...] = ()


def prepare(folder: Path, tag: str | None = None) -> DataRelease:
    """The release of a folder: the manifest, the files that it lists, each with the sha256 it lists, eval.yaml, and a card with
    pictures.

    Nothing else in the folder belongs to it. Raises DataError if a file is missing or changed.
    """
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder. Give the folder that `marnn-bench generate --out` wrote."
        )
    manifest = read_manifest(folder)
    tasks = manifest["tasks"]
    if not tasks:
        raise UsageError(f"{folder} holds no finished task. Run `marnn-bench generate` again.")
    check_tag(tag)
    try:
        listed = [
            shard for task in tasks.values() for split in task["splits"].values() for shard in split["shards"]
        ]
        for shard in listed:
            check_file(folder / shard["file"], shard["sha256"])
        check_card(folder, manifest)
        files: dict[str, Path | bytes] = {
            name: folder / name for name in (MANIFEST, *(shard["file"] for shard in listed))
        }
        drawn = pictures(folder, tasks)
        files[CARD] = dataset_card(manifest, folder, drawn).encode()
        files[BENCHMARK] = benchmark_file(manifest).encode()
        files |= {picture_file(name): picture for name, picture in drawn.items()}
        return DataRelease("dataset", tag or default_tag(tasks), files, ("data/", "pictures/"), tuple(tasks))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DataError(f"{folder / MANIFEST} is damaged ({error!r}). {REGENERATE_HINT}") from error


def check_tag(tag: str | None) -> None:
    """UsageError for a name that git would refuse."""
    if tag is not None and not TAG.fullmatch(tag):
        raise UsageError(f"Tag {tag!r} is not possible; use letters, digits, dots and hyphens, as in v1.0.")


def default_tag(tasks: dict[str, Any]) -> str:
    """`v`, the newest version of the tasks, and the beginning of a digest of all that the folder holds.

    Equal content has an equal tag, so the same data cannot be released twice, nor other data under its name.

    >>> default_tag({"dyck2": {"version": "1.0", "splits": {"test": {"digest": "5f1c"}}}})
    'v1.0-74a31d47'
    """
    content = {
        name: [task["version"], {split: entry["digest"] for split, entry in task["splits"].items()}]
        for name, task in tasks.items()
    }
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    newest = max(
        (task["version"] for task in tasks.values()), key=lambda version: [*map(int, version.split("."))]
    )
    return f"v{newest}-{hashlib.sha256(canonical).hexdigest()[:8]}"
