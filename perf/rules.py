"""What a step of a learning rule costs, beside back-propagation through the whole string, one run on one thread.

    python perf/rules.py

Strings of 30 symbols, one an update, the gradient alone. Medians of processor time; ratios within one run.
"""

from functools import partial

import torch
from timing import median_seconds, print_table
from training import TASK

from marnn_bench.baselines import find_baseline
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.rules.rules import BPTT, RTRL, UORO
from marnn_bench.baselines.rules.signs import UpdateSigns
from marnn_bench.baselines.rules.unrolled import Unrolled
from marnn_bench.baselines.training.batches import TrainingBatch
from marnn_bench.baselines.training.loop import one_thread
from marnn_bench.baselines.training.optimisation import squared_error

STEPS = 30
MODELS = ("rnn", "lstm", "stack-rnn", "baby-ntm")
RULES = {"bptt": BPTT(), "bptt, 5 steps": BPTT(5), "rtrl": RTRL(), "uoro": UORO(UpdateSigns(0, [0]).of(1))}


def main() -> None:
    """Print the table."""
    rows = []
    with one_thread():
        for model in MODELS:
            chain = chain_of(model)
            seconds = {name: median_seconds(partial(rule.gradient, chain)) for name, rule in RULES.items()}
            what = f"{model}, {chain.parameters.shape[1]} parameters"
            for name, took in seconds.items():
                rows.append([what, name, f"{1e6 * took / STEPS:.0f}", f"{took / seconds['bptt']:.2f}"])
    print_table(rows, ["model", "rule", "microseconds a step", "x bptt"])


def chain_of(model: str) -> Unrolled:
    """A string of so many steps, by a fresh model."""
    cell, ids = (
        find_baseline(model).cell(TASK),
        torch.arange(STEPS).view(1, 1, -1) % len(TASK.language.alphabet),
    )
    batch = TrainingBatch(ids, torch.ones(1, 1, STEPS, cell.columns, dtype=torch.float64), None)
    inputs = StringInputs(torch.tensor(1.0, dtype=torch.float64))
    return Unrolled(cell, initialise(cell.shapes, 0, [0]), batch, inputs, squared_error)


if __name__ == "__main__":
    main()
