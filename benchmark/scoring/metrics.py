"""How right the answers to a split are, with intervals: numbers between 0 and 1, numpy alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.examples import Examples
from marnn_bench.generators.language import Masks
from marnn_bench.generators.strings import Strings

CONFIDENCE_LEVEL: Final = 0.95
QUANTILE: Final = 1.959963984540054
"""Of the normal law, at (1 + CONFIDENCE_LEVEL) / 2."""

RESAMPLES: Final = 1_000
SOLVED_THRESHOLD: Final = 0.99
"""A length, and a task, is solved from this sequence accuracy on."""

Counts = NDArray[np.int64]
Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Correctness:
    """Which answers are right.

    right:        [symbols]  the answer after this symbol
    counts:       [n]        right answers of each string
    correct:      [n]        all answers of the string
    first_error:  [n]        int32: index of its first wrong answer, -1 if there is none
    """

    right: NDArray[np.bool_]
    counts: Counts
    correct: NDArray[np.bool_]
    first_error: NDArray[np.int32]

    @classmethod
    def of(cls, strings: Strings, answers: Masks, predicted: Masks) -> "Correctness":
        """Compare the predicted sets with the right ones, both [symbols]."""
        right = predicted == answers
        starts, ends = strings.offsets[:-1], strings.offsets[1:]
        before = np.concatenate(([0], np.cumsum(right)))  # right answers before each symbol, [symbols + 1]
        counts = before[ends] - before[starts]
        correct = counts == strings.lengths
        wrong = np.flatnonzero(~right)
        first_error = np.full(len(strings), -1, np.int32)
        first_error[~correct] = wrong[np.searchsorted(wrong, starts[~correct])] - starts[~correct]
        return cls(right, counts, correct, first_error)


class Scorer:
    """Scores answers to a split, over all its strings and by their lengths and depths."""

    def __init__(self, examples: Examples) -> None:
        strings = examples.strings
        self.lengths = strings.lengths
        self.depths = examples.task.language.depths(strings)  # [symbols]
        self.max_depths = strings.maxima(self.depths)  # [n]

    def score(self, correctness: Correctness, interval: Sequence[float]) -> Record:
        """The scores of one run; `interval` is that of its accuracy by position, which all runs are needed for."""
        by_length = _accuracy_by_group(self.lengths, correctness.correct, "length")
        wrong = np.sort(correctness.first_error[~correctness.correct])
        return {
            "sequence_accuracy": sequence_accuracy(correctness),
            "position_accuracy": {
                "value": position_accuracy(correctness),
                "lower": interval[0],
                "upper": interval[1],
                "level": CONFIDENCE_LEVEL,
                "method": "bootstrap over strings",
                "n": len(correctness.right),
            },
            "by_length": by_length,
            "by_depth": _accuracy_by_group(self.max_depths, correctness.correct, "depth"),
            "positions_by_depth": [
                {name: cell[name] for name in ("depth", "n", "correct", "value")}
                for cell in _accuracy_by_group(self.depths, correctness.right, "depth")
            ],
            "first_error": {
                "strings": len(wrong),
                "median": int(wrong[(len(wrong) - 1) // 2]) if len(wrong) else None,
            },
            "longest_solved": longest_solved(by_length),
        }


def sequence_accuracy(correctness: Correctness) -> Record:
    """The share of strings that have every answer right, with its Wilson interval."""
    correct, n = int(correctness.correct.sum()), len(correctness.correct)
    lower, upper = wilson(correct, n)
    return {
        "value": correct / n,
        "lower": lower,
        "upper": upper,
        "level": CONFIDENCE_LEVEL,
        "method": "wilson",
        "n": n,
    }


def position_accuracy(correctness: Correctness) -> float:
    """The share of right answers."""
    return float(correctness.right.mean()) if len(correctness.right) else 1.0


def position_intervals(counts: Counts, lengths: Counts, digest: str) -> NDArray[np.float64]:
    """95 % bootstrap intervals of the accuracy by position of some runs, from their right answers [n, runs]: [runs, 2].

    Strings are resampled, not positions, since the answers about one string go wrong together (Efron & Tibshirani
    1993, section 8.3). The digest of the data is the seed: equal for all runs and models, on every machine.
    """
    rng = np.random.default_rng(list(digest.encode()))
    n = len(lengths)
    columns = np.column_stack([counts, lengths]).astype(np.float64)
    sums = np.empty((RESAMPLES, columns.shape[1]))
    for resample in sums:
        times = np.bincount(rng.integers(n, size=n), minlength=n)  # how often each string is drawn, [n]
        resample[:] = times @ columns
    accuracies = sums[:, :-1] / np.maximum(sums[:, -1:], 1)
    return np.quantile(accuracies, [(1 - CONFIDENCE_LEVEL) / 2, (1 + CONFIDENCE_LEVEL) / 2], axis=0).T


def wilson(correct: int, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a proportion (Wilson 1927; Brown, Cai & DasGupta 2001, equation 4).

    >>> [round(end, 4) for end in wilson(98, 100)]
    [0.93, 0.9945]
    """
    share, z2n = correct / n, QUANTILE**2 / n
    centre = share + z2n / 2
    spread = QUANTILE * sqrt(share * (1 - share) / n + z2n / n / 4)
    lower = (centre - spread) / (1 + z2n) if correct else 0.0
    upper = (centre + spread) / (1 + z2n) if correct < n else 1.0
    return lower, upper


def longest_solved(by_length: list[Record]) -> int | None:
    """The largest length up to which every length is solved, if the shortest is."""
    longest = None
    for cell in by_length:
        if cell["value"] < SOLVED_THRESHOLD:
            break
        longest = cell["length"]
    return longest


def summary(runs: list[Record]) -> Record:
    """The spread of the two accuracies over runs, and how many runs solve the task."""
    accuracies = np.array(
        [[run[name]["value"] for run in runs] for name in ("sequence_accuracy", "position_accuracy")]
    )
    solved = int((accuracies[0] >= SOLVED_THRESHOLD).sum())
    lower, upper = wilson(solved, len(runs))
    share = {
        "threshold": SOLVED_THRESHOLD,
        "runs": solved,
        "share": solved / len(runs),
        "lower": lower,
        "upper": upper,
    }
    return {
        "runs": len(runs),
        "sequence_accuracy": _spread(accuracies[0]),
        "position_accuracy": _spread(accuracies[1]),
        "solved": share,
    }


def _spread(values: NDArray[np.float64]) -> Record:
    return {
        "min": float(values.min()),
        "max": float(values.max()),
        "median": float(np.median(values)),
        "mean": float(values.mean()),
    }


def _accuracy_by_group(groups: Counts, correct: NDArray[np.bool_], name: str) -> list[Record]:
    """Proportions of `correct` within each group that occurs, in order."""
    sizes, hits = np.bincount(groups), np.bincount(groups, weights=correct)
    cells = []
    for group in np.flatnonzero(sizes).tolist():
        n, k = int(sizes[group]), int(hits[group])
        lower, upper = wilson(k, n)
        cells.append({name: group, "n": n, "correct": k, "value": k / n, "lower": lower, "upper": upper})
    return cells
