"""Splits generated on first use, kept in the cache folder."""

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

from marnn_bench.errors import DataError
from marnn_bench.generators.kernels.cache import cache_folder
from marnn_bench.store.manifest import FORMAT, read_manifest
from marnn_bench.store.read import check_file
from marnn_bench.store.write import Progress, generate
from marnn_bench.task import Task


def cached_data(task: Task, progress: Progress = lambda rows: None) -> Path:
    """A folder with the splits of a task, under `$MARNN_CACHE`, else the user's cache folder.

    Two processes that need it at once both generate it; the content is the same, and the first to finish wins.
    """
    splits = {name: {**task.parameters(name), "rows": split.rows} for name, split in task.splits.items()}
    asked = json.dumps([FORMAT, task.version, repr(task.view), splits], sort_keys=True)
    content = hashlib.sha256(asked.encode()).hexdigest()
    folder = cache_folder() / "data" / f"{task.name}-{task.version}-{content[:12]}"
    if folder.is_dir() and _is_whole(folder):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=".new-"))
    try:
        generate(task, temporary, workers=os.cpu_count() or 1, progress=progress)
        _move(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder


def _is_whole(folder: Path) -> bool:
    """Whether the folder holds what its manifest says; what does not can be made again."""
    try:
        for entry in read_manifest(folder)["tasks"].values():
            for split in entry["splits"].values():
                for shard in split["shards"]:
                    check_file(folder / shard["file"], shard["sha256"])
    except DataError:
        return False
    return True


def _move(temporary: Path, folder: Path) -> None:
    try:
        temporary.rename(folder)
    except OSError:
        if not (folder / "manifest.json").exists():
            raise
