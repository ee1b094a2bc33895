"""From which probability on a symbol is in the set: chosen on train, for models whose scores are probabilities."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.asking.scripts import score_script
from marnn_bench.asking.waves import Model, OnFailure, run_wave
from marnn_bench.examples import SetExamples

MAX_ROWS: Final = 1024
"""So many strings, the last of train, decide."""


def choose_threshold(model: Model, train: SetExamples, on_failure: OnFailure) -> float:
    """The threshold that gives the most right sets on the last strings of train."""
    asked = train.take(range(max(0, len(train) - MAX_ROWS), len(train)))
    kept = run_wave(model, score_script(asked), on_failure)
    scores = np.column_stack([kept.values[str(column)] for column in range(len(train.task.columns))])
    return best_threshold(scores[kept.answered], asked.answers[kept.answered])


def best_threshold(scores: NDArray[np.float64], answers: NDArray[np.uint64]) -> float:
    """The threshold from which on scores [n, columns] give the most right sets, answers [n].

    A set is right with thresholds above all scores of illegal symbols, up to the lowest score of a legal one. Chosen is
    the middle of the range in which most sets are right, of the first of equals.

    >>> best_threshold(np.array([[0.6, 0.4], [0.3, 0.7]]), np.array([1, 3], np.uint64))
    0.15
    >>> best_threshold(np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([1, 3], np.uint64))
    0.25
    """
    legal = (answers[:, None] >> np.arange(scores.shape[1], dtype=np.uint64) & np.uint64(1)).astype(np.bool_)
    above = np.where(legal, 0.0, scores).max(axis=1, initial=0.0)
    up_to = np.where(legal, scores, 1.0).min(axis=1, initial=1.0)
    fitting = above < up_to
    if not fitting.any():
        return 0.5
    ends = np.unique(np.concatenate([above[fitting], up_to[fitting]]))
    # In (ends[i], ends[i + 1]] the number of right sets is constant.
    begun = np.searchsorted(np.sort(above[fitting]), ends[:-1], side="right")
    over = np.searchsorted(np.sort(up_to[fitting]), ends[:-1], side="right")
    best = int(np.argmax(begun - over))
    return float((ends[best] + ends[best + 1]) / 2)
