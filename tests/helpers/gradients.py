"""Losses and gradients of strings, by the reference, of one alone, and by the compiled program."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.noise import UpdateNoise, noise_key
from marnn_bench.baselines.cells.parameters import Parameters, initialise
from marnn_bench.baselines.engine.program import Block, Program, updates_of
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.training.optimisation import LOSSES

UPDATE = 70_000
"""Beyond 16 bits, and with a temperature at its floor."""

SEED = 3


def random_string(cell: Cell, length: int) -> Lessons:
    """A string of a cell's symbols, with an answer that allows any columns after each."""
    draw = np.random.default_rng(length)
    ids = draw.integers(0, cell.symbols, length).astype(np.int32)
    answers = draw.integers(0, 2**cell.columns, length).astype(np.uint64)
    return Lessons(ids, answers, np.array([0, length]))


def by_program(program: Program, cell: Cell, strings: Lessons, runs: int, loss: str = "squared error"):
    """The loss of each run, [run], and its gradient by name, [run, ...], of all strings as one batch."""
    recipe = replace(SUZGUN2019, loss=loss, batch=len(strings))
    drawn = initialise(cell.shapes, SEED, range(runs)).tensors
    blocks = program.packed({name: tensor.detach().numpy() for name, tensor in drawn.items()})
    keys = np.zeros((len(blocks), program.lanes), np.uint64)
    keys.flat[:runs] = [noise_key("training noise", SEED, run) for run in range(runs)]
    update = updates_of(recipe, UPDATE, 1, strings)
    update["rate"] = 0  # only the gradient is wanted
    losses, gradients = [], []
    for block, key in zip(blocks, keys, strict=True):
        space, loss_of_lanes = program.space(strings.longest, len(strings)), np.zeros((1, program.lanes))
        runs_of_block = Block(block, block, block, key, np.ones(program.lanes))
        program.train(runs_of_block, strings, recipe, update, loss_of_lanes, space)
        losses.append(loss_of_lanes[0])
        gradients.append(space[: block.size].reshape(block.shape).copy())
    return np.concatenate(losses)[:runs], program.unpacked(np.stack(gradients), runs)


def by_batch(program: Program, cell: Cell, lengths: Sequence[int], runs: int):
    """The same of strings of these lengths as one batch, and summed over those of each string alone. There is no noise."""
    strings = [random_string(cell, length) for length in lengths]
    ids, answers = (
        np.concatenate([getattr(string, name) for string in strings]) for name in ("ids", "answers")
    )
    of_each = [by_program(program, cell, string, runs) for string in strings]
    shares = np.array(lengths) / sum(lengths)
    losses = sum(share * losses for share, (losses, _) in zip(shares, of_each, strict=True))
    gradients = {
        name: sum(share * found[name] for share, (_, found) in zip(shares, of_each, strict=True))
        for name in of_each[0][1]
    }
    batch = Lessons(ids, answers, np.cumsum([0, *lengths]))
    return by_program(program, cell, batch, runs), (losses, gradients)


def by_reference(cell: Cell, string: Lessons, runs: int, loss: str = "squared error"):
    """The same by torch's autograd; the gradient of what the loss does not depend on is zero."""
    w: Parameters = initialise(cell.shapes, SEED, range(runs))
    noise = UpdateNoise(SEED, range(runs)).of(UPDATE, 1, len(string.ids), cell.noise) if cell.noise else None
    temperature = torch.tensor(SUZGUN2019.temperature(UPDATE), dtype=torch.float64)
    inputs = StringInputs(temperature, None if noise is None else torch.from_numpy(noise))
    scores = cell.scores(w, torch.from_numpy(string.ids.astype(np.int64))[None, None], inputs)
    columns = np.arange(cell.columns, dtype=np.uint64)
    answers = (string.answers[:, None] >> columns & np.uint64(1)).astype(np.float64)
    losses = LOSSES[loss](scores, torch.from_numpy(answers)[None, None], None)
    losses.sum().backward()
    gradients = {
        name: np.zeros(tensor.shape) if tensor.grad is None else tensor.grad.numpy()
        for name, tensor in w.tensors.items()
    }
    return losses.detach().numpy(), gradients


def farthest(one, other) -> float:
    """The greatest difference between two results."""
    (losses, gradients), (other_losses, other_gradients) = one, other
    return max(
        np.abs(losses - other_losses).max(),
        *(np.abs(gradients[name] - other_gradients[name]).max() for name in gradients),
    )
