"""Whether two results on the same strings differ."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.results import Result
from marnn_bench.leaderboard.statistics import Interval, difference_interval, mcnemar, median_run
from marnn_bench.scoring.metrics import CONFIDENCE_LEVEL

Verdict = Literal["A is better", "B is better", "no difference shown"]


@dataclass(frozen=True)
class Pair:
    """One run of A and one of B on the same strings: how many strings only one of them has right, and McNemar's p."""

    run_a: int
    run_b: int
    only_a: int
    only_b: int
    p: float


@dataclass(frozen=True)
class Comparison:
    """Sequence accuracy of B less that of A, and whether that could be chance.

    difference:  B - A, means over runs, with its 95 % bootstrap interval over runs and strings
    median_runs: the run of each with median accuracy (the only one of a single run), string by string

    Two single runs differ if McNemar's p is below 0.05; otherwise the results differ if the interval leaves out zero.
    """

    a: Result
    b: Result
    difference: Interval
    median_runs: Pair

    @property
    def single(self) -> bool:
        """Whether each result is of one run."""
        return len(self.a.runs) == len(self.b.runs) == 1

    @property
    def differ(self) -> bool:
        if self.single:
            return self.median_runs.p < 1 - CONFIDENCE_LEVEL
        return not self.difference.lower <= 0 <= self.difference.upper

    @property
    def verdict(self) -> Verdict:
        if not self.differ:
            return "no difference shown"
        return "B is better" if self.difference.value > 0 else "A is better"

    def record(self) -> dict[str, Any]:
        """The comparison as plain data; accuracies are fractions."""
        results = {"a": self.a, "b": self.b}
        return {
            "task": asdict(self.a.task),
            **{
                name: {
                    "folder": str(result.folder),
                    "model": result.model,
                    "runs": len(result.runs),
                    "sequence_accuracy": asdict(result.accuracy),
                }
                for name, result in results.items()
            },
            "difference": {
                **asdict(self.difference),
                "level": CONFIDENCE_LEVEL,
                "method": "bootstrap over runs and strings",
            },
            "mcnemar": asdict(self.median_runs),
            "decided_by": "mcnemar" if self.single else "difference",
            "verdict": self.verdict,
        }


def compare_results(a: Result, b: Result) -> Comparison:
    """Compare two results; UsageError unless both answer the same strings."""
    _same_strings(a, b)
    correct_a, correct_b = a.correct(), b.correct()
    i, j = median_run(correct_a.mean(axis=1)), median_run(correct_b.mean(axis=1))
    only_a = int(np.sum(correct_a[i] & ~correct_b[j]))
    only_b = int(np.sum(correct_b[j] & ~correct_a[i]))
    pair = Pair(a.runs[i].number, b.runs[j].number, only_a, only_b, mcnemar(only_a, only_b))
    return Comparison(a, b, difference_interval(correct_a, correct_b), pair)


def _same_strings(a: Result, b: Result) -> None:
    for what, of_a, of_b in (
        ("task and split", f"{a.task.name}, {a.task.split}", f"{b.task.name}, {b.task.split}"),
        ("version", a.task.version, b.task.version),
        ("data digest", a.task.digest, b.task.digest),
        ("number of strings", a.task.rows, b.task.rows),
    ):
        if of_a != of_b:
            raise UsageError(
                f"Different {what}: {a.folder} has {of_a}, {b.folder} has {of_b}. "
                "Evaluate both models on the same data to compare them."
            )
