"""marnn_bench.train"""

from pathlib import Path

from marnn_bench.baselines.baseline import Baseline
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.training.data import train_rows
from marnn_bench.baselines.training.experiment import Experiment
from marnn_bench.baselines.training.folder import new_folder
from marnn_bench.errors import UsageError
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task


def train(
    baseline: Baseline | str,
    task: Task | str,
    out: str | Path,
    *,
    runs: int = 10,
    seed: int = 0,
    epochs: int | None = None,
    hidden: int | None = None,
    memory_width: int | None = None,
    rows: int | None = None,
    data: str | Path | None = None,
    overwrite: bool = False,
) -> Path:
    """Train a baseline by its paper's recipe, as `marnn-bench train` does: its folder, which `evaluate` takes.

    epochs, hidden, memory_width:  instead of the paper's
    rows:                          of the train split, the first so many; by default all
    data:                          a folder that `generate` wrote; by default the task's own data

    UsageError if the folder is not empty, unless it may be overwritten.
    """
    baseline = find_baseline(baseline) if isinstance(baseline, str) else baseline
    task = find_task(task)
    task.require_sets()
    numbers = {"runs": runs, "epochs": epochs, "hidden": hidden, "memory_width": memory_width, "rows": rows}
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise UsageError(f"{name} is at least 1, not {number}.")
    experiment = Experiment.from_paper(baseline, task, runs, seed)
    experiment = experiment.with_overrides(epochs, hidden, memory_width)
    with new_folder(Path(out), overwrite) as folder:
        source, examples = train_rows(task, Path(data) if data else None, rows)
        experiment.train(source, examples, folder)
    return Path(out)
