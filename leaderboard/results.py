"""Results as boards and comparisons need them: read, and believed only if every figure follows from the samples."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Final

from marnn_bench.evaluation.records import damaged
from marnn_bench.leaderboard.statistics import Interval, Spread, Values
from marnn_bench.rescoring.receipts import Receipt
from marnn_bench.rescoring.rescore import believe
from marnn_bench.scoring.metrics import Record

LONGEST_NAME: Final = 200


@dataclass(frozen=True)
class ResultTask:
    """What was asked.

    rows, window:  how many strings, and their lengths
    digest:        content digest of the split
    headline:      the metric that results are compared by
    """

    name: str
    version: str
    split: str
    law: str
    window: str
    rows: int
    digest: str
    headline: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}, {self.split}"


@dataclass(frozen=True)
class Run:
    """The scores of one run: the headline of its task, over all strings and by length."""

    number: int
    value: float
    by_length: Mapping[int, Interval]


@dataclass(frozen=True)
class Result:
    """One model, one split, one or more runs.

    published_row:  the row of its paper's table that a baseline reproduces, or None
    deviations:     where its training differs from the paper's: name -> {"paper": ..., "here": ...}
    inferred:       values of its recipe that are ours, since the paper gives none: name -> value
    spread:         of the headline over runs
    solved_runs:    how many runs solve the task, where its headline can say so
    solved:         share of runs that solve the task (99 % of the strings or more), with its 95 % interval; None of a
                    single run, which says nothing of others
    trivial:        headline of the trivial answers to the same strings, by name
    records:        all figures of each run, as result.json has them
    receipt:        what was found when it was scored again
    lost:           strings, counted in each run, that were not answered and count as wrong
    audit_failed:   the checks of the evaluation's audit that it did not pass
    stream:         how many strings lie between two resets of memory, if they were asked as one stream
    """

    folder: Path
    task: ResultTask
    model: str
    published_row: str | None
    deviations: Mapping[str, Mapping[str, Any]]
    inferred: Mapping[str, Any]
    runs: tuple[Run, ...]
    spread: Spread
    solved_runs: int | None
    solved: Interval | None
    trivial: Mapping[str, float]
    records: tuple[Record, ...]
    receipt: Receipt
    lost: int = 0
    audit_failed: tuple[str, ...] = ()
    stream: int | None = None

    def values(self) -> Values:
        """What each string, or other unit that counts, adds to the headline, whose mean it is: [runs, units].

        Right or wrong where it is a share of equal units, else numbers.
        """
        return self.receipt.headline().each()


def read_result(folder: Path) -> Result:
    """The result in a folder. UsageError if it has none, DataError if it is damaged, edited or forged."""
    believed = believe(folder)
    try:
        return _result(folder, believed.record, believed.receipt)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(folder, f"result.json is not what `marnn-bench eval` writes ({error!r})") from error


def _result(folder: Path, record: Mapping[str, Any], receipt: Receipt) -> Result:
    task, model, summary = record["task"], record["model"], record["summary"]
    training = model["training"] or {}
    headline, solved = summary["headline"], summary.get("solved")
    published_row = training.get("published_row")
    stream = record.get("protocol", {}).get("stream")
    audit = record.get("audit", {}).get("checks", [])
    texts = {name: printable(task[name]) for name in ("name", "version", "split", "law", "window", "digest")}
    return Result(
        folder=folder,
        task=ResultTask(**texts, rows=task["rows"], headline=headline),
        model=printable(model["name"]),
        published_row=None if published_row is None else printable(published_row),
        deviations=_deviations(training.get("deviations", {})),
        inferred=_inferred(training.get("recipe", {})),
        runs=tuple(_run(run, headline) for run in record["runs"]),
        spread=Spread(**{name: _known(value) for name, value in summary["metrics"][headline].items()}),
        solved_runs=solved["runs"] if solved else None,
        solved=Interval(solved["share"], solved["lower"], solved["upper"])
        if solved and len(record["runs"]) > 1
        else None,
        trivial={
            printable(answer["name"]): _known(answer["metrics"][headline]) for answer in record["trivial"]
        },
        records=tuple(record["runs"]),
        receipt=receipt,
        lost=record["errors"]["rows"],
        audit_failed=tuple(printable(check["name"]) for check in audit if check["passed"] is not True),
        stream=None if stream is None else int(stream),
    )


def _run(run: Mapping[str, Any], headline: str) -> Run:
    cells = {
        cell["length"]: Interval(value, cell.get("lower", value), cell.get("upper", value))
        for cell in run["by_length"]
        for value in [_known(cell["value"])]
    }
    return Run(run["run"], _known(run["metrics"][headline]["value"]), cells)


def _known(value: float | None) -> float:
    """A value of a metric; None stands for infinity."""
    return inf if value is None else float(value)


def _deviations(record: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Where a training differs; what it differs by is printed, so that it has to be text of one line too."""
    for deviation in record.values():
        printable(str(deviation["paper"])), printable(str(deviation["here"]))
    return {
        printable(field): {source: deviation[source] for source in ("paper", "here")}
        for field, deviation in record.items()
    }


def _inferred(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a recipe that it says are inferred; these, too, are printed."""
    found = {printable(name): recipe[name] for name in recipe.get("inferred", ())}
    for value in found.values():
        printable(str(value))
    return found


def printable(value: object) -> str:
    r"""Text that prints on one line, of 1 to 200 characters; ValueError if it is none.

    >>> printable("mine\n| 100.00 |")
    Traceback (most recent call last):
        ...
    ValueError: 'mine\n| 100.00 |' is no text of one line, 1 to 200 printable characters
    """
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= LONGEST_NAME:
        raise ValueError(f"{value!r:.80} is no text of one line, 1 to {LONGEST_NAME} printable characters")
    return value
