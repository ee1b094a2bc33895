"""The order in which a finite train split is learned from, epoch by epoch: incremental learning, and what goes with it.

Mali et al. 2019, Algorithm 1, of which the text has lost the formulas. What they leave open is ours: the midpoint is half of
the longest string, both stages have as many epochs, and an epoch has as many strings as the split, so that the first stage
has its shorter strings more than once.
"""

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.recipes import Order

STAGES: Final = "two stages"

Rows = NDArray[np.int64]


def rows_of_epoch(lengths: NDArray[np.int64], order: Order, epoch: int, epochs: int) -> Rows:
    """The rows that an epoch, counted from 0 of so many, learns from, one after another: [rows]

    lengths:  of the strings, [rows]

    `given` is the order of the split. `by length` begins with the shortest strings in every epoch: the older incremental
    learning, of Das, Giles & Sun 1993. `two stages` takes the strings up to the midpoint, once by length and then in random
    orders, and in the second half of the epochs all strings in the same way; the orders depend on the epoch alone.

    >>> lengths = np.array([4, 2, 8, 6])
    >>> rows_of_epoch(lengths, "by length", epoch=1, epochs=4).tolist()
    [1, 0, 3, 2]
    >>> [rows_of_epoch(lengths, "two stages", epoch, epochs=4).tolist() for epoch in range(4)]
    [[1, 0, 1, 0], [1, 0, 1, 0], [1, 0, 3, 2], [2, 3, 0, 1]]
    """
    rows = np.arange(len(lengths))
    if order == "given":
        return rows
    ordered = rows[np.argsort(lengths, kind="stable")]
    if order == "by length":
        return ordered
    if stage_of(order, epoch, epochs) == 1:
        ordered = ordered[: np.searchsorted(lengths[ordered], lengths.max() // 2, side="right")]
        ordered = ordered if len(ordered) else rows[np.argsort(lengths, kind="stable")][:1]
    filled = np.resize(ordered, len(rows))
    return filled if epoch in (0, epochs // 2) else np.random.default_rng(epoch).permutation(filled)


def stage_of(order: Order, epoch: int, epochs: int) -> Literal[1, 2]:
    """Which stage an epoch, counted from 0 of so many, belongs to: the second where there are none.

    >>> [stage_of("two stages", epoch, epochs=4) for epoch in range(4)], stage_of("given", 0, epochs=4)
    ([1, 1, 2, 2], 2)
    """
    return 1 if order == STAGES and epoch < epochs // 2 else 2


def rate_of_epoch(least: float, order: Order, epoch: int, epochs: int) -> float:
    """What the learning rate is multiplied by in an epoch: drawn evenly from `least` to 1; in the second of two stages it is 1.

    "A stochastic learning rate worked better in the first stage while a fixed learning rate ... worked better during second
    stage." (Mali et al. 2019); the law is ours.

    >>> [round(rate_of_epoch(0.5, "two stages", epoch, epochs=4), 3) for epoch in range(4)]
    [0.945, 0.666, 1.0, 1.0]
    """
    if order == STAGES and stage_of(order, epoch, epochs) == 2:
        return 1.0
    return float(np.random.default_rng((epoch, 1)).uniform(least, 1))
