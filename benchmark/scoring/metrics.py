"""How right answers are: the metrics of one run, and their spread over runs, whatever was asked. numpy alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from marnn_bench.scoring.intervals import Ratio, intervals, wilson
from marnn_bench.scoring.predictions import Predictions

SOLVED_THRESHOLD: Final = 0.99
"""A task is solved from this value of its headline on."""

LOWER_IS_BETTER: Final = ("excess_cross_entropy", "cross_entropy", "illegal_mass")

RUNS_AT_ONCE: Final = 64
"""Of so many runs the intervals are found together, in the same resamples."""

Counts = NDArray[np.int64]
Record = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Breakdown:
    """Values of items, strings or positions, by a number or a name that each of them has: [items].

    values:  [items]  such as 1 for right, 0 for wrong
    weights: [items]  all one if none are given
    names:   what the numbers stand for, if they stand for something
    """

    by: str
    groups: Counts
    values: NDArray[Any]
    weights: NDArray[np.float64] | None = None
    names: Sequence[str] = ()

    def cells(self) -> list[Record]:
        """A record for each group that occurs, in order; proportions have Wilson's interval."""
        if not len(self.groups):
            return []
        sizes = np.bincount(self.groups)
        sums = np.bincount(self.groups, weights=self.values)
        weights = sizes if self.weights is None else np.bincount(self.groups, weights=self.weights)
        proportion = self.values.dtype == np.bool_
        cells = []
        for group in np.flatnonzero(sizes).tolist():
            n, total = int(sizes[group]), float(sums[group])
            cell: Record = {self.by: self.names[group] if self.names else group, "n": n}
            if proportion:
                lower, upper = wilson(total, n)
                cell |= {"correct": int(total), "value": total / n, "lower": lower, "upper": upper}
            else:
                value = total / float(weights[group]) if weights[group] else np.nan
                cell["value"] = value if np.isfinite(value) else None
                if self.weights is not None:
                    cell["weight"] = float(weights[group])
            cells.append(cell)
        return cells


@dataclass(frozen=True, eq=False)
class Correctness:
    """Which strings are answered right.

    correct:      [n]  whether all that was asked about a string is right
    first_error:  [n]  int32: the place of its first wrong answer, -1 if there is none
    """

    correct: NDArray[np.bool_]
    first_error: NDArray[np.int32]

    @classmethod
    def of(cls, right: NDArray[np.bool_], offsets: NDArray[np.int64]) -> "Correctness":
        """From which answers are right; those of string i are offsets[i]..offsets[i + 1] - 1."""
        starts, ends = offsets[:-1], offsets[1:]
        wrong = np.flatnonzero(~right)
        next_wrong = np.append(wrong, len(right))[np.searchsorted(wrong, starts)]
        correct = next_wrong >= ends
        return cls(correct, np.where(correct, -1, next_wrong - starts).astype(np.int32))


class Scorer(Protocol):
    """Scores answers to a split."""

    def correctness(self, predictions: Predictions) -> Correctness:
        """Which strings are answered right."""

    def metrics(self, predictions: Predictions) -> Mapping[str, Ratio]:
        """How right one run is."""

    def breakdowns(self, predictions: Predictions) -> Mapping[str, Breakdown]:
        """The same by what the strings or positions have; `by_length` is among them."""


def sums_by_row(values: NDArray[Any], offsets: NDArray[np.int64]) -> NDArray[Any]:
    """The sum of each string's numbers; those of string i are values[offsets[i]:offsets[i + 1]]: [n]."""
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
    return np.asarray(before[offsets[1:]] - before[offsets[:-1]])


class RunRecords:
    """The record of each run; no run's predictions are held.

    train_lengths:  the shortest and the longest string of training, where they are known
    """

    def __init__(self, scorer: Scorer, digest: str, train_lengths: tuple[int, int] | None) -> None:
        self._scorer, self._digest, self._train_lengths = scorer, digest, train_lengths
        self._records: list[Record] = []
        self._scored: list[tuple[Mapping[str, Ratio], Record]] = []  # their intervals are still to be found

    def add(self, predictions: Predictions) -> None:
        """Score the next run."""
        breakdowns = _breakdowns(self._scorer, predictions, self._train_lengths)
        self._scored.append((self._scorer.metrics(predictions), breakdowns))
        if len(self._scored) == RUNS_AT_ONCE:
            self._find_intervals()

    def records(self) -> list[Record]:
        """Those of all runs so far."""
        self._find_intervals()
        return self._records

    def _find_intervals(self) -> None:
        ratios = [ratio for metrics, _ in self._scored for ratio in metrics.values()]
        found = iter(intervals(ratios, self._digest))
        for run, (metrics, breakdowns) in enumerate(self._scored, len(self._records)):
            of_metrics = {name: _metric(ratio, next(found)) for name, ratio in metrics.items()}
            self._records.append({"run": run, "metrics": of_metrics, **breakdowns})
        self._scored = []


def _metric(ratio: Ratio, interval: Record) -> Record:
    value = ratio.value
    known = np.isfinite([value, interval["lower"], interval["upper"]])
    ends = {end: interval[end] if ok else None for end, ok in zip(("lower", "upper"), known[1:], strict=True)}
    return {"value": value if known[0] else None, **interval, **ends, "n": len(ratio.values)}


def _breakdowns(scorer: Scorer, predictions: Predictions, train_lengths: tuple[int, int] | None) -> Record:
    cells = {name: breakdown.cells() for name, breakdown in scorer.breakdowns(predictions).items()}
    by_length, first_error = cells["by_length"], scorer.correctness(predictions).first_error
    wrong = np.sort(first_error[first_error >= 0])
    return {
        **cells,
        "first_error": {
            "strings": len(wrong),
            "median": int(wrong[(len(wrong) - 1) // 2]) if len(wrong) else None,
        },
        "longest_solved": longest_solved(by_length),
        "area_under_curve": _mean(by_length),
        "extrapolation_ratio": _extrapolation_ratio(by_length, train_lengths),
    }


def longest_solved(by_length: Sequence[Record]) -> int | None:
    """The largest length up to which the strings, all together, are right with a Wilson lower end of at least 0.99.

    381 right answers without a wrong one are enough.

    >>> longest_solved([{"length": 2, "n": 200, "correct": 200}, {"length": 4, "n": 200, "correct": 199}])
    >>> longest_solved([{"length": 2, "n": 200, "correct": 200}, {"length": 4, "n": 200, "correct": 200}])
    4
    """
    longest, n, correct = None, 0, 0
    for cell in by_length:
        if "correct" not in cell:
            return None
        n, correct = n + cell["n"], correct + cell["correct"]
        if wilson(correct, n)[0] >= SOLVED_THRESHOLD:
            longest = cell["length"]
    return longest


def _mean(cells: Sequence[Record]) -> float | None:
    """The mean of the lengths' values, each length counting once: the area under the curve of value by length."""
    values = [cell["value"] for cell in cells]
    return float(np.mean(values)) if values and None not in values else None


def _extrapolation_ratio(cells: Sequence[Record], train_lengths: tuple[int, int] | None) -> float | None:
    """The area under the curve above the lengths of training, over that within, where there are both."""
    if train_lengths is None or any(
        "correct" not in cell for cell in cells
    ):  # a ratio of excesses says nothing
        return None
    low, high = train_lengths
    within = _mean([cell for cell in cells if low <= cell["length"] <= high])
    beyond = _mean([cell for cell in cells if cell["length"] > high])
    return beyond / within if within and beyond is not None else None


def summary(runs: Sequence[Record], headline: str) -> Record:
    """The spread of every metric over runs, and how many runs solve the task."""
    spreads = {name: _spread([run["metrics"][name]["value"] for run in runs]) for name in runs[0]["metrics"]}
    found: Record = {"runs": len(runs), "headline": headline, "metrics": spreads}
    if headline not in LOWER_IS_BETTER:
        values = [run["metrics"][headline]["value"] for run in runs]
        solved = sum(value >= SOLVED_THRESHOLD for value in values)
        found["solved"] = {"threshold": SOLVED_THRESHOLD, "runs": solved, "share": solved / len(runs)}
        if len(runs) > 1:  # one run says nothing of others
            found["solved"] |= dict(zip(("lower", "upper"), wilson(solved, len(runs)), strict=True))
    return found


def _spread(values: Sequence[float | None]) -> Record:
    """None where it is not finite. A run without a value has an infinite one, unless no run of these strings has any."""
    array = np.array([np.inf if value is None else value for value in values])
    spread = {"min": array.min(), "max": array.max(), "median": np.median(array), "mean": array.mean()}
    return {name: float(value) if np.isfinite(value) else None for name, value in spread.items()}
