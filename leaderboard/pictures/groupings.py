"""What the strings of a split are told apart by in a picture: a number that each of them has, or a name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.results import Result
from marnn_bench.leaderboard.statistics import Interval, mean_intervals
from marnn_bench.scoring.metrics import Record

WHOLE: Final = "strings right"


@dataclass(frozen=True)
class Grouping:
    """A breakdown of results as an axis.

    name:       `length`, the key of its groups in a record
    breakdown:  the entry of a run that has it
    title:      what the axis is called
    value:      what is drawn above it, if that is not whether whole strings are right
    """

    name: str
    breakdown: str
    title: str
    value: str = WHOLE

    def in_every(self, results: Sequence[Result]) -> bool:
        """Whether all of these have it."""
        return all(result.records[0].get(self.breakdown) for result in results)

    def means(self, runs: Sequence[Record]) -> dict[int | str, Interval]:
        """For each group the mean over runs, as result.json has them, with its 95 % interval: over runs, or a single run's over strings.

        Without an interval, as in nats of a single run, its ends are the value; None stands for infinity.
        """
        cells = [run[self.breakdown] for run in runs]
        groups = [cell[self.name] for cell in cells[0]]
        values = np.array([[_number(cell["value"]) for cell in row] for row in cells])  # [runs, groups]
        if len(cells) > 1 and np.isfinite(values).all():
            return dict(zip(groups, mean_intervals(values), strict=True))
        return {group: _interval(cell) for group, cell in zip(groups, cells[0], strict=True)}


def _number(value: float | None) -> float:
    return np.inf if value is None else value


def _interval(cell: Record) -> Interval:
    value = _number(cell["value"])
    return Interval(value, cell.get("lower", value), cell.get("upper", value))


LENGTH: Final = Grouping("length", "by_length", "length of the string")

GROUPINGS: Final = {
    "length": LENGTH,
    "depth": Grouping("depth", "by_depth", "greatest depth of the string"),
    "size": Grouping("size", "by_size", "n of the definition"),
    "negative": Grouping("negative", "by_negative", "kind of string"),
    "edits": Grouping("edits", "by_edits", "edits between a negative and its member", "negatives right"),
    "fine": Grouping("length", "fine_by_length", "length of the source", "right before the first error"),
    "symbol-depth": Grouping("depth", "positions_by_depth", "depth at the symbol", "answers right"),
    "bracket-position": Grouping(
        "position", "closing_by_position", "symbols before the bracket", "closing brackets right"
    ),
    "bracket-distance": Grouping(
        "distance", "closing_by_distance", "distance to the opening bracket", "closing brackets right"
    ),
    "bracket-depth": Grouping("depth", "closing_by_depth", "depth of the bracket", "closing brackets right"),
}
"""By the name that `marnn-bench plot --by` has for it."""


def find_grouping(name: str, results: Sequence[Result]) -> Grouping:
    """The grouping of this name. UsageError if one of the results cannot be told apart so."""
    grouping = GROUPINGS[name]
    for result in results:
        if not grouping.in_every([result]):
            has = ", ".join(name for name, other in GROUPINGS.items() if other.in_every([result]))
            raise UsageError(f"{result.task.name} cannot be drawn by {name}: choose {has}.")
    return grouping
