"""Language modelling: how many nats a symbol are lost against the law that the strings were drawn from."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from marnn_bench.examples import LanguageModellingExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.intervals import Ratio
from marnn_bench.scoring.metrics import Breakdown, Correctness
from marnn_bench.scoring.predictions import Predictions, previous


def symbols_and_ends(examples: LanguageModellingExamples) -> Strings:
    """The columns that come one after the other: the symbols of each string, then END."""
    return examples.strings.append(len(examples.task.columns) - 1)


class LanguageModellingScorer:
    """Scores the logs of the probabilities that a model gave to the symbols that came, END among them.

    excess_cross_entropy:  nats a symbol above the exact bound: (sum of -log p - sum of -log_prob) / sum of (|w| + 1)
    cross_entropy:         nats a symbol
    """

    def __init__(self, examples: LanguageModellingExamples) -> None:
        self._examples = examples
        self._tokens = (examples.strings.lengths + 1).astype(np.float64)

    def correctness(self, predictions: Predictions) -> Correctness:
        """Which strings the model holds possible. A symbol without an answer has the probability 0."""
        possible = predictions.answered & np.isfinite(predictions.predicted)
        return Correctness.of(possible, predictions.offsets)

    def metrics(self, predictions: Predictions) -> Mapping[str, Ratio]:
        """How right one run is; infinite where a string that came was held impossible."""
        nats = self._nats(predictions)
        return {
            "excess_cross_entropy": Ratio(nats + self._examples.log_probs, self._tokens, bounded=False),
            "cross_entropy": Ratio(nats, self._tokens, bounded=False),
            "possible": Ratio.share(self.correctness(predictions).correct),
        }

    def breakdowns(self, predictions: Predictions) -> Mapping[str, Breakdown]:
        """The excess by length and by depth."""
        strings, language = self._examples.strings, self._examples.task.language
        excess = self._nats(predictions) + self._examples.log_probs
        return {
            "by_length": Breakdown("length", strings.lengths, excess, self._tokens),
            "by_depth": Breakdown("depth", language.max_depths(strings), excess, self._tokens),
        }

    def _nats(self, predictions: Predictions) -> NDArray[np.float64]:
        """What each string costs: [n]."""
        log_p = np.where(predictions.answered, predictions.predicted, -np.inf)
        return np.asarray(-np.add.reduceat(log_p, predictions.offsets[:-1]))


def uniform(examples: LanguageModellingExamples) -> Predictions:
    """Every column equally likely."""
    wanted = symbols_and_ends(examples)
    log_p = np.full(len(wanted.ids), -np.log(len(examples.task.columns)))
    return Predictions.of(log_p, wanted.offsets)


def unigram(train: LanguageModellingExamples, examples: LanguageModellingExamples) -> Predictions:
    """The frequencies of train, every count one higher."""
    wanted = symbols_and_ends(examples)
    counts = 1 + np.bincount(symbols_and_ends(train).ids, minlength=len(train.task.columns))
    return Predictions.of(np.log(counts / counts.sum())[wanted.ids], wanted.offsets)


def bigram(train: LanguageModellingExamples, examples: LanguageModellingExamples) -> Predictions:
    """The frequencies behind each symbol in train, and at the beginning, every count one higher."""
    columns = len(train.task.columns)
    known, wanted = symbols_and_ends(train), symbols_and_ends(examples)
    counts = np.ones((columns, columns))
    np.add.at(counts, (previous(known, columns - 1), known.ids), 1)
    log_p = np.log(counts / counts.sum(axis=1, keepdims=True))
    return Predictions.of(log_p[previous(wanted, columns - 1), wanted.ids], wanted.offsets)
