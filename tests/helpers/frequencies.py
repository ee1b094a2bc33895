"""Chi-square of draws over all that can be drawn."""

from collections import Counter

import numpy as np
from scipy import stats

from marnn_bench.generators.strings import Strings


def assert_follows(observed: np.ndarray, expected: np.ndarray) -> None:
    """Numbers of draws against those that a law expects, cells of fewer than ten together."""
    assert not observed[expected == 0].any()
    rare = expected < 10
    cells = [np.append(x[~rare], x[rare].sum()) for x in (observed, expected)]
    cells = [x[cells[1] > 0] for x in cells]
    assert len(cells[0]) == 1 or stats.chisquare(*cells).pvalue > 1e-4


def assert_drawn(drawn: Strings, among: Strings, probabilities: np.ndarray) -> None:
    """That each of some strings was drawn as often as its probability says, and no other."""
    counted = Counter(tuple(string.tolist()) for string in drawn)
    observed = np.array([counted.pop(tuple(string.tolist()), 0) for string in among])
    assert not counted, "strings outside the window or the language"
    assert_follows(observed, len(drawn) * probabilities)
