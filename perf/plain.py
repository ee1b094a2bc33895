"""The yardstick of training: the models as a careful user of torch would write them, one string and one run at a time."""

import numpy as np
import torch
from torch import Tensor, nn

from marnn_bench.baselines.lessons import lessons_of
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.training.batches import training_batches
from marnn_bench.examples import SetExamples

CELLS = 104


class PlainModel(nn.Module):
    """Layers of torch, a loop over symbols, a memory of 104 cells; by the names of our baselines."""

    def __init__(self, model: str, symbols: int = 4, hidden: int = 8, width: int = 1) -> None:
        super().__init__()
        self.is_ours = "joulin" not in model
        self.memory = "stack" if "stack" in model else "ring" if "ntm" in model else None
        self.gate = model.rsplit("-", 1)[-1]
        layer = nn.LSTMCell if "lstm" in model else nn.RNNCell
        self.cell: nn.RNNCellBase = layer(symbols, hidden, bias=self.is_ours)
        self.output = nn.Linear(hidden, symbols, self.is_ours)
        self.read = nn.Linear(width * (1 if self.is_ours else 2), hidden, self.is_ours)
        self.action = nn.Linear(hidden, 5 if self.memory == "ring" else 2, self.is_ours)
        self.write = nn.Linear(hidden, width, self.is_ours)
        self.width, self.temperature = width, 1.0
        self.double()

    def forward(self, string: Tensor) -> Tensor:
        """One-hot [steps, symbols] -> [steps, symbols]"""
        h = c = string.new_zeros(1, self.cell.hidden_size)
        memory = string.new_zeros(CELLS, self.width)
        outputs = []
        for x in string:
            h, c = self.control(x[None], h, c, memory)
            if self.memory:
                weights = self.weights(self.action(h)[0])
                memory = self.update(memory, weights, torch.sigmoid(self.write(h)))
            outputs.append(torch.sigmoid(self.output(h)))
        return torch.cat(outputs)

    def control(self, x: Tensor, h: Tensor, c: Tensor, memory: Tensor) -> tuple[Tensor, Tensor]:
        """The next hidden units, and the cells of an LSTM."""
        if not self.is_ours:
            of_cell = x @ self.cell.weight_ih.T + h @ self.cell.weight_hh.T
            return torch.sigmoid(of_cell + self.read(memory[:2].view(1, -1))), c
        if self.memory:
            h = h + self.read(memory[:1])
        if isinstance(self.cell, nn.LSTMCell):
            after: tuple[Tensor, Tensor] = self.cell(x, (h, c))
            return after
        return self.cell(x, h), c

    def weights(self, scores: Tensor) -> Tensor:
        """Of the actions."""
        if self.gate == "gumbel":
            scores = scores - torch.log(-torch.log(torch.rand_like(scores)))
        return torch.softmax(scores / self.temperature, -1)

    def update(self, memory: Tensor, weights: Tensor, new: Tensor) -> Tensor:
        """The memory after one step."""
        zero = new.new_zeros(1, self.width)
        if self.memory == "stack":
            push, pop = weights
            return push * torch.cat([new, memory[:-1]]) + pop * torch.cat([memory[1:], zero])
        left, right, stay, pop_right, pop_left = weights
        after = left * memory.roll(-1, 0) + right * memory.roll(1, 0) + stay * memory
        after = after + pop_right * torch.cat([zero, memory[:-1]]) + pop_left * torch.cat([memory[1:], zero])
        return torch.cat([after[:1] + new, after[1:]])


def train_plainly(module: PlainModel, examples: SetExamples) -> None:
    """One epoch of one run, with torch's loss and optimiser."""
    adam = torch.optim.Adam(module.parameters(), lr=SUZGUN2019.learning_rate)
    batches = training_batches(lessons_of(examples), len(examples.task.columns), 1)
    for update, example in enumerate(batches, 1):
        module.temperature = max(float(np.exp(-1e-4 * update)), 0.5)
        string = nn.functional.one_hot(example.ids[0, 0], module.cell.input_size).double()
        loss = nn.functional.mse_loss(module(string), example.answers[0, 0])
        adam.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        adam.step()
