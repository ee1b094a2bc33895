"""What an update learns from: consecutive strings with their right answers, for all runs."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from marnn_bench.baselines.lessons import Lessons


class TrainingBatch(NamedTuple):
    """Strings and their right answers, padded behind with symbol 0 and answers of 0, of which nothing is learned.

    ids:      [1, batch, steps]           int64
    answers:  [1, batch, steps, columns]  1 in the right columns, else 0
    weights:  [1, batch, steps]           of the steps in the loss: those that are asked count alike, 1 in all; None if all
                                          are: the mean
    """

    ids: Tensor
    answers: Tensor
    weights: Tensor | None

    def to(self, device: torch.device) -> "TrainingBatch":
        """The same on a device."""
        weights = None if self.weights is None else self.weights.to(device)
        return TrainingBatch(self.ids.to(device), self.answers.to(device), weights)


def training_batch(lessons: Lessons, columns: int) -> TrainingBatch:
    """These strings together."""
    lengths = np.diff(lessons.offsets)
    present = np.arange(lessons.longest) < lengths[:, None]  # [batch, steps]

    def padded(values: NDArray[np.generic]) -> Tensor:
        filled = np.zeros((*present.shape, *values.shape[1:]), values.dtype)
        filled[present] = values
        return torch.from_numpy(filled)[None]

    asked = np.diff(lessons.asked).astype(np.float64)
    plain = present.all() and asked.all()
    weights = None if plain else padded(asked / max(asked.sum(), 1))
    return TrainingBatch(padded(lessons.ids.astype(np.int64)), padded(lessons.right(columns)), weights)


def training_batches(lessons: Lessons, columns: int, batch: int) -> Iterator[TrainingBatch]:
    """The strings in their order, so many at a time; the last batch may be smaller."""
    for first in range(0, len(lessons), batch):
        yield training_batch(lessons.rows(first, min(first + batch, len(lessons))), columns)
