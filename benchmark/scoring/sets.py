"""Next-symbol and synchronous views: is the set after each symbol the right one?"""

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.examples import SetExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.intervals import Ratio
from marnn_bench.scoring.metrics import Breakdown, Correctness, sums_by_row
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.views import NextSymbol


class SetScorer:
    """Scores answers to a split whose answers are sets."""

    def __init__(self, examples: SetExamples) -> None:
        self._examples = examples
        self._offsets = examples.strings.offsets
        self._weights = examples.strings.lengths.astype(np.float64)

    def correctness(self, predictions: Predictions) -> Correctness:
        """Which strings are answered right."""
        return Correctness.of(self._right(predictions), self._offsets)

    def metrics(self, predictions: Predictions) -> Mapping[str, Ratio]:
        """How right one run is."""
        counts = sums_by_row(self._right(predictions), self._offsets).astype(np.float64)
        metrics = {
            "sequence_accuracy": Ratio.share(self.correctness(predictions).correct),
            "position_accuracy": Ratio(counts, self._weights),
        }
        if "illegal_mass" in predictions.totals:
            missing = sums_by_row(~predictions.answered, self._offsets)  # as bad as can be
            metrics["illegal_mass"] = Ratio(predictions.totals["illegal_mass"] + missing, self._weights)
        return metrics | self._closing.metrics(predictions) if self._closing else metrics

    def breakdowns(self, predictions: Predictions) -> Mapping[str, Breakdown]:
        """The strings that are right by length and depth, the answers by depth."""
        correct = self.correctness(predictions).correct
        found = {
            "by_length": Breakdown("length", self._examples.strings.lengths, correct),
            "by_depth": Breakdown("depth", self._max_depths, correct),
            "positions_by_depth": Breakdown("depth", self._depths, self._right(predictions)),
        }
        return found | self._closing.breakdowns(predictions) if self._closing else found

    def _right(self, predictions: Predictions) -> NDArray[np.bool_]:
        right: NDArray[np.bool_] = (predictions.predicted == self._examples.answers) & predictions.answered
        return right

    @cached_property
    def _depths(self) -> NDArray[np.int64]:
        return self._examples.task.language.depths(self._examples.strings)  # [symbols]

    @cached_property
    def _max_depths(self) -> NDArray[np.int64]:
        return self._examples.strings.maxima(self._depths)  # [n]

    @cached_property
    def _closing(self) -> "ClosingBrackets | None":
        view = self._examples.task.view
        return (
            ClosingBrackets(self._examples, view) if isinstance(view, NextSymbol) and view.closing else None
        )


class ClosingBrackets:
    """Which closing bracket, given that one comes (Bernardy 2018, sections 4 and 5).

    closing_accuracy:   where the next symbol is a closing bracket, whether it has the highest score of all of them
    complete_accuracy:  after a complete string, which no closing bracket can follow, whether the set has none
    """

    def __init__(self, examples: SetExamples, view: NextSymbol) -> None:
        strings, columns = examples.strings, examples.task.columns
        closing = np.sort([columns.index(symbol) for symbol in view.closing])
        is_last = np.zeros(len(strings.ids), np.bool_)
        is_last[strings.offsets[1:][strings.lengths > 0] - 1] = True
        following = np.append(strings.ids[1:], 0).astype(np.int64)
        self._rows, self._n = strings.rows, len(strings)
        self._asked = np.isin(following, closing) & ~is_last  # [symbols]: a closing bracket comes next
        self._expected = np.searchsorted(closing, following)  # as a place among the closing brackets
        self._mask = np.bitwise_or.reduce(np.uint64(1) << closing.astype(np.uint64))
        self._complete = examples.answers & self._mask == 0
        places = np.arange(len(strings.ids)) - np.repeat(strings.offsets[:-1], strings.lengths)
        self._positions = places + 1  # of the bracket that comes, counted from 0
        self._depths = examples.task.language.depths(strings)
        self._distances = _distances(strings, closing)

    def metrics(self, predictions: Predictions) -> dict[str, Ratio]:
        """Both accuracies."""
        return {
            "closing_accuracy": self._ratio(self._right(predictions), self._asked),
            "complete_accuracy": self._ratio(self._silent(predictions), self._complete),
        }

    def breakdowns(self, predictions: Predictions) -> dict[str, Breakdown]:
        """The first accuracy by the position of the bracket, its distance to the one it closes, and its depth."""
        right, asked = self._right(predictions)[self._asked], self._asked
        return {
            "closing_by_position": Breakdown("position", self._positions[asked], right),
            "closing_by_distance": Breakdown("distance", self._distances[asked], right),
            "closing_by_depth": Breakdown("depth", self._depths[asked], right),
        }

    def _right(self, predictions: Predictions) -> NDArray[np.bool_]:
        right: NDArray[np.bool_] = predictions.answered & (predictions.values["closing"] == self._expected)
        return right

    def _silent(self, predictions: Predictions) -> NDArray[np.bool_]:
        silent: NDArray[np.bool_] = predictions.answered & (predictions.predicted & self._mask == 0)
        return silent

    def _ratio(self, right: NDArray[np.bool_], asked: NDArray[np.bool_]) -> Ratio:
        weights = np.bincount(self._rows[asked], minlength=self._n).astype(np.float64)
        return Ratio(np.bincount(self._rows[asked & right], minlength=self._n).astype(np.float64), weights)


def _distances(strings: Strings, closing: NDArray[np.int64]) -> NDArray[np.int64]:
    """How far before the symbol that comes next stands the bracket that it closes, 0 where it closes none: [symbols]."""
    distances = np.zeros(len(strings.ids), np.int64)
    opened: list[int] = []
    for place, closes in enumerate(np.isin(strings.ids, closing).tolist()):
        if not closes:
            opened.append(place)
        else:
            distances[place - 1] = place - opened.pop()
    return distances


def best_constant_set(train: SetExamples, examples: SetExamples) -> Predictions:
    """Always the most frequent answer of train."""
    masks = np.full(len(examples.strings.ids), _most_frequent(train.answers), np.uint64)
    return Predictions.of(masks, examples.strings.offsets)


def best_set_by_last_symbol(train: SetExamples, examples: SetExamples) -> Predictions:
    """After each symbol the answer that most often follows it in train, after a new symbol the constant."""
    table = np.full(len(train.task.language.alphabet), _most_frequent(train.answers), np.uint64)
    for symbol in np.unique(train.strings.ids):
        table[symbol] = _most_frequent(train.answers[train.strings.ids == symbol])
    return Predictions.of(table[examples.strings.ids], examples.strings.offsets)


def _most_frequent(answers: NDArray[np.uint64]) -> np.uint64:
    """The most frequent set, the smallest of equals."""
    sets, counts = np.unique(answers, return_counts=True)
    chosen: np.uint64 = sets[np.argmax(counts)]
    return chosen
