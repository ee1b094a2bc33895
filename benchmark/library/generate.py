"""marnn_bench.generate"""

import os
from collections.abc import Mapping
from pathlib import Path

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
    windows: Mapping[str, str] | None = None,
    workers: int | None = None,
    overwrite: bool = False,
) -> Path:
    """Write the splits of a task as Parquet, as `marnn-bench generate` does: the folder.

    rows:     of every split, or by split
    windows:  LOW:HIGH, by split
    workers:  threads; all cores by default

    UsageError if the folder holds the task otherwise, unless it may be overwritten.

    >>> import tempfile
    >>> folder = generate("dyck1", tempfile.mkdtemp(), rows=20)
    >>> sorted(path.name for path in folder.glob("data/dyck1/*"))
    ['test-00000-of-00001.parquet', 'train-00000-of-00001.parquet']
    """
    task = find_task(task) if isinstance(task, str) else task
    by_split = dict.fromkeys(task.splits, rows) if isinstance(rows, int) else rows
    read = {split: Window.parse(window) for split, window in (windows or {}).items()}
    folder = Path(out)
    write_task(
        task.with_splits(by_split, law, read),
        folder,
        workers=workers or os.cpu_count() or 1,
        overwrite=overwrite,
    )
    return folder
