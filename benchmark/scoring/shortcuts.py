"""How far one gets in a recognition split without what its language takes: what the dataset card warns of."""

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.keys import Key, key_words
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.sampling.recognition import RecognitionRows
from marnn_bench.generators.strings import Strings

Cells = NDArray[np.int64]


def shortcuts(rows: RecognitionRows, envelope: Labeller | None = None) -> dict[str, dict[str, float]]:
    """For each kind of negatives, and for `all`: the accuracy of the best classifier that looks at one feature alone.

    The features are the length, the first symbol, the last symbol, how many there are of each symbol, and whether the
    envelope (`Language.envelope`), if there is one, accepts. The classifier predicts the label that most rows with the
    same value have; it is fitted to the rows themselves, so that none of this feature alone does better on them. Each negative is compared with the member that it was made from, so that
    1/2 is chance: the length never gives more, the counts give no more for swap and permuted.

    >>> from marnn_bench.generators.languages.dyck import Dyck
    >>> from marnn_bench.generators.window import Window
    >>> from marnn_bench.generators.sampling.recognition import recognition_rows
    >>> language = Dyck(1)
    >>> rows = recognition_rows(language, language.law("uniform"), Window(2, 40), Key(1), 500, 500, ["swap", "guided"])
    >>> {feature: round(accuracy, 2) for feature, accuracy in shortcuts(rows)["guided"].items()}
    {'length': 0.5, 'first symbol': 0.79, 'last symbol': 0.5, 'symbol counts': 1.0}
    """
    cells = _cells(rows.strings)
    if envelope is not None:
        cells["regular envelope"] = envelope.accepts(rows.strings).astype(np.int64)
    return {
        kind: {
            feature: _best_accuracy(cell[rows.source[made]], cell[made]) for feature, cell in cells.items()
        }
        for kind, made in _negatives_of(rows).items()
        if len(made)
    }


def _negatives_of(rows: RecognitionRows) -> dict[str, NDArray[np.int64]]:
    found = {"all": np.flatnonzero(~rows.label)}
    return found | {kind: np.flatnonzero(rows.negative == 1 + i) for i, kind in enumerate(rows.kinds)}


def _cells(strings: Strings) -> dict[str, Cells]:
    """For each feature that can be looked at, a number for each of its values: [n]."""
    first, last = np.full((2, len(strings)), -1)
    filled = strings.lengths > 0
    first[filled] = strings.ids[strings.offsets[:-1][filled]]
    last[filled] = strings.ids[strings.offsets[1:][filled] - 1]
    values = {
        "length": strings.lengths,
        "first symbol": first,
        "last symbol": last,
        "symbol counts": _counts(strings),
    }
    return {feature: np.unique(value, return_inverse=True)[1] for feature, value in values.items()}


def _counts(strings: Strings) -> NDArray[np.uint64]:
    """A word for the counts of all symbols: the sum of a random word for each (equal for others once in 2^64)."""
    symbols = np.arange(1 + int(strings.ids.max(initial=0)), dtype=np.uint64)
    words = kernels.negatives.random_words(key_words(Key(0)), symbols, 0)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(words[strings.ids])])
    return np.asarray(sums[strings.offsets[1:]] - sums[strings.offsets[:-1]])


def _best_accuracy(members: Cells, negatives: Cells) -> float:
    """The share of equally many members and negatives that the majority of their cell is right about."""
    cells = 1 + int(max(members.max(), negatives.max()))
    larger = np.maximum(np.bincount(members, minlength=cells), np.bincount(negatives, minlength=cells))
    return int(larger.sum()) / (2 * len(negatives))
