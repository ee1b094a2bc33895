"""Waves: strings that advance together, so that a model never sees the rest of a string.

Symbol t + 1 of any string is sent only after the answers for t, and no batch holds two prefixes of one string.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from marnn_bench.evaluation.interfaces import Report
from marnn_bench.evaluation.protocol import FINISHED, Failure, Ids, Loaded, Masks, ModelTask
from marnn_bench.generators.strings import Strings

WAVE_ROWS: Final = 1024
"""Strings of a wave: part of what is measured, since a model may use what it sees of the others."""

MAX_COLUMNS: Final = 63
"""Columns of a task that can be evaluated; a 64th bit is left for what follows."""

NO_ANSWER: Final = np.uint64(2**64 - 1)
"""Stands for a set that was not answered; no set of MAX_COLUMNS symbols or fewer equals it."""


class Model(Protocol):
    """What is asked: a process of its own, or an object of this one."""

    def load(self, task: ModelTask) -> Loaded:
        """Have the model loaded for a task and run."""

    def reset(self, n: int) -> None:
        """Begin a wave of n streams."""

    def step(self, ids: Ids, report: Report) -> Masks:
        """Add a symbol to each stream: the set that each answers: [n]."""


@dataclass(frozen=True)
class WaveFailure:
    """A failure within a wave.

    sent:  how many symbols of each string had been sent; the answers from the last of them on are missing
    rows:  the strings concerned
    """

    failure: Failure
    sent: int
    rows: list[int]


OnFailure = Callable[[WaveFailure], None]
Progress = Callable[[int], object]
"""Told how many symbols were answered."""


def waves_of(rows: int) -> Iterator[range]:
    """The rows of each wave."""
    for first in range(0, rows, WAVE_ROWS):
        yield range(first, min(first + WAVE_ROWS, rows))


def run_wave(
    model: Model,
    strings: Strings,
    on_failure: OnFailure,
    progress: Progress = lambda symbols: None,
) -> Masks:
    """The sets that a model answers after every symbol of these strings, as one wave: [symbols].

    `on_failure` is told of every failure; if it returns, the wave goes on without the rows concerned, whose masks are
    NO_ANSWER.
    """
    wave = _WaveState(by_step(strings), on_failure)
    present = (wave.ids != FINISHED).T
    try:
        model.reset(len(strings))
        while wave.advance():
            masks = model.step(wave.ids[wave.now], wave.drop)
            wave.answers[wave.now, wave.live] = masks[wave.live]
            progress(int(wave.live.sum()))
    except Failure as failure:
        wave.drop(failure)
    answers: Masks = wave.answers.T[present]
    return answers


class _WaveState:
    """Where a wave is.

    ids:      [longest, n]  the symbols to be sent, FINISHED where there are none
    answers:  [longest, n]
    now:      the symbol that is asked about, -1 before the first
    """

    def __init__(self, ids: Ids, on_failure: OnFailure) -> None:
        self.ids = ids
        self.answers = np.full(ids.shape, NO_ANSWER, np.uint64)
        self.now = -1
        self._on_failure = on_failure

    def advance(self) -> bool:
        """Go to the next symbol, if any string has one."""
        self.now += 1
        return self.now < len(self.ids) and bool(self.live.any())

    @property
    def live(self) -> NDArray[np.bool_]:
        """The strings whose answers to this symbol are to come: [n]."""
        live: NDArray[np.bool_] = self.ids[self.now] != FINISHED
        return live

    def drop(self, failure: Failure) -> None:
        """Go on without the strings of a failure."""
        rest = self.ids[max(self.now, 0) :]
        rows = np.flatnonzero((rest != FINISHED).any(axis=0)) if failure.streams is None else failure.streams
        rest[:, rows] = FINISHED
        self._on_failure(WaveFailure(failure, self.now + 1, list(rows)))


def by_step(strings: Strings) -> Ids:
    """The ids of the t-th symbol of every string, FINISHED behind its end: [longest, n]."""
    lengths = strings.lengths
    present = np.arange(lengths.max(initial=0)) < lengths[:, None]  # [n, longest]
    ids = np.full(present.shape, FINISHED, np.int64)
    ids[present] = strings.ids
    return np.ascontiguousarray(ids.T)
