"""Next-symbol views that score where one symbol alone is right (Joulin & Mikolov 2015, section 5.1)."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.examples import SetExamples
from marnn_bench.scoring.intervals import Ratio
from marnn_bench.scoring.metrics import Breakdown, Correctness, sums_by_row
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.views import NextSymbol

NOT_SCORED: Final = -2


def right_choices(examples: SetExamples) -> NDArray[np.int64]:
    """The column that alone is right after each symbol, NOT_SCORED where the task does not ask: [symbols]."""
    view = examples.task.view
    if not isinstance(view, NextSymbol):
        raise TypeError(f"{examples.task.name} is asked by {view.name}.")
    scored = view.scored_mask(examples.task.language, examples.answers)
    places = np.bitwise_count(np.maximum(examples.answers, 1) - np.uint64(1)).astype(np.int64)
    return np.where(scored, places, NOT_SCORED)


class ChoiceScorer:
    """Scores choices: a string is right if all of its scored symbols are, a size n if all of its strings are."""

    def __init__(self, examples: SetExamples) -> None:
        strings, language = examples.strings, examples.task.language
        self._strings = strings
        self._gold = right_choices(examples)
        self._scored = self._gold != NOT_SCORED
        self._weights = sums_by_row(self._scored, strings.offsets).astype(np.float64)
        self._sizes = language.sizes_of(strings)
        self._depths = language.depths(strings)

    def correctness(self, predictions: Predictions) -> Correctness:
        """Which strings are answered right."""
        return Correctness.of(self._right(predictions) | ~self._scored, self._strings.offsets)

    def metrics(self, predictions: Predictions) -> Mapping[str, Ratio]:
        """How right one run is."""
        right, found = self._right(predictions), self.correctness(predictions)
        hits = sums_by_row(right & self._scored, self._strings.offsets).astype(np.float64)
        solved = np.bincount(self._sizes, ~found.correct)[np.unique(self._sizes)] == 0
        return {
            "solved_sizes": Ratio.share(solved),
            "sequence_accuracy": Ratio.share(found.correct),
            "position_accuracy": Ratio(hits, self._weights),
        }

    def breakdowns(self, predictions: Predictions) -> Mapping[str, Breakdown]:
        """The strings that are right by length, size and depth, the scored answers by depth."""
        right, found = self._right(predictions), self.correctness(predictions)
        return {
            "by_length": Breakdown("length", self._strings.lengths, found.correct),
            "by_size": Breakdown("size", self._sizes, found.correct),
            "by_depth": Breakdown("depth", self._strings.maxima(self._depths), found.correct),
            "positions_by_depth": Breakdown("depth", self._depths[self._scored], right[self._scored]),
        }

    def _right(self, predictions: Predictions) -> NDArray[np.bool_]:
        right: NDArray[np.bool_] = predictions.answered & (predictions.predicted == self._gold)
        return right


def best_constant_choice(train: SetExamples, examples: SetExamples) -> Predictions:
    """Always the choice that is most often right on train."""
    gold = right_choices(train)
    choices = np.full(len(examples.strings.ids), _most_frequent(gold[gold != NOT_SCORED]))
    return Predictions.of(choices, examples.strings.offsets)


def best_choice_by_last_symbol(train: SetExamples, examples: SetExamples) -> Predictions:
    """After each symbol the choice that is most often right behind it on train."""
    gold = right_choices(train)
    scored = gold != NOT_SCORED
    table = np.full(len(train.task.language.alphabet), _most_frequent(gold[scored]))
    for symbol in np.unique(train.strings.ids[scored]):
        table[symbol] = _most_frequent(gold[scored & (train.strings.ids == symbol)])
    return Predictions.of(table[examples.strings.ids], examples.strings.offsets)


def _most_frequent(choices: NDArray[np.int64]) -> int:
    """The most frequent choice, the smallest of equals."""
    return int(np.bincount(choices).argmax()) if len(choices) else 0
