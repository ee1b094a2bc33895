"""A cell against its equations written out for one string: values, gradients, and one step at a time."""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.noise import UpdateNoise
from marnn_bench.baselines.cells.parameters import Parameters, initialise

EXACT = 1e-12

Literal = Callable[[Mapping[str, Tensor], Tensor, Tensor], Tensor]
"""From the parameters of one run, a string and its noise to the outputs after each symbol: [steps, columns].

Weights are [outputs, inputs], biases [outputs], as the papers have them.
"""


def one_run(w: Parameters, run: int) -> dict[str, Tensor]:
    """The parameters of one run as the papers have them."""
    return {
        name: tensor[run].T if name.endswith(".weight") else tensor[run, 0]
        for name, tensor in w.tensors.items()
    }


def inputs_of(cell: Cell, runs: int, batch: int, steps: int, training: bool = True) -> StringInputs:
    """A temperature of 1, and noise if the cell takes any."""
    noise = torch.from_numpy(UpdateNoise(3, range(runs)).of(1, batch, steps, cell.noise))
    return StringInputs(torch.tensor(1.0, dtype=torch.float64), noise if cell.noise else None, training)


def assert_agrees(cell: Cell, literal: Literal, steps: int = 9, runs: int = 2, batch: int = 3) -> None:
    """All outputs of all runs and strings, and the gradients of a random sum of them, to 1e-12."""
    w, random = initialise(cell.shapes, 4, range(runs)), torch.Generator().manual_seed(steps)
    ids = torch.randint(cell.symbols, (1, batch, steps), generator=random)
    inputs = inputs_of(cell, runs, batch, steps)
    ours = cell.scores(w, ids, inputs)
    noise = torch.zeros(runs, batch, steps, 0) if inputs.noise is None else inputs.noise
    theirs = torch.stack(
        [
            torch.stack([literal(one_run(w, run), ids[0, i], noise[run, i]) for i in range(batch)])
            for run in range(runs)
        ]
    )
    assert ours.shape == theirs.shape == (runs, batch, steps, cell.columns)
    assert (ours - theirs).abs().max().item() <= EXACT
    at_outputs = torch.randn(ours.shape, generator=random, dtype=torch.float64)
    tensors = [*w.tensors.values()]
    gradients = [
        torch.autograd.grad((at_outputs * x).sum(), tensors, materialize_grads=True) for x in (ours, theirs)
    ]
    for name, a, b in zip(w.tensors, *gradients, strict=True):
        assert (a - b).abs().max().item() <= EXACT, name


def assert_steps_agree(cell: Cell, steps: int = 9, runs: int = 2, batch: int = 3) -> None:
    """All at once is one symbol after the other, as the evaluator asks."""
    w, random = initialise(cell.shapes, 5, range(runs)), torch.Generator().manual_seed(steps)
    ids = torch.randint(cell.symbols, (1, batch, steps), generator=random)
    inputs = inputs_of(cell, runs, batch, steps, training=False)
    at_once, state = cell.scores(w, ids, inputs), cell.initial_state(w, batch)
    for clock in range(steps):
        state, features = cell.step(w, state, cell.encode(w, ids[:, :, clock]), inputs.at(clock))
        assert (cell.decode(w, features) - at_once[:, :, clock]).abs().max().item() <= EXACT
