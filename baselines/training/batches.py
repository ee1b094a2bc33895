"""What an update learns from: consecutive strings of the split with their right answers, for all runs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from marnn_bench.errors import UsageError
from marnn_bench.examples import SetExamples


class TrainingExample(NamedTuple):
    """One string and its right answers.

    ids:      [1, 1, steps]           int64
    answers:  [1, 1, steps, columns]  1 in the columns of the right set, else 0
    """

    ids: Tensor
    answers: Tensor


class TrainingBatch(NamedTuple):
    """Strings and their right answers, padded behind with symbol 0 and answers of 0, of which nothing is learned.

    ids:      [1, batch, steps]           int64
    answers:  [1, batch, steps, columns]
    weights:  [1, batch, steps]           of the steps in the loss: each string counts alike, and each step of a string;
                                          0 for padding, 1 in all; None if no string is padded: the mean
    """

    ids: Tensor
    answers: Tensor
    weights: Tensor | None

    @classmethod
    def of(cls, examples: Sequence[TrainingExample]) -> "TrainingBatch":
        """These strings together."""
        ids = pad_sequence([example.ids[0, 0] for example in examples], batch_first=True)
        answers = pad_sequence([example.answers[0, 0] for example in examples], batch_first=True)
        lengths = [example.ids.shape[2] for example in examples]
        if len({*lengths}) == 1:
            return cls(ids[None], answers[None], None)
        of_string = [
            torch.full((length,), 1 / (length * len(lengths)), dtype=torch.float64) for length in lengths
        ]
        return cls(ids[None], answers[None], pad_sequence(of_string, batch_first=True)[None])

    def to(self, device: torch.device) -> "TrainingBatch":
        """The same on a device."""
        weights = None if self.weights is None else self.weights.to(device)
        return TrainingBatch(self.ids.to(device), self.answers.to(device), weights)


def training_batches(examples: SetExamples, batch: int) -> list[TrainingBatch]:
    """The strings in their order, so many at a time; the last batch may be smaller."""
    listed = training_examples(examples)
    return [TrainingBatch.of(listed[first : first + batch]) for first in range(0, len(listed), batch)]


def training_examples(examples: SetExamples) -> list[TrainingExample]:
    """The strings in their order, without the empty one, which asks nothing."""
    columns = np.arange(len(examples.task.columns), dtype=np.uint64)
    ids = torch.from_numpy(examples.strings.ids.astype(np.int64))
    answers = torch.from_numpy((examples.answers[:, None] >> columns & np.uint64(1)).astype(np.float64))
    lengths = examples.strings.lengths.tolist()
    pairs = zip(torch.split(ids, lengths), torch.split(answers, lengths), strict=True)
    listed = [
        TrainingExample(string[None, None], wanted[None, None]) for string, wanted in pairs if len(string)
    ]
    if not listed:
        raise UsageError(f"{examples.task.name} {examples.split} has nothing to learn from; use more rows.")
    return listed
