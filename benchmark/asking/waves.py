"""Waves: strings that advance together, so that a model never sees the rest of a string.

Symbol t + 1 of any string is sent only after the answers for t, and no batch holds two prefixes of one string.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from marnn_bench.asking.interfaces import Pending, Progress, Report, ignore
from marnn_bench.asking.protocol import (
    IDLE,
    NONE,
    Answers,
    Failure,
    Loaded,
    ModelTask,
    Requests,
    halves,
    make_requests,
)
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.scoring.predictions import Predictions

WAVE_ROWS: Final = 1024
"""Strings of a wave: part of what is measured, since a model may use what it sees of the others."""


class Model(Protocol):
    """What is asked: a process of its own, or an object of this one."""

    def load(self, *tasks: ModelTask) -> Loaded:
        """Have the model loaded for a run of a task, or for several that are asked at once: the streams of each in turn."""

    def reset(self, n: int) -> None:
        """Begin a wave of n streams of each run."""

    def begin(self, requests: Requests, half: int = 0) -> Pending:
        """Ask a half of the runs as `step` does, with the answers still to come; both may be on their way."""

    def step(self, requests: Requests, report: Report, progress: Progress) -> Answers:
        """Add a symbol to each stream: what each answers, anything where nothing is wanted: [n] or [n, columns].

        `progress` is told now and then how many answers there are already.
        """


class Reading(ABC):
    """What is kept of the answers to a step: numbers for each stream, by name."""

    @property
    @abstractmethod
    def fields(self) -> Mapping[str, str]:
        """The names, and the types of the numbers."""

    @abstractmethod
    def __call__(self, step: int, answers: Answers) -> Mapping[str, NDArray[Any]]:
        """Of answers [n] or [n, columns], under each name values [n]."""

    def repeated(self, times: int) -> "Reading":
        """The same for so many times the streams, one set behind the other."""
        return self


@dataclass(frozen=True)
class Script:
    """What a wave of n strings is sent, step by step, and what is kept of the answers.

    requests:  [steps, n]
    gold:      [steps, n]  the right values of "predicted", if a string ends behind its first wrong one
    """

    requests: Requests
    reading: Reading
    gold: NDArray[np.int64] | None = None

    @property
    def wanted(self) -> NDArray[np.bool_]:
        """Which answers are wanted: [steps, n]."""
        return np.asarray(self.requests > IDLE)

    @property
    def symbols(self) -> NDArray[np.bool_]:
        """Where a symbol is sent, and not a question alone: [steps, n]."""
        return np.asarray(self.requests & IDLE != IDLE)

    def repeated(self, times: int) -> "Script":
        """The same for so many times the streams, one set behind the other."""
        gold = None if self.gold is None else np.tile(self.gold, times)
        return Script(np.tile(self.requests, times), self.reading.repeated(times), gold)


@dataclass(frozen=True)
class WaveFailure:
    """A failure within a wave.

    sent:  how many symbols of the first string concerned had been sent; the answers from the last on are missing
    rows:  the strings concerned
    """

    failure: Failure
    sent: int
    rows: list[int]


OnFailure = Callable[[WaveFailure], None]


def waves_of(rows: int) -> Iterator[range]:
    """The rows of each wave."""
    for first in range(0, rows, WAVE_ROWS):
        yield range(first, min(first + WAVE_ROWS, rows))


def run_wave(model: Model, script: Script, on_failure: OnFailure, progress: Progress = ignore) -> Predictions:
    """What a model answers in a wave.

    `on_failure` is told of every failure; if it returns, the wave goes on without the strings concerned.
    """
    wave = _WaveState(script, on_failure)
    try:
        model.reset(script.requests.shape[1])
        while wave.advance():
            so_far = _Differences(progress)
            wave.keep(model.step(wave.requests[wave.now], wave.drop, so_far))
            so_far(wave.counts[wave.now])
    except Failure as failure:
        wave.drop(failure)
    return wave.predictions()


def run_together(
    model: Model, script: Script, runs: int, on_failures: Sequence[OnFailure], progress: Progress = ignore
) -> list[Predictions]:
    """What each of so many runs answers in a wave. While answers of one half are taken, the other half is at work.

    on_failures:  told of the failures of a half, whose rows are those of its first run, of its second, and so on
    """
    sizes = [len(half) for half in halves(range(runs))]
    waves = [
        _WaveState(script.repeated(size), on_failure)
        for size, on_failure in zip(sizes, on_failures, strict=True)
    ]
    model.reset(script.requests.shape[1])
    coming: deque[tuple[int, Pending]] = deque()

    def ask_on(half: int) -> None:
        wave = waves[half]
        if wave.advance():
            coming.append((half, model.begin(wave.requests[wave.now], half)))

    for half in range(len(waves)):
        ask_on(half)
    while coming:
        half, answers = coming.popleft()
        wave = waves[half]
        so_far = _Differences(progress)
        wave.keep(answers(wave.drop, so_far))
        so_far(wave.counts[wave.now])
        ask_on(half)
    found = zip(waves, sizes, strict=True)
    return [predictions for wave, size in found for predictions in wave.predictions().split(size)]


class _Differences:
    """Passes numbers on as what each is more than the one before."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._told = 0

    def __call__(self, answers: int) -> None:
        more, self._told = answers - self._told, max(answers, self._told)
        if more > 0:
            self._progress(more)


class _WaveState:
    """Where a wave is.

    requests:  [steps, n]  what is to be sent, IDLE where nothing is
    counts:    [steps]     how many answers are wanted
    now:       the step that is asked about, -1 before the first
    """

    def __init__(self, script: Script, on_failure: OnFailure) -> None:
        self._script = script
        self._on_failure = on_failure
        self._wanted = script.wanted
        self._values = {
            name: np.zeros(script.requests.shape, kind) for name, kind in script.reading.fields.items()
        }
        steps, n = script.requests.shape
        self._ends = np.full(n, steps)  # from where on nothing is sent of a string
        self._failed = np.full(n, steps)  # from where on its answers are missing
        self.requests = script.requests.copy()
        self.counts: list[int] = np.count_nonzero(self._wanted, axis=1).tolist()
        self.now = -1

    def advance(self) -> bool:
        """Go to the next step, if any string has one."""
        self.now += 1
        return self.now < len(self.requests) and bool(np.count_nonzero(self.requests[self.now] != IDLE))

    def keep(self, answers: Answers) -> None:
        """Take the answers to this step."""
        for name, values in self._script.reading(self.now, answers).items():
            self._values[name][self.now] = values
        if self._script.gold is not None:
            wrong = self._values["predicted"][self.now] != self._script.gold[self.now]
            self._end(np.flatnonzero(wrong & (self.requests[self.now] > IDLE)), self.now + 1)

    def drop(self, failure: Failure) -> None:
        """Go on without the strings of a failure."""
        now = max(self.now, 0)
        rest = self.requests[now:] != IDLE
        rows = np.flatnonzero(rest.any(axis=0)) if failure.streams is None else np.array(failure.streams)
        self._failed[rows] = np.minimum(self._failed[rows], now)
        sent = int(self._script.symbols[: self.now + 1, rows[:1]].sum())
        self._end(rows, now)
        self._on_failure(WaveFailure(failure, sent, rows.tolist()))

    def _end(self, rows: NDArray[np.int64], step: int) -> None:
        """Send nothing of these strings from a step on."""
        self.requests[step:, rows] = IDLE
        self._ends[rows] = np.minimum(self._ends[rows], step)

    def predictions(self) -> Predictions:
        """What was kept, string after string.

        Where strings end behind their first wrong answer there are no places for later ones; a missing one has a place.
        """
        steps = np.arange(len(self.requests))[:, None]
        answered = self._wanted & (steps < self._ends)
        listed = self._wanted
        if self._script.gold is not None:
            listed = answered | (self._wanted & (steps == self._failed))
        values = {name: kept.T[listed.T] for name, kept in self._values.items()}
        return Predictions(values, answered.T[listed.T], offsets_of(listed.sum(axis=0)))


def by_step(strings: Strings) -> NDArray[np.int64]:
    """The ids of the t-th symbol of every string, NONE behind its end: [longest, n]."""
    lengths = strings.lengths
    present = np.arange(lengths.max(initial=0)) < lengths[:, None]  # [n, longest]
    ids = np.full(present.shape, NONE, np.int64)
    ids[present] = strings.ids
    return np.ascontiguousarray(ids.T)


def ask_after_each(strings: Strings, *, first: bool = False) -> Requests:
    """Every symbol is sent, and an answer wanted after it; with `first`, also about the empty prefix: [steps, n]."""
    ids = by_step(strings)
    requests = make_requests(ids, ids != NONE)
    if not first:
        return requests
    beginning = make_requests(np.full((1, len(strings)), NONE), np.ones((1, len(strings)), np.bool_))
    return np.concatenate([beginning, requests])


def ask_from(strings: Strings, places: NDArray[np.int64]) -> Requests:
    """Every symbol is sent, and answers wanted from the place-th symbol of each string on, counted from 0: [steps, n].

    A place of -1 wants an answer about the empty prefix, too, for which there is a step before all others.
    """
    ids = by_step(strings)
    wanted = (ids != NONE) & (np.arange(len(ids))[:, None] >= places)
    requests = make_requests(ids, wanted)
    if (places >= 0).all():
        return requests
    return np.concatenate([make_requests(np.full((1, len(strings)), NONE), (places < 0)[None]), requests])
