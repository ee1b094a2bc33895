"""The answers in a result's samples.parquet, read with care: whoever wrote it may have meant harm.

Before a row group is read, the footer has to say that it holds the columns, rows and values that the data allows; that
this is true is not known before, so that reading is bounded in memory, too.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import log1p
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from marnn_bench.asking.answers import MAX_EXCESS
from marnn_bench.asking.protocol import TIE
from marnn_bench.asking.scripts import answer_count
from marnn_bench.errors import DataError
from marnn_bench.evaluation.records import SAMPLES
from marnn_bench.evaluation.samples import read_predictions
from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.rescoring.memory import at_most
from marnn_bench.scoring.metrics import Scorer, sums_by_row
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.transduction import right_prefixes, wanted_outputs
from marnn_bench.store.arrow import numbers, open_file

COUNTED: Final = {"run": pa.uint16(), "row": pa.uint32(), "correct": pa.bool_(), "first_error": pa.int32()}
"""The columns that every row has a value in."""

MASKS: Final = (pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64())

BYTES_A_VALUE: Final = 24
"""A value takes no more, with its levels, its place in a dictionary and its entry there."""

MEMORY_A_VALUE, MEMORY = 128, 1 << 28
"""So many bytes each value, and so many besides, are enough to read a run."""

PAGE_BYTES: Final = 1 << 16
"""What a column chunk may hold beside its values."""


@dataclass
class StoredAnswers:
    """The answers of all runs to a split; what goes with them is checked as they are read.

    first_version:  whether the result is of schema version 1, whose masks have all bits set where there is no answer
    lost:           how many strings lack answers in the runs read so far
    """

    folder: Path
    examples: Examples
    scorer: Scorer
    first_version: bool = False
    lost: int = field(default=0, init=False)

    def runs(self, expected: int) -> Iterator[Predictions]:
        """The answers of each run, in order. DataError unless they are those of so many runs to this split."""
        yield from self._of(range(expected), expected)

    def run(self, number: int, expected: int) -> Predictions:
        """Those of one of so many runs."""
        return next(self._of([number], expected))

    def _of(self, runs: Iterable[int], expected: int) -> Iterator[Predictions]:
        with self._readable("cannot be read"), open_file(self.folder / SAMPLES) as file:
            samples = pq.ParquetFile(file)
            self._check_footer(samples, expected)
            for run in runs:
                yield self._read(samples, run)

    def _check_footer(self, samples: pq.ParquetFile, expected: int) -> None:
        footer, rows, most = samples.metadata, len(self.examples), answer_count(self.examples)
        if footer.num_row_groups != expected:
            raise self._wrong(f"holds {footer.num_row_groups:,} runs, not {expected:,}")
        _check_columns(samples.schema_arrow, self.examples)
        for run in range(expected):
            group = footer.row_group(run)
            if group.num_rows != rows:
                raise self._wrong(f"holds {group.num_rows:,} rows of run {run}, not {rows:,}")
            for place in range(group.num_columns):
                column = group.column(place)
                values = rows + (most if column.path_in_schema.count(".") else 0)
                room = BYTES_A_VALUE * values + PAGE_BYTES
                if column.num_values > values or column.total_uncompressed_size > room:
                    raise self._wrong(f"holds more answers of run {run} than were asked for")

    def _read(self, samples: pq.ParquetFile, run: int) -> Predictions:
        values = len(self.examples) + answer_count(self.examples)
        try:
            with at_most(MEMORY + MEMORY_A_VALUE * values):
                table = samples.read_row_group(run)
        except MemoryError:
            raise self._wrong(f"takes more memory than answers of run {run} can") from None
        if any(table[name].null_count for name in COUNTED):
            raise ValueError("null")
        rows_in_order = np.array_equal(numbers(table["row"]), np.arange(len(self.examples)))
        if not (rows_in_order and (numbers(table["run"]) == run).all()):
            raise self._wrong(f"does not hold every row of run {run} once, in order")
        predictions = read_predictions(table, self.first_version)
        _check_answers(self.examples, predictions)
        found = self.scorer.correctness(predictions)
        said = numbers(table["correct"].combine_chunks().cast(pa.uint8())) == 1
        if not np.array_equal(said, found.correct):
            raise self._wrong(f"calls answers of run {run} right that are wrong, or wrong that are right")
        if not np.array_equal(numbers(table["first_error"]), found.first_error):
            raise self._wrong(f"has first errors of run {run} in wrong places")
        self.lost += int(lacking(self.examples, predictions).sum())
        return predictions

    @contextmanager
    def _readable(self, what: str) -> Iterator[None]:
        try:
            yield
        except (
            pa.ArrowException,
            OSError,
            KeyError,
            ValueError,
            IndexError,
            TypeError,
            OverflowError,
        ) as error:
            raise self._wrong(f"{what} ({' '.join(str(error).split()):.100})") from None

    def _wrong(self, what: str) -> DataError:
        return DataError(f"{self.folder}: {SAMPLES} {what}. Run `marnn-bench eval` again.")


def lacking(examples: Examples, predictions: Predictions) -> NDArray[np.bool_]:
    """Which strings have an answer that did not come: [n]."""
    unanswered = np.zeros(len(examples), np.bool_)
    if not predictions.answered.all():
        unanswered = sums_by_row(~predictions.answered, predictions.offsets) > 0
    if isinstance(examples, TransductionExamples):  # an output that was right so far and was not continued
        wanted = wanted_outputs(examples)
        right = right_prefixes(wanted, predictions) == predictions.lengths
        unanswered |= right & (predictions.lengths < wanted.lengths)
    return np.asarray(unanswered)


def _check_columns(schema: pa.Schema, examples: Examples) -> None:
    """ValueError unless these are the columns of answers to such examples."""
    types = {name: schema.types[place] for place, name in enumerate(schema.names)}
    expected = {"predicted", *COUNTED, *(["closing"] if _closing(examples) else [])}
    optional = {"illegal_mass"} if isinstance(examples, SetExamples) else set()
    if len(types) < len(schema.names) or not expected <= types.keys() <= expected | optional:
        raise ValueError(f"its columns are {', '.join(schema.names)}")
    kinds = {name: (kind,) for name, kind in COUNTED.items()} | {"illegal_mass": (pa.float64(),)}
    if not all(types[name] in kinds[name] for name in types.keys() & kinds.keys()):
        raise ValueError("its columns are of other types")
    for name in types.keys() & {"predicted", "closing"}:
        flat = types[name].value_type if pa.types.is_list(types[name]) else types[name]
        listed = pa.types.is_list(types[name])
        if listed == isinstance(examples, RecognitionExamples) or flat not in _answer_types(examples, name):
            raise ValueError(f"column {name} is of type {types[name]}")


def _answer_types(examples: Examples, name: str) -> tuple[pa.DataType, ...]:
    if isinstance(examples, RecognitionExamples | LanguageModellingExamples):
        return (pa.float64(),)
    if name == "closing" or examples.task.view.answer == "choices":
        return (pa.int16(),)
    return MASKS


def _check_answers(examples: Examples, predictions: Predictions) -> None:
    """ValueError unless a model can have answered so."""
    lengths, most = predictions.lengths, _asked(examples)
    if (lengths > most).any() or (not isinstance(examples, TransductionExamples) and (lengths < most).any()):
        raise ValueError("more or fewer answers about a string than were asked for")
    answered = predictions.answered
    given = predictions.predicted if answered.all() else predictions.predicted[answered]
    columns = len(examples.task.columns)
    if given.dtype.kind == "u":
        possible = int(given.max(initial=0)) < 1 << columns
    elif given.dtype.kind == "i":
        possible = _within(given, TIE, columns - 1)
    else:
        bounded = isinstance(examples, LanguageModellingExamples)
        possible = _within(given, -np.inf, log1p(MAX_EXCESS) if bounded else np.inf)
    if "closing" in predictions.values:
        possible &= _within(predictions.values["closing"], TIE, len(_closing(examples)) - 1)
    for totals in predictions.totals.values():
        possible &= _within(totals, 0, most * (1 + MAX_EXCESS))
    if not possible:
        raise ValueError("an answer that no model can have given")


def _within(values: NDArray[Any], low: float, high: float | NDArray[Any]) -> bool:
    """Whether all values lie there; NaN lies nowhere."""
    return bool(((values >= low) & (values <= high)).all())


def _asked(examples: Examples) -> NDArray[np.int64]:
    """How many answers about each string are wanted at most: [n]."""
    match examples:
        case TransductionExamples():
            return wanted_outputs(examples).lengths
        case RecognitionExamples():
            return np.ones(len(examples), np.int64)
        case LanguageModellingExamples():
            return examples.strings.lengths + 1
    return examples.strings.lengths


def _closing(examples: Examples) -> tuple[str, ...]:
    """The closing brackets that are looked at, if any are."""
    found: tuple[str, ...] = getattr(examples.task.view, "closing", ())
    return found
