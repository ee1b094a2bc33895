"""Whether two results on the same strings differ."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.difference import Difference
from marnn_bench.leaderboard.results import Result
from marnn_bench.leaderboard.statistics import Spread
from marnn_bench.scoring.intervals import CONFIDENCE_LEVEL
from marnn_bench.scoring.metrics import LOWER_IS_BETTER

Verdict = Literal["A is better", "B is better", "no difference shown", "no verdict"]


@dataclass(frozen=True)
class Comparison:
    """Two results by the headline metric of their task, and whether they differ.

    spreads:     of A and of B, over their runs
    difference:  B - A; of nats, less is better
    """

    a: Result
    b: Result
    spreads: tuple[Spread, Spread]
    difference: Difference

    @property
    def metric(self) -> str:
        """What is compared."""
        return self.a.task.headline

    @property
    def single(self) -> bool:
        """Whether each result is of one run."""
        return len(self.a.runs) == len(self.b.runs) == 1

    @property
    def how_many_runs(self) -> str:
        """In words."""
        counts = {"A": len(self.a.runs), "B": len(self.b.runs)}
        return " and ".join(f"{name} has {n} run{'s' if n > 1 else ''}" for name, n in counts.items())

    @property
    def verdict(self) -> Verdict:
        """What the runs allow to say."""
        if not self.difference.decided:
            return "no verdict"
        if not self.difference.shown:
            return "no difference shown"
        higher = self.difference.value > 0
        return "B is better" if higher != (self.metric in LOWER_IS_BETTER) else "A is better"

    def record(self) -> dict[str, Any]:
        """The comparison as plain data; shares are fractions."""
        results = zip("ab", (self.a, self.b), self.spreads, strict=True)
        return {
            "task": asdict(self.a.task),
            "metric": self.metric,
            **{
                name: {
                    "folder": str(result.folder),
                    "model": result.model,
                    "runs": len(result.runs),
                    self.metric: spread.record(),
                    "lost": result.lost,
                    "audit_failed": list(result.audit_failed),
                }
                for name, result, spread in results
            },
            "difference": asdict(self.difference) | {"level": CONFIDENCE_LEVEL},
            "verdict": self.verdict,
        }


def compare_results(a: Result, b: Result) -> Comparison:
    """Compare two results; UsageError unless both answer the same strings, asked in the same way."""
    _same_strings(a, b)
    values = a.values(), b.values()
    for result, of_each in zip((a, b), values, strict=True):
        if not np.isfinite(of_each).all():
            raise UsageError(
                f"{result.folder} has infinite {a.task.headline.replace('_', ' ')}: its model held a string impossible "
                "that came. Results are compared where every probability is above 0."
            )
    bounded = a.task.headline not in LOWER_IS_BETTER
    return Comparison(a, b, (a.spread, b.spread), Difference.between(*values, bounded))


def _same_strings(a: Result, b: Result) -> None:
    for what, of_a, of_b in (
        ("task and split", f"{a.task.name}, {a.task.split}", f"{b.task.name}, {b.task.split}"),
        ("version", a.task.version, b.task.version),
        ("data digest", a.task.digest, b.task.digest),
        ("number of strings", a.task.rows, b.task.rows),
        ("headline metric", a.task.headline, b.task.headline),
        ("way of asking", _way_of_asking(a), _way_of_asking(b)),
    ):
        if of_a != of_b:
            raise UsageError(
                f"Different {what}: {a.folder} has {of_a}, {b.folder} has {of_b}. "
                "Evaluate both models on the same data, in the same way, to compare them."
            )


def _way_of_asking(result: Result) -> str:
    return f"one stream, reset every {result.stream:,} strings" if result.stream else "each string by itself"
