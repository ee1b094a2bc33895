"""Every figure of a result computed again, from its samples and the data made anew: what a result is believed by.

What is shown of a result are the figures that were found, whatever its record says.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.errors import DataError
from marnn_bench.evaluation.records import damaged, read_record
from marnn_bench.rescoring.data import data_of
from marnn_bench.rescoring.differences import ABSENT, agree, difference, figures
from marnn_bench.rescoring.receipts import Headline, Receipt
from marnn_bench.rescoring.stored import StoredAnswers
from marnn_bench.scoring.metrics import Record, Scorer
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.runs import score_runs, scorer_of

SHOWN: Final = 5
"""So many differences are listed."""

OTHERWISE_IN_VERSION_1: Final = ("lower", "upper", "method", "n", "longest_solved")
"""What schema version 1 computed in another way."""

Compared = tuple[str, Any, Any]


@dataclass(frozen=True)
class Rescored:
    """A result that was scored again: how many figures were compared, how many differ, and the first of those."""

    folder: Path
    figures: int
    differing: int
    differences: tuple[str, ...]


@dataclass(frozen=True)
class Believed:
    """A result whose record says what was found.

    record:   with all figures as they were found, whatever version wrote it
    receipt:  what else was found
    """

    record: Record
    receipt: Receipt


def believe(folder: Path) -> Believed:
    """The result in a folder. DataError if its figures do not follow from its samples and the data.

    The first time it is scored again; after that a receipt is enough.
    """
    record = read_record(folder)
    receipt = Receipt.of(record)
    found = receipt.figures()
    if found is None:
        rescored = _rescore(folder, record, None)
        if rescored.differing:
            raise DataError(
                f"{folder} is not what its samples say: {rescored.differences[0]}. Run `marnn-bench eval` again."
            )
        found = receipt.figures()
    return Believed({**record, **(found or {})}, receipt)


def rescore(folder: Path, data: Path | None = None) -> Rescored:
    """Compute all figures of a result again, and keep a receipt if they are right.

    data:  a folder with its data, which is made anew if none is given

    DataError if the result or its samples are damaged, or the data is another.
    """
    return _rescore(folder, read_record(folder), data)


def _rescore(folder: Path, record: Record, data: Path | None) -> Rescored:
    examples, train = data_of(folder, record["task"], data)
    first_version = record["schema_version"] == 1
    scorer = scorer_of(examples)
    stored = StoredAnswers(folder, examples, scorer, first_version)
    kept = _Headlines(scorer, examples.task.headline)
    if not (isinstance(record["runs"], list) and record["runs"]):
        raise damaged(folder, "result.json has no runs")
    scores = score_runs(examples, train, kept.of_each(stored.runs(len(record["runs"]))))
    found = json.loads(json.dumps({**scores, "errors": {"rows": stored.lost}}))
    compared, differing, listed = _compare(record, found, first_version)
    if not differing:
        found["errors"] = {**record["errors"], **found["errors"]}
        Receipt.of(record).write(found, kept.headline())
    return Rescored(folder, compared, differing, listed)


@dataclass
class _Headlines:
    """Keeps what the headline of each run is made of, while its answers go by."""

    scorer: Scorer
    metric: str
    _values: list[NDArray[Any]] = field(default_factory=list)
    _weights: NDArray[np.float64] | None = None

    def of_each(self, runs: Iterable[Predictions]) -> Iterator[Predictions]:
        for predictions in runs:
            ratio = self.scorer.metrics(predictions)[self.metric]
            self._values.append(ratio.values == 1 if ratio.is_share else ratio.values)
            self._weights = ratio.weights
            yield predictions

    def headline(self) -> Headline:
        if self._weights is None:
            raise ValueError("No run was scored.")
        # np.stack makes numbers of truth values where only some runs have those.
        return Headline(np.stack(self._values), self._weights)


def _compare(
    record: Mapping[str, Any], found: Mapping[str, Any], first_version: bool
) -> tuple[int, int, tuple[str, ...]]:
    """How many figures were compared, how many differ, and the first of those in words."""
    compared, differing, listed = 0, 0, []
    for place, said, other in chain(*(_pairs(record, found, name, first_version) for name in found)):
        compared += 1
        if not agree(said, other):
            differing += 1
            if differing <= SHOWN:
                listed.append(difference(place, said, other))
    return compared, differing, tuple(listed)


def _pairs(
    record: Mapping[str, Any], found: Mapping[str, Any], name: str, first_version: bool
) -> Iterator[Compared]:
    said = record[name]
    if name == "errors":
        said = {"rows": said.get("rows", ABSENT)}
    for place, value, other in figures(said, found[name], name):
        if place == "task.version":  # its major number was looked at when the data was made
            continue
        if first_version and (value is ABSENT or place.rpartition(".")[2] in OTHERWISE_IN_VERSION_1):
            continue
        yield place, value, other
