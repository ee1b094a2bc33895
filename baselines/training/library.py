"""marnn_bench.train"""

import math
from pathlib import Path

from marnn_bench.baselines.baseline import Baseline
from marnn_bench.baselines.engines import ENGINES, Engine
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.training.experiment import Experiment
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
    learning_rate: float | None = None,
    batch: int | None = None,
    device: str = "cpu",
    engine: Engine = "auto",
    threads: int | None = None,
    rows: int | None = None,
    data: str | Path | None = None,
    overwrite: bool = False,
) -> Path:
    """Train a baseline by its paper's recipe, as `marnn-bench train` does: its folder, which `evaluate` takes.

    baseline:                                     also by its name, or the Python file of a model of your own
    epochs, hidden, memory_width, learning_rate:  instead of the paper's
    batch:                                        strings an update, instead of the paper's
    device:                                       cpu, cuda, or cuda:1 for the second GPU
    engine:                                       reference, compiled, or auto: compiled if it can be, else reference
    threads:                                      of the compiled engine, by default one for each core
    rows:                                         of the train split, the first so many; by default all
    data:                                         a folder that `generate` wrote; by default the task's own

    A training that was stopped goes on when it is called in the same way; one that is complete is left as it is.
    UsageError if the folder holds anything else, unless it may be overwritten.
    """
    baseline = find_baseline(baseline) if isinstance(baseline, str) else baseline
    task = find_task(task)
    sizes = {"hidden": hidden, "memory_width": memory_width}
    numbers = {"runs": runs, "epochs": epochs, **sizes, "batch": batch, "rows": rows, "threads": threads}
    for name, number in numbers.items():
        if number is not None and number < 1:
            raise UsageError(f"{name} is at least 1, not {number}.")
    if engine not in ENGINES:
        raise UsageError(f"There is no engine {engine!r}: it is {', '.join(ENGINES)}.")
    if learning_rate is not None and not 0 < learning_rate < math.inf:
        raise UsageError(f"learning_rate is a number above 0, not {learning_rate}.")
    experiment = Experiment.from_paper(baseline, task, runs, seed).with_overrides(
        **sizes,
        device=device,
        engine=engine,
        threads=threads,
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
    )
    experiment.train_into(Path(out), Path(data) if data else None, rows, overwrite)
    return Path(out)
