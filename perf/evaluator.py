"""What the evaluator itself costs: µs per prefix through each interface, and whole evaluations from the command line.

The models answer without thinking. Figures are medians of five.

    python perf/evaluator.py
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from timing import print_table

from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.evaluation.protocol import ModelTask
from marnn_bench.evaluation.waves import WaveFailure, run_wave, waves_of
from marnn_bench.examples import Examples
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task

TASK = "dyck2"
REPEATS = 5

MODELS = {
    "step": "import numpy as np\ndef reset(n): pass\ndef step(ids): return np.ones((len(ids), 4))",
    "predict_batch, sets": "def predict_batch(prefixes): return [{'(', '['}] * len(prefixes)",
    "predict, sets": "def predict(prefix): return {'(', '['}",
    "predict, maps": "def predict(prefix): return {'(': 0.9, ')': 0.1, '[': 0.9, ']': 0.1}",
    "predict, scores": "def predict(prefix): return [0.9, 0.1, 0.9, 0.1]",
}


def main() -> None:
    """Print the table."""
    task = find_task(TASK)
    examples = read_split(cached_data(task), task, "test")
    prefixes = len(examples.strings.ids)
    rows = []
    for name, source in MODELS.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.py"
            file.write_text(source)
            asking = asking_seconds(file, examples)
            whole = wall_seconds(partial(evaluate, file))
        rows.append([name, f"{1e6 * asking / prefixes:.3f}", f"{whole:.2f}"])
    print_table(
        rows, [f"{len(examples):,} strings, {prefixes:,} prefixes", "µs a prefix", "eval, all told, s"]
    )


def asking_seconds(file: Path, examples: Examples) -> float:
    """Seconds for all waves, the process being there."""
    with ModelProcess(file, Limits()) as model:
        model.load(ModelTask.of(examples.task))
        return wall_seconds(partial(ask, model, examples))


def ask(model: ModelProcess, examples: Examples) -> None:
    """All waves of a split."""
    for rows in waves_of(len(examples)):
        run_wave(model, examples.strings.take(np.array(rows)), fail)


def fail(failed: WaveFailure) -> None:
    """These models do not fail."""
    raise failed.failure


def evaluate(file: Path) -> None:
    """The command, as a user gives it."""
    program = [sys.executable, "-m", "marnn_bench", "eval", str(file), "--task", TASK]
    out = str(file.parent / "out")
    subprocess.run([*program, "--out", out, "--overwrite"], check=True, capture_output=True)


def wall_seconds(work: Callable[[], None]) -> float:
    """How long something takes, two processes being at work: median of several times, after one not counted."""
    taken = []
    for _ in range(REPEATS + 1):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return median(taken[1:])


if __name__ == "__main__":
    main()
