"""Small splits to generate in tests, and what identifies them."""

from pathlib import Path

from marnn_bench.store.manifest import read_manifest
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task

SMALL = {"train": 300, "test": 200}


def small(name: str, law: str | None = None) -> Task:
    """The task with few rows in every split whose number can be chosen."""
    task = find_task(name)
    chosen = [split for split, wanted in task.splits.items() if wanted.rows != "all" and not wanted.per_size]
    return task.with_splits({split: SMALL.get(split, 100) for split in chosen}, law)


def digests(folder: Path) -> dict[tuple[str, str], str]:
    tasks = read_manifest(folder)["tasks"]
    return {(t, s): entry["digest"] for t, task in tasks.items() for s, entry in task["splits"].items()}
