"""How fast baselines are trained by their recipe, on one thread, beside a plain nn.Module trained one run at a time.

    python perf/training.py

Strings of 2 to 50 symbols (26 on average; 23 in the train split), one update a string, Adam included. Medians of
processor time; ratios within one run.
"""

from dataclasses import replace

import numpy as np
import torch
from timing import median_seconds, print_table
from torch import Tensor, nn

from marnn_bench.baselines import find_baseline, train
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.training.loop import one_thread, training_examples
from marnn_bench.examples import Examples
from marnn_bench.tasks.registry import find_task

TASK = find_task("dyck2")
RUNS = (1, 10, 30)
STRINGS = 24


class PlainModel(nn.Module):
    """The equations as one would write them down: layers of torch, a loop over symbols, a stack of 104 cells."""

    def __init__(self, model: str, symbols: int = 4, hidden: int = 8) -> None:
        super().__init__()
        self.cell: nn.RNNCellBase = (nn.LSTMCell if model == "lstm" else nn.RNNCell)(symbols, hidden)
        self.output = nn.Linear(hidden, symbols)
        self.stack = nn.ModuleList([nn.Linear(1, hidden), nn.Linear(hidden, 2), nn.Linear(hidden, 1)])
        self.model = model
        self.double()

    def forward(self, string: Tensor) -> Tensor:
        """One-hot [steps, symbols] -> [steps, symbols]"""
        h = c = string.new_zeros(1, self.cell.hidden_size)
        stack = string.new_zeros(104, 1)
        read, action, write = self.stack
        outputs = []
        for x in string:
            if self.model == "lstm":
                h, c = self.cell(x[None], (h, c))
            elif self.model == "rnn":
                h = self.cell(x[None], h)
            else:
                h = self.cell(x[None], h + read(stack[:1]))
                push, pop = torch.softmax(action(h), -1)[0]
                pushed = torch.cat([torch.sigmoid(write(h)), stack[:-1]])
                stack = push * pushed + pop * torch.cat([stack[1:], stack.new_zeros(1, 1)])
            outputs.append(torch.sigmoid(self.output(h)))
        return torch.cat(outputs)


def main() -> None:
    """Print the table."""
    examples = some_examples()
    symbols = len(examples.strings.ids)
    rows = []
    with one_thread():
        for model in ("rnn", "lstm", "stack-rnn"):
            plain = symbols / median_seconds(lambda model=model: train_plainly(model, examples))
            rows.append([f"{model}, plain nn.Module", "1", f"{plain / 1e3:.1f}", "1.0"])
            for runs in RUNS:
                rate = (
                    runs
                    * symbols
                    / median_seconds(lambda model=model, runs=runs: train_runs(model, runs, examples))
                )
                rows.append([model, str(runs), f"{rate / 1e3:.1f}", f"{rate / plain:.1f}"])
    print_table(rows, ["training on dyck2", "runs", "thousand symbols/s", "x plain"])


def some_examples() -> Examples:
    """Strings in the window of the train split, every length alike."""
    draws = np.arange(STRINGS, dtype=np.uint64)
    strings = TASK.language.law("uniform").draw(TASK.split("train").window, TASK.key("train"), draws)
    return Examples(TASK, "train", strings, TASK.view.answers(TASK.language, strings), digest="")


def train_runs(model: str, runs: int, examples: Examples) -> None:
    """One epoch of all runs at once."""
    cell = find_baseline(model).cell(TASK)
    train(cell, replace(SUZGUN2019, epochs=1), examples, range(runs))


def train_plainly(model: str, examples: Examples) -> None:
    """One epoch of one run, with torch's layers, loss and optimiser."""
    module = PlainModel(model)
    adam = torch.optim.Adam(module.parameters(), lr=SUZGUN2019.learning_rate)
    for example in training_examples(examples):
        string = nn.functional.one_hot(example.ids[0, 0], 4).double()
        loss = nn.functional.mse_loss(module(string), example.answers[0, 0])
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()


if __name__ == "__main__":
    main()
