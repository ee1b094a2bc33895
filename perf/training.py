"""How fast the reference trains baselines by their recipe, on one thread, beside a plain nn.Module one run at a time.

    python perf/training.py

Strings of 2 to 50 symbols (26 on average; 23 in the train split), one update a string, Adam included. Medians of
processor time; ratios within one run.
"""

from dataclasses import replace

import numpy as np
from plain import PlainModel, train_plainly
from timing import median_seconds, print_table

from marnn_bench.baselines import all_baselines, find_baseline, train
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.training.loop import one_thread
from marnn_bench.examples import SetExamples
from marnn_bench.tasks.registry import find_task

TASK = find_task("dyck2")
RUNS = (1, 10, 30)
STRINGS = 24


def main() -> None:
    """Print the table."""
    examples = some_examples(STRINGS)
    symbols = len(examples.strings.ids)
    rows = []
    with one_thread():
        for model in ("rnn", "lstm", "stack-rnn"):
            module = PlainModel(model)
            plain = symbols / median_seconds(lambda module=module: train_plainly(module, examples))
            rows.append([f"{model}, plain nn.Module", "1", f"{plain / 1e3:.1f}", "1.0"])
            for runs in RUNS:
                rate = (
                    runs
                    * symbols
                    / median_seconds(lambda model=model, runs=runs: train_runs(model, runs, examples))
                )
                rows.append([model, str(runs), f"{rate / 1e3:.1f}", f"{rate / plain:.1f}"])
    print_table(rows, ["training on dyck2", "runs", "thousand symbols/s", "x plain"])
    print()
    print_table(updates(examples), ["an update of a hundred runs", "ms", "x stack-rnn"])


def updates(examples: SetExamples) -> list[list[str]]:
    """How long an update of a hundred runs takes, by model, and beside the Stack-RNN."""
    ours = [name for name, baseline in all_baselines().items() if baseline.paper == "suzgun2019"]
    models = [name for name in ours if name not in ("rnn", "lstm")]
    with one_thread():
        seconds = {name: median_seconds(lambda name=name: train_runs(name, 100, examples)) for name in models}
    beside = seconds["stack-rnn"]
    return [[name, f"{1e3 * took / STRINGS:.1f}", f"{took / beside:.2f}"] for name, took in seconds.items()]


def some_examples(count: int) -> SetExamples:
    """Strings in the window of the train split, every length alike."""
    draws = np.arange(count, dtype=np.uint64)
    strings = TASK.language.law("uniform").draw(TASK.split("train").window, TASK.key("train"), draws)
    return SetExamples(TASK, "train", strings, TASK.view.answers(TASK.language, strings), digest="")


def train_runs(model: str, runs: int, examples: SetExamples) -> None:
    """One epoch of all runs at once."""
    cell = find_baseline(model).cell(TASK)
    train(cell, replace(SUZGUN2019, epochs=1), examples, range(runs))


if __name__ == "__main__":
    main()
