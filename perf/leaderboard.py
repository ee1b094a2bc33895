"""The leaderboard: how long its site, its tables and the checks of submissions take.

    python perf/leaderboard.py [--models 40] [--tasks 50]

The site is made of records without samples, as the maintainers' results lie beside it. A submission is scored again from its
samples, by nobody's receipt.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from tabulate import tabulate

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from helpers.synthetic_results import own_strings, read_record, write_record, write_result
from marnn_bench.leaderboard.validation.writing import write_submission
from marnn_bench.tasks.registry import builtin_tasks, find_task

RUNS = 5

TASKS = [*builtin_tasks(), *(f"tomita{n}--lm" for n in range(3, 8)), *(f"dyck{n}--lm" for n in (1, 2, 3, 6))]
"""All that are built in, and some more."""

MODEL = """
import numpy as np

tasks = ("dyck2",)

def load(task):
    return Guesses(task.run)

class Guesses:
    \"\"\"Masks by the last symbol, some of them wrong, in each run others.\"\"\"

    def __init__(self, run):
        self.rng = np.random.default_rng(run)

    def reset(self, n):
        pass

    def step(self, ids):
        wrong = self.rng.random((len(ids), 4)) < 0.02
        return (np.array([[1, 1, 1, 0], [1, 0, 1, 0], [1, 0, 1, 1], [1, 0, 1, 0]])[ids] ^ wrong).astype(float)
"""


def marnn(*arguments: object) -> None:
    command = [sys.executable, "-m", "marnn_bench", *map(str, arguments)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def seconds(*arguments: object) -> float:
    began = perf_counter()
    marnn("leaderboard", *arguments)
    return perf_counter() - began


def synthetic(folder: Path, name: str, runs: int) -> Path:
    """A result of so many runs on the task's own strings, each right on another share of them."""
    split = find_task(name).default_split
    strings, _ = own_strings(name, split)
    rng = np.random.default_rng(0)
    right = rng.random((runs, len(strings))) < rng.random((runs, 1))
    return write_result(folder, right, task=name, split=split, own=True)


def write_board(folder: Path, models: int, tasks: int) -> Path:
    """results/ of so many models on so many tasks, without samples."""
    for name in TASKS[:tasks]:
        made = synthetic(folder / "made" / name, name, RUNS)
        record = read_record(made)
        for model in range(models):
            target = folder / "results" / f"model-{model}" / name
            target.mkdir(parents=True)
            record["model"]["name"] = f"model-{model}"
            write_record(target, json.loads(json.dumps(record)))
            shutil.copyfile(made / "errors.jsonl", target / "errors.jsonl")
    shutil.rmtree(folder / "made")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--tasks", type=int, default=50)
    asked = parser.parse_args()
    lines = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        board = write_board(folder / "board", asked.models, asked.tasks)
        names = [part for task in TASKS[: asked.tasks] for part in ("--task", task)]
        took = seconds("build", "--results", board, "--out", folder / "site", *names)
        size = (folder / "site" / "index.html").stat().st_size
        what = f"the site of {asked.tasks} tasks x {asked.models} models, {size / 1e6:.2f} MB of index"
        lines.append([what, took])
        lines.append(["the same tables alone", seconds("show", "--results", board, *names)])
        model = folder / "model.py"
        model.write_text(MODEL)
        for runs in (1, 1000):
            result = folder / f"result-{runs}"
            marnn("eval", model, "--runs", runs, "--no-audit", "--out", result)
            written = write_submission([result], folder / f"submissions-{runs}", "Perf")
            lines.append([f"a submission of {runs:,} runs on 5,000 strings", seconds("validate", written)])
    print(tabulate(lines, ["", "seconds"], floatfmt=",.1f", intfmt=","))


if __name__ == "__main__":
    main()
