"""What a model answered about strings: numbers without meaning, which the view of a task gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.strings import Strings


@dataclass(frozen=True, eq=False)
class Predictions:
    """The answers about n strings, one string behind the other.

    values:    under each name a number for each answer: [answers]
    answered:  whether it came: [answers]
    offsets:   where the answers of each string begin, and where the last ones end: [n + 1]
    totals:    under each name a number for each string: [n]

    "predicted" is, by what a task reads from an answer, a mask, a column (TIE if none has the highest score alone), a
    probability that the string is a member, or the log of the probability of the symbol that came.
    """

    values: Mapping[str, NDArray[Any]]
    answered: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    totals: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def predicted(self) -> NDArray[Any]:
        """What was answered: [answers]."""
        return self.values["predicted"]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """How many answers there are about each string: [n]."""
        return np.diff(self.offsets)

    def summed(self, name: str) -> "Predictions":
        """The same with the numbers of this name, if there are any, summed up for each string."""
        if name not in self.values:
            return self
        before = np.concatenate(([0.0], np.cumsum(self.values[name])))
        totals = before[self.offsets[1:]] - before[self.offsets[:-1]]
        rest = {other: values for other, values in self.values.items() if other != name}
        return Predictions(rest, self.answered, self.offsets, {**self.totals, name: totals})

    def split(self, parts: int) -> "list[Predictions]":
        """Those about so many batches of equally many strings: what `concatenate` puts together."""
        return [self._of(rows) for rows in np.split(np.arange(len(self)), parts)]

    def _of(self, rows: NDArray[np.int64]) -> "Predictions":
        """Those about strings that follow each other."""
        first, last = self.offsets[rows[0]], self.offsets[rows[-1] + 1]
        return Predictions(
            {name: values[first:last] for name, values in self.values.items()},
            self.answered[first:last],
            self.offsets[rows[0] : rows[-1] + 2] - first,
            {name: totals[rows] for name, totals in self.totals.items()},
        )

    @classmethod
    def of(cls, predicted: NDArray[Any], offsets: NDArray[np.int64]) -> "Predictions":
        """Answers that all came."""
        return cls({"predicted": predicted}, np.ones(len(predicted), np.bool_), offsets)

    @classmethod
    def concatenate(cls, parts: "Sequence[Predictions]") -> "Predictions":
        """Those about several batches of strings, one behind the other."""
        first = parts[0]
        lengths = np.concatenate([part.lengths for part in parts])
        return cls(
            {name: np.concatenate([part.values[name] for part in parts]) for name in first.values},
            np.concatenate([part.answered for part in parts]),
            np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]),
            {name: np.concatenate([part.totals[name] for part in parts]) for name in first.totals},
        )


def previous(strings: Strings, start: int) -> NDArray[np.int64]:
    """The symbol before each, `start` at the head of a string: [symbols].

    >>> previous(Strings(np.array([7, 8, 9]), np.array([0, 2, 3])), 0).tolist()
    [0, 7, 0]
    """
    before = np.append(start, strings.ids[:-1]).astype(np.int64)
    before[strings.offsets[:-1]] = start
    return before
