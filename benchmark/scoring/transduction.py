"""Transduction: is the target that a model writes, its own output fed back, the right one?"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from marnn_bench.examples import TransductionExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.intervals import Ratio
from marnn_bench.scoring.metrics import Breakdown, Correctness
from marnn_bench.scoring.predictions import Predictions, previous


def wanted_outputs(examples: TransductionExamples) -> Strings:
    """The targets as columns, END behind each."""
    return examples.targets.append(len(examples.task.columns) - 1)


class TransductionScorer:
    """Scores outputs, which stop behind the first wrong symbol (Grefenstette et al. 2015, section 4).

    sequence_accuracy:  the share of targets that are right up to END, the paper's coarse accuracy
    fine_accuracy:      the mean share of a target, END included, that is right before the first error
    """

    def __init__(self, examples: TransductionExamples) -> None:
        self._wanted = wanted_outputs(examples)
        self._lengths = examples.strings.lengths

    def correctness(self, predictions: Predictions) -> Correctness:
        """Which strings are answered right."""
        prefix = right_prefixes(self._wanted, predictions)
        correct = prefix == self._wanted.lengths
        return Correctness(correct, np.where(correct, -1, prefix).astype(np.int32))

    def metrics(self, predictions: Predictions) -> Mapping[str, Ratio]:
        """How right one run is."""
        fine = self._fine(predictions)
        return {
            "sequence_accuracy": Ratio.share(self.correctness(predictions).correct),
            "fine_accuracy": Ratio(fine, np.ones(len(fine))),
        }

    def breakdowns(self, predictions: Predictions) -> Mapping[str, Breakdown]:
        """Both accuracies by the length of the source."""
        return {
            "by_length": Breakdown("length", self._lengths, self.correctness(predictions).correct),
            "fine_by_length": Breakdown("length", self._lengths, self._fine(predictions)),
        }

    def _fine(self, predictions: Predictions) -> NDArray[np.float64]:
        return right_prefixes(self._wanted, predictions) / self._wanted.lengths


def right_prefixes(wanted: Strings, predictions: Predictions) -> NDArray[np.int64]:
    """How many symbols of each output are right before the first wrong or missing one: [n]."""
    rows = np.repeat(np.arange(len(predictions)), predictions.lengths)
    places = np.arange(len(rows)) - predictions.offsets[:-1][rows]
    inside = places < wanted.lengths[rows]
    expected = wanted.ids[np.minimum(wanted.offsets[:-1][rows] + places, len(wanted.ids) - 1)]
    wrong = ~(inside & predictions.answered & (predictions.predicted == expected))
    prefix = np.minimum(predictions.lengths, wanted.lengths)
    np.minimum.at(prefix, rows[wrong], places[wrong])
    return prefix


def best_constant_output(train: TransductionExamples, examples: TransductionExamples) -> Predictions:
    """Always the symbol that is written most often in train."""
    wanted = wanted_outputs(examples)
    most = int(np.bincount(wanted_outputs(train).ids).argmax())
    return Predictions.of(np.full(len(wanted.ids), most), wanted.offsets)


def best_output_by_last_symbol(train: TransductionExamples, examples: TransductionExamples) -> Predictions:
    """After each symbol written, and at the separator, the one that follows most often in train."""
    columns = len(train.task.columns)
    wanted, asked = wanted_outputs(train), wanted_outputs(examples)
    counts = np.zeros((columns, columns), np.int64)
    np.add.at(counts, (previous(wanted, columns - 1), wanted.ids), 1)
    # While all is right, what was written last is what should have been; behind that nothing counts.
    return Predictions.of(counts.argmax(axis=1)[previous(asked, columns - 1)], asked.offsets)


def copied_source(examples: TransductionExamples) -> Predictions:
    """The source itself, where it is spelt in output symbols; other symbols count as END."""
    columns = {symbol: place for place, symbol in enumerate(examples.task.columns)}
    end = len(columns) - 1
    places = np.array([columns.get(symbol, end) for symbol in examples.task.language.alphabet])
    copied = Strings(places[examples.strings.ids], examples.strings.offsets).append(end)
    return Predictions.of(copied.ids, copied.offsets)
