"""How fast the compiled engine trains, beside the reference and a plain nn.Module with torch.optim.Adam.

    python perf/engine.py

Strings of 2 to 50 symbols, one update a string, Adam included. Medians of processor time on one thread; ratios within one
run. The last column is how much of the core's peak the arithmetic of a step is: a training that did nothing else would
be so many times faster. Memory is the peak of a training's own.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import torch
from plain import PlainModel, train_plainly
from timing import median_seconds, print_table
from training import TASK, some_examples

from marnn_bench.baselines import find_baseline
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.engine.training import CompiledTraining
from marnn_bench.baselines.engines import Precision
from marnn_bench.baselines.models.suzgun2019 import BASELINES
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.training.loop import Training, one_thread
from marnn_bench.examples import SetExamples

ONCE = replace(SUZGUN2019, epochs=1)
HERE = Path(__file__).parent
STRINGS, FEW, REPEATS = 1000, 24, 5
"""The compiled engine is timed on many strings, the others on few."""

MEMORY = """
import re, sys
from pathlib import Path
sys.path.insert(0, {folder!r})
from engine import begin, cell_of, finish, reference, some_examples
def kilobytes(of):
    return int(re.search(of + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
examples, cell = some_examples({strings}), cell_of({name!r}, {hidden})
finish(begin(cell, examples, 1)) if {engine!r} == "compiled" else reference(cell, examples, 1)
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
began = kilobytes("VmRSS")
{call}
print(kilobytes("VmHWM") - began)
"""
"""What a training takes beyond what one of a single run has left; Linux says it."""


def main() -> None:
    """Print the tables."""
    many, few = some_examples(STRINGS), some_examples(FEW)
    rows = []
    with one_thread():
        peak = peak_of_a_core()
        for name in [baseline.name for baseline in BASELINES]:
            rows += rows_of(name, None, many, few, peak)
        rows += rows_of("stack-rnn", 40, many, few, peak)
    headers = ["dyck2", "engine", "runs", "k sym/s", "us/update", "MB", "x torch", "x plain", "% of peak"]
    print_table(rows, headers)
    print()
    print_table(threads_and_starts(many), ["stack-rnn, compiled", ""])


def rows_of(
    name: str, hidden: int | None, many: SetExamples, few: SetExamples, peak: float
) -> list[list[str]]:
    """A model by every engine."""
    cell, label = cell_of(name, hidden), name if hidden is None else f"{name}, hidden {hidden}"
    module = PlainModel(name, hidden=hidden or 8)
    plain = seconds_a_symbol(partial(train_plainly, module, few), few)
    by_torch = {runs: seconds_a_symbol(partial(reference, cell, few, runs), few) for runs in (1, 100)}
    rows = [[label, "plain", "1", *speed(plain, 1, few), "", "", "1", ""]]
    for runs, took in by_torch.items():
        memory = megabytes(name, hidden, FEW, "reference", f"reference(cell, examples, {runs})")
        ratio = runs * plain / took
        rows.append(["", "reference", str(runs), *speed(took, runs, few), memory, "1", f"{ratio:.0f}", ""])
    for precision in ("float64", "float32"):
        for runs in (1, 8, 100):
            begun = [begin(cell, many, runs, precision) for _ in range(REPEATS + 1)]
            took = seconds_a_symbol(lambda: finish(begun.pop()), many)  # noqa: B023
            memory = megabytes(
                name, hidden, STRINGS, "compiled", f"finish(begin(cell, examples, {runs}, {precision!r}))"
            )
            beside = by_torch[1 if runs == 1 else 100] / (1 if runs == 1 else 100) * runs
            share = operations(cell, many) * runs / took / peak / (2 if precision == "float32" else 1)
            ratios = [f"{beside / took:.0f}", f"{runs * plain / took:.0f}", f"{100 * share:.0f}"]
            rows.append(["", precision, str(runs), *speed(took, runs, many), memory, *ratios])
    return rows


def cell_of(name: str, hidden: int | None) -> Cell:
    """A baseline of the paper's sizes, or of more hidden units."""
    baseline = find_baseline(name)
    sizes = baseline.sizes_for(TASK)
    return baseline.cell(TASK, replace(sizes, hidden=hidden) if hidden else sizes)  # type: ignore[call-arg]


def begin(
    cell: Cell, examples: SetExamples, runs: int, precision: Precision = "float64", threads: int = 1
) -> CompiledTraining:
    """One epoch by the compiled engine, before its first update."""
    return CompiledTraining(cell, ONCE, examples, range(runs), threads=threads, precision=precision)


def finish(training: CompiledTraining) -> None:
    """Do all updates."""
    training.do(training.total)


def reference(cell: Cell, examples: SetExamples, runs: int) -> None:
    """One epoch by torch."""
    training = Training(cell, ONCE, examples, range(runs))
    while training.done < training.total:
        training.update()


def seconds_a_symbol(call: Callable[[], object], examples: SetExamples) -> float:
    """Processor time of an epoch, by the symbols of it."""
    return median_seconds(call, REPEATS) / len(examples.strings.ids)


def speed(took: float, runs: int, examples: SetExamples) -> list[str]:
    """Thousands of symbols a second, of all runs, and microseconds an update of all of them."""
    symbols = len(examples.strings.ids) / len(examples)
    return [f"{runs / took / 1e3:,.1f}", f"{1e6 * took * symbols:,.1f}"]


def operations(cell: Cell, examples: SetExamples) -> float:
    """Additions and multiplications that a symbol takes at least: each parameter once forward and twice back, and Adam."""
    update = 12 * cell.num_parameters / (len(examples.strings.ids) / len(examples))
    return 6 * cell.num_parameters + update


def peak_of_a_core() -> float:
    """Additions and multiplications of doubles a second, by a product of matrices."""
    a = torch.ones(1024, 1024, dtype=torch.float64)
    return 2 * 1024**3 / median_seconds(lambda: a @ a, 9)


def megabytes(name: str, hidden: int | None, strings: int, engine: str, call: str) -> str:
    """What a call takes at its peak, in a process of its own."""
    program = MEMORY.format(
        folder=str(HERE), name=name, hidden=hidden, strings=strings, engine=engine, call=call
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return f"{int(done.stdout) / 1024:.1f}"


def threads_and_starts(examples: SetExamples) -> list[list[str]]:
    """Two threads beside one, by the clock; the first start with a cell and the second, with an empty cache."""
    cell = cell_of("stack-rnn", None)
    seconds: dict[int, float] = {}
    for threads in (1, 2, 1, 2, 1, 2):
        training, began = begin(cell, examples, 160, threads=threads), time.perf_counter()
        finish(training)
        seconds[threads] = min(seconds.get(threads, np.inf), time.perf_counter() - began)
    with tempfile.TemporaryDirectory() as cache:
        program = (
            "import time; from engine import cell_of; from marnn_bench.baselines.engine.program import Program\n"
            "cell = cell_of('stack-rnn', None); began = time.perf_counter(); Program(cell)\n"
            "print(time.perf_counter() - began)"
        )
        starts = [
            subprocess.run(
                [sys.executable, "-c", program],
                env={**os.environ, "MARNN_CACHE": cache, "PYTHONPATH": str(HERE)},
                capture_output=True, text=True, check=True,
            ).stdout.strip()
            for _ in range(2)
        ]  # fmt: skip
    return [
        ["two cores over one, 160 runs", f"{seconds[1] / seconds[2]:.2f}"],
        ["first trace and compilation, s", f"{float(starts[0]):.2f}"],
        ["later starts, s", f"{float(starts[1]):.3f}"],
    ]


if __name__ == "__main__":
    main()
