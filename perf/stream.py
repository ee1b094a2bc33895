"""How fast the compiled engine learns from a stream: an update after every symbol, through the last 50 steps.

    python perf/stream.py

Symbols of all runs together, by processor time on one thread; the median of several stretches.
"""

import numpy as np
from timing import median_seconds, print_table

from marnn_bench.baselines import find_baseline
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.models.joulin2015 import RECIPE, STREAM
from marnn_bench.baselines.stream.strings import training_strings
from marnn_bench.tasks.registry import find_task

MODELS = (
    ("joulin-stack-rnn", "anbn"),
    ("joulin-list-rnn", "anbn"),
    ("joulin-stack-rnn", "memorization"),
    ("joulin-srcn", "anbn"),
    ("joulin-stack-rnn-recurrent", "anbn"),
)
BOUND, LAST_EPOCH = 15.0, 20
SYMBOLS, STRETCHES = 2_000_000, 5
"""A stretch has so many symbols, divided by the parameters of a run and of those beside it."""


def main() -> None:
    """Print the table."""
    rows = [row_of(*model) for model in MODELS]
    print_table(rows, ["model", "task", "parameters", "lanes", "k sym/s"])


def row_of(name: str, task_name: str) -> list[str]:
    """A model on a task."""
    task = find_task(task_name)
    cell, places = find_baseline(name).cell(task), training_strings(task, RECIPE, LAST_EPOCH).places
    program = Program(cell)
    drawn = initialise(cell.shapes, 0, range(program.lanes)).tensors
    parameters = program.packed({tensor: of.detach().numpy() for tensor, of in drawn.items()})[0]
    space, rates = program.ring_space(STREAM.steps), np.full(program.lanes, RECIPE.learning_rate)
    stretch = SYMBOLS // (cell.num_parameters * program.lanes)
    done = 0

    def learn() -> None:
        nonlocal done
        window, losses = (STREAM.steps, BOUND), np.zeros(program.lanes)
        program.follow(parameters, places, range(done, done + stretch), done, window, rates, losses, space)
        done += stretch

    learn()  # until the ring is full
    rate = stretch * program.lanes / median_seconds(learn, STRETCHES)
    return [name, task_name, f"{cell.num_parameters:,}", str(program.lanes), f"{rate / 1e3:,.1f}"]


if __name__ == "__main__":
    main()
