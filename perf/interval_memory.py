"""The memory and the time that a Neural Stack takes, beside the same with its values concatenated anew in every step.

    python perf/interval_memory.py

258 steps (a source and a target of 128 symbols, two signs between and before them), ten strings, values of 256 numbers,
float32, forward and backward on one thread. Each form is measured in a process of its own: how much its resident size grows.
"""

import resource
import subprocess
import sys
from time import process_time

import torch
from timing import print_table
from torch import Tensor

from marnn_bench.baselines.cells.intervals import Line, NeuralStack
from marnn_bench.baselines.cells.parameters import Parameters

STEPS, STRINGS, WIDTH = 258, 10, 256


class Concatenating(NeuralStack):
    """All values in one tensor."""

    def update(self, memory: Line, weights: Tensor, written: Tensor) -> Line:
        after = super().update(memory, weights, written)
        return after._replace(values=(torch.cat(after.values, 2),))


FORMS = {"blocks": NeuralStack, "concatenated": Concatenating}


def main() -> None:
    """Print the table."""
    rows = []
    for form in FORMS:
        done = subprocess.run([sys.executable, __file__, form], capture_output=True, text=True, check=True)
        rows.append([form, *done.stdout.split()])
    print_table(rows, ["Neural Stack", "MB", "ms"])


def measure(form: str) -> None:
    """Print by how many MB the process grows, and how many milliseconds of processor time one pass takes."""
    torch.set_num_threads(1)
    one_pass(form, steps=8)
    before = peak()
    one_pass(form, STEPS)
    grown = peak() - before
    started = process_time()
    one_pass(form, STEPS)
    print(f"{grown / 1e6:.0f} {1e3 * (process_time() - started):.0f}")


def one_pass(form: str, steps: int) -> None:
    """Forward and backward."""
    memory = FORMS[form](WIDTH)
    signals = torch.rand(steps, 1, STRINGS, memory.scores).requires_grad_()
    written = torch.randn(steps, 1, STRINGS, memory.write_size).requires_grad_()
    line, total = memory.initial(Parameters({"any": torch.zeros(1, 1)}), STRINGS), torch.zeros(())
    for of_step, values in zip(signals, written, strict=True):
        line = memory.update(line, memory.as_actions(of_step), values)
        total = total + memory.read(line).square().sum()
    total.backward()


def peak() -> int:
    """The largest resident size so far, in bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    measure(sys.argv[1]) if sys.argv[1:] else main()
