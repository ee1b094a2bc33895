"""Entries: what each model was found to do, task by task, and who vouches for it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.errors import UsageError
from marnn_bench.evaluation.records import SAMPLES, damaged, read_record, result_folders
from marnn_bench.leaderboard.results import printable
from marnn_bench.rescoring.rescore import believe
from marnn_bench.scoring.metrics import LOWER_IS_BETTER, Record
from marnn_bench.tasks.registry import find_task

Floats = NDArray[np.float64]

SECOND: Final = {
    "sequence_accuracy": ("position_accuracy", "fine_accuracy"),
    "solved_sizes": ("position_accuracy",),
}
"""What stands beside a headline of whole strings: the share of their parts that is right. Others stand for themselves."""


class Standing(StrEnum):
    """Who vouches for an entry's figures, from the most to the least."""

    RETRAINED = "retrained"
    """The maintainers trained it from its recipe."""

    HIDDEN = "hidden"
    """It answered strings that were drawn with a key nobody else had."""

    RESCORED = "re-scored"
    """Its figures follow from its samples. That proves arithmetic, not honesty: the public labels are an import away."""

    CLAIMED = "claimed"
    """It says so itself."""


RANKED: Final = (Standing.RETRAINED, Standing.HIDDEN)
"""What is ranked unless more is asked for."""


@dataclass(frozen=True, eq=False)
class Measured:
    """A metric of each run with the interval that other strings would give: [runs] each."""

    values: Floats
    lower: Floats
    upper: Floats
    trivial: Mapping[str, float]
    """The same metric of the trivial answers, by name."""

    lower_is_better: bool = False

    @property
    def mean(self) -> float:
        """Over runs."""
        return float(self.values.mean())

    @property
    def median(self) -> float:
        """Over runs."""
        return float(np.median(self.values))

    @property
    def best_trivial(self) -> float:
        """Of the trivial answers the best; without any, that nothing is right. Of nats there always is one."""
        if self.lower_is_better:
            return min(self.trivial.values())
        return max(self.trivial.values(), default=0.0)


@dataclass(frozen=True, eq=False)
class Cell:
    """An entry's result on one task.

    metrics:     the headline, and by parts, if that is another
    departures:  how its strings are not the task's own; empty for canonical data
    lost:        strings, counted in each run, that were not answered and count as wrong
    record:      all of it, as result.json has it
    """

    task: str
    split: str
    digest: str
    headline: str
    metrics: Mapping[str, Measured]
    runs: int
    departures: tuple[str, ...]
    lost: int
    audit_failed: tuple[str, ...]
    folder: Path
    record: Record

    @property
    def whole(self) -> Measured:
        """The headline."""
        return self.metrics[self.headline]

    @property
    def parts(self) -> Measured:
        """By position, where there is such a metric; else the headline again."""
        name = next((name for name in SECOND.get(self.headline, ()) if name in self.metrics), self.headline)
        return self.metrics[name]


@dataclass(frozen=True, eq=False)
class Entry:
    """A model under the name that it is shown by.

    cells:  its results on the default splits of tasks, by task
    """

    name: str
    standing: Standing
    cells: Mapping[str, Cell]

    @property
    def key(self) -> tuple[str, Standing]:
        """Unique on a board."""
        return self.name, self.standing

    @property
    def parameters(self) -> int | None:
        """The largest number of parameters that a training of it says."""
        said = [(cell.record["model"]["training"] or {}).get("parameters") for cell in self.cells.values()]
        return max((count for count in said if type(count) is int), default=None)

    def canonical(self, task: str) -> Cell | None:
        """Its result on the task's own strings."""
        cell = self.cells.get(task)
        return cell if cell and not cell.departures else None


def read_results(folder: Path, standing: Standing | None = None) -> tuple[Entry, ...]:
    """The entries among the result folders below a folder, by the names of their models.

    standing:  who vouches for them; by default what can be seen: re-scored with samples, which are scored again, else
               claimed

    UsageError if a model has two results of one split, DataError for a result that is damaged, edited or forged.
    """
    found: dict[tuple[str, Standing], dict[str, Cell]] = {}
    for result in result_folders(folder):
        record, seen = _read(result, standing)
        cell = make_cell(result, record)
        if cell is None:
            continue
        cells = found.setdefault((printable(record["model"]["name"]), seen), {})
        if cell.task in cells:
            raise UsageError(
                f"{cells[cell.task].folder} and {result} are of one model and task: an entry has one result of each."
            )
        cells[cell.task] = cell
    return tuple(Entry(name, seen, cells) for (name, seen), cells in found.items())


def _read(folder: Path, standing: Standing | None) -> tuple[Record, Standing]:
    if (folder / SAMPLES).exists():
        return believe(folder).record, standing or Standing.RESCORED
    return read_record(folder, samples=False), standing or Standing.CLAIMED


def make_cell(folder: Path, record: Record) -> Cell | None:
    """The result in a record; None if it is of another split than its task is ranked by."""
    try:
        task = find_task(record["task"]["name"])
        asked, headline = record["task"], task.headline
        if asked["split"] != task.default_split:
            return None
        names = [
            headline,
            *(name for name in SECOND.get(headline, ()) if name in record["runs"][0]["metrics"]),
        ]
        return Cell(
            task=task.name,
            split=asked["split"],
            digest=asked["digest"],
            headline=headline,
            metrics={name: _measured(record, name) for name in names},
            runs=len(record["runs"]),
            departures=tuple(_departures(asked)),
            lost=record["errors"]["rows"],
            audit_failed=tuple(_audit_failed(record)),
            folder=folder,
            record=record,
        )
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise damaged(
            folder, f"result.json is not what `marnn-bench eval` writes ({error!r:.100})"
        ) from error


def _measured(record: Mapping[str, Any], name: str) -> Measured:
    found = [run["metrics"][name] for run in record["runs"]]
    values = _numbers(one["value"] for one in found)
    lower, upper = (
        _numbers(value if one[end] is None else one[end] for value, one in zip(values, found, strict=True))
        for end in ("lower", "upper")
    )
    trivial = {
        printable(answer["name"]): _number(answer["metrics"][name])
        for answer in record["trivial"]
        if name in answer["metrics"]
    }
    return Measured(values, lower, upper, trivial, name in LOWER_IS_BETTER)


def _numbers(values: Iterable[float | None]) -> Floats:
    return np.array([_number(value) for value in values])


def _number(value: float | None) -> float:
    """A value of a metric; None stands for infinity."""
    return inf if value is None else float(value)


def _audit_failed(record: Mapping[str, Any]) -> Iterator[str]:
    for check in record.get("audit", {}).get("checks", []):
        if check["passed"] is not True:
            yield printable(check["name"])


def _departures(asked: Mapping[str, Any]) -> Iterator[str]:
    """How the strings are not the task's own, which depends on the splits before, too: strings in those are left out."""
    own = find_task(asked["name"])
    if asked["version"].split(".")[0] != own.version.split(".")[0]:
        yield f"version {printable(asked['version'])}"
    said = asked.get("splits") or {asked["split"]: {"law": asked["law"], "window": asked["window"]}}
    for name, split in own.splits.items():
        there = {"rows": split.rows, "law": own.law(name).spec, "window": str(split.window)}
        for what, value in there.items():
            here = said.get(name, {}).get(what, value)
            if here != value and value not in ("fresh", "all"):
                yield f"{name} {what} {here!s:.40}"
        if name == asked["split"]:
            return
