"""Recognition: are members told from other strings?"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.examples import RecognitionExamples
from marnn_bench.generators.labeller import Labeller
from marnn_bench.scoring.intervals import Ratio
from marnn_bench.scoring.metrics import Breakdown, Correctness
from marnn_bench.scoring.predictions import Predictions

THRESHOLD: Final = 0.5
"""From this probability on a string is taken for a member."""


class RecognitionScorer:
    """Scores probabilities that strings are members.

    balanced_accuracy:  the mean of the accuracies on members and on others, so that a rare class counts as much
    """

    def __init__(self, examples: RecognitionExamples) -> None:
        self._examples = examples
        members = int(examples.label.sum())
        others = len(examples) - members
        each = np.where(examples.label, 1 / max(members, 1), 1 / max(others, 1))
        self._weights = each / each.sum()

    def correctness(self, predictions: Predictions) -> Correctness:
        """Which strings are answered right; the first error lies behind the last symbol."""
        said = predictions.predicted >= THRESHOLD
        correct = predictions.answered & (said == self._examples.label)
        lengths = self._examples.strings.lengths
        return Correctness(correct, np.where(correct, -1, lengths).astype(np.int32))

    def metrics(self, predictions: Predictions) -> Mapping[str, Ratio]:
        """How right one run is."""
        label, correct = self._examples.label, self.correctness(predictions).correct
        return {
            "balanced_accuracy": Ratio(
                correct * self._weights, self._weights, classes=(correct[label], correct[~label])
            ),
            "accuracy": Ratio.share(correct),
            "member_accuracy": Ratio.share(correct[label]),
            "negative_accuracy": Ratio.share(correct[~label]),
        }

    def breakdowns(self, predictions: Predictions) -> Mapping[str, Breakdown]:
        """The strings that are right by length, by kind of negative and by its edits."""
        examples, correct = self._examples, self.correctness(predictions).correct
        negatives, kinds = ~examples.label, ("member", *examples.kinds[1:])
        return {
            "by_length": Breakdown("length", examples.strings.lengths, correct),
            "by_negative": Breakdown("negative", examples.negative.astype(np.int64), correct, names=kinds),
            "by_edits": Breakdown("edits", examples.edits[negatives], correct[negatives]),
        }


def always(member: bool, examples: RecognitionExamples) -> Predictions:
    """The same answer to every string."""
    return Predictions.of(np.full(len(examples), float(member)), np.arange(len(examples) + 1))


def within(envelope: Labeller, examples: RecognitionExamples) -> Predictions:
    """Yes to what an automaton accepts."""
    answers = envelope.accepts(examples.strings).astype(np.float64)
    return Predictions.of(answers, np.arange(len(examples) + 1))


def best_length_rule(train: RecognitionExamples, examples: RecognitionExamples) -> Predictions:
    """By the length alone: the answer that is right for most strings of train of this length, balanced; no, if new."""
    sizes: NDArray[np.int64] = train.strings.lengths
    longest = int(max(sizes.max(initial=0), examples.strings.lengths.max(initial=0)))
    members = np.bincount(sizes[train.label], minlength=longest + 1) / max(int(train.label.sum()), 1)
    others = np.bincount(sizes[~train.label], minlength=longest + 1) / max(int((~train.label).sum()), 1)
    answers = (members > others)[examples.strings.lengths].astype(np.float64)
    return Predictions.of(answers, np.arange(len(examples) + 1))
