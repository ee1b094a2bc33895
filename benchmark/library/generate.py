"""marnn_bench.generate"""

import os
from collections.abc import Mapping
from pathlib import Path

from marnn_bench.errors import UsageError
from marnn_bench.generators.window import Window
from marnn_bench.store.write import generate as write_task
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task


def generate(
    task: Task | str,
    out: str | Path = "data",
    *,
    rows: int | Mapping[str, int] | None = None,
    law: str | None = None,
    windows: str | Mapping[str, str] | None = None,
    workers: int | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the splits of a task as Parquet, as `marnn-bench generate` does: the folder.

    rows:     of every split, or by split
    windows:  LOW:HIGH, of every split, or by split
    workers:  threads; all cores by default

    UsageError if the folder holds the task otherwise, unless it may be overwritten.

    >>> import tempfile
    >>> folder = generate("dyck1", tempfile.mkdtemp(), rows=20)
    >>> sorted(path.name for path in folder.glob("data/dyck1/*"))
    ['test-00000-of-00001.parquet', 'train-00000-of-00001.parquet']
    """
    task = find_task(task)
    if workers is not None and workers < 1:
        raise UsageError(f"At least one thread generates, not {workers}.")
    by_split = dict.fromkeys(task.splits, rows) if isinstance(rows, int) else rows
    listed = dict.fromkeys(task.splits, windows) if isinstance(windows, str) else windows or {}
    read = {split: Window.parse(window) for split, window in listed.items()}
    folder = Path(out)
    write_task(
        task.with_splits(by_split, law, read),
        folder,
        workers=workers or os.cpu_count() or 1,
        overwrite=overwrite,
    )
    return folder
