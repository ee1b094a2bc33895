"""How strings are answered while a model is trained, by the reference: loss, right positions, right strings."""

from collections.abc import Callable, Sequence
from typing import Final

import torch
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.noise import PrefixNoise
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.course import Exam
from marnn_bench.baselines.course_training import THRESHOLD
from marnn_bench.baselines.training.batches import training_batches

Loss = Callable[[Tensor, Tensor, Tensor | None], Tensor]

SCORES: Final = 1 << 18
"""Of each run that are computed together, about."""


def measure(
    cell: Cell,
    w: Parameters,
    exam: Exam,
    loss: Loss,
    seed: int,
    runs: Sequence[int],
    asked: Sequence[int],
    temperature: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The loss, averaged over positions that are asked, and the shares of these and of strings that are right: [run] each.

    Steps are not learned from, and noise is that of evaluation.

    runs:   their numbers
    asked:  places in these of the runs that count; the others are given no noise
    """
    device = next(iter(w.tensors.values())).device
    at = torch.tensor(temperature, dtype=torch.float64, device=device)
    looked_at = torch.from_numpy(exam.columns).to(device)
    lessons, positions = exam.lessons, int(exam.lessons.asked[-1])
    sums = torch.zeros(3, len(runs), dtype=torch.float64, device=device)
    together = max(1, SCORES // (lessons.longest * cell.columns))
    for batch in training_batches(lessons, cell.columns, together):
        ids, answers, weights = batch.to(device)
        noise = _noise(cell, ids, seed, runs, asked)
        with torch.inference_mode():
            scores = cell.scores(
                w, ids, StringInputs(at, None if noise is None else noise.to(device), training=False)
            )
            counted = torch.ones(ids.shape, device=device) if weights is None else weights
            share = int((counted > 0).sum()) / positions
            right = right_positions(scores, answers, looked_at, lessons.are_sets)
            sums[0] += loss(scores, answers, weights) * share
            sums[1] += (right & (counted > 0)).sum((1, 2))
            sums[2] += (right | (counted == 0)).all(2).sum(1)
    return sums[0], sums[1] / positions, sums[2] / len(lessons)


def right_positions(scores: Tensor, answers: Tensor, looked_at: Tensor, are_sets: bool) -> Tensor:
    """Where a set is right, from THRESHOLD on; or the right column's score is above that of all others looked at.

    scores [run, batch, steps, columns], answers [1, batch, steps, columns], looked_at [columns] -> [run, batch, steps]
    """
    if are_sets or scores.shape[-1] == 1:
        return ((scores >= THRESHOLD) == (answers == 1)).all(-1)
    of_right = (scores * answers).sum(-1, keepdim=True)
    return ((scores < of_right) | (answers == 1) | ~looked_at).all(-1)


def _noise(cell: Cell, ids: Tensor, seed: int, runs: Sequence[int], asked: Sequence[int]) -> Tensor | None:
    """That of evaluation: [run, batch, steps, noise]"""
    if not cell.noise:
        return None
    _, batch, steps = ids.shape
    drawn = torch.zeros(len(runs), batch, steps, cell.noise, dtype=torch.float64)
    for place in asked:
        of_run = PrefixNoise(seed, runs[place], batch, cell.noise)
        for step, symbols in enumerate(ids[0].T.cpu().numpy()):
            drawn[place, :, step] = torch.from_numpy(of_run.after(symbols))
    return drawn
