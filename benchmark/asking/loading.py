"""A model that is loaded for a run, or for several that are asked at once. It runs in the model's process."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from marnn_bench.asking.answers import BadAnswer, to_array
from marnn_bench.asking.interfaces import (
    Interface,
    Report,
    StepInterface,
    call,
    find_interface,
    has_interface,
)
from marnn_bench.asking.protocol import Answers, Failure, Ids, Loaded, ModelTask, Wanted, halves

T = TypeVar("T", bound=Interface)


def load_runs(module: Any, tasks: Sequence[ModelTask]) -> tuple[list[Interface], Loaded]:
    """Have a model loaded for these runs of a task: how each half is asked, and what was found, but for its packages.

    What `load` gives is asked in the place of the module, if that defines no interface itself; only then can there be
    several runs.
    """
    load, apart = getattr(module, "load", None), not has_interface(module)
    runs = [_load_run(module, load, task, apart) for task in tasks]
    if len(runs) > 1 and not apart:
        raise Failure("interface", "has one state for all its runs")
    asked = [half[0] if len(half) == 1 else side_by_side(half, tasks[0]) for half in halves(runs)]
    return asked, Loaded(runs[0].name, runs[0].parser.kind, load is not None, {}, apart)


def _load_run(
    module: Any, load: Callable[[ModelTask], Any] | None, task: ModelTask, apart: bool
) -> Interface:
    given = None if load is None else call("load", load, task)
    return find_interface(given if apart else module, task, getattr(module, "scores", None))


def side_by_side(runs: Sequence[Interface], task: ModelTask) -> Interface:
    """Several runs as one interface."""
    stepped = [run for run in runs if isinstance(run, StepInterface)]
    return StepsSideBySide(stepped, task) if len(stepped) == len(runs) else SideBySide(runs, task)


class SideBySide(Interface, Generic[T]):
    """Several runs at once: equally many streams of each, those of the first run first."""

    def __init__(self, runs: Sequence[T], task: ModelTask) -> None:
        self.name, self.functions = runs[0].name, runs[0].functions  # type: ignore[misc]
        super().__init__(None, task, runs[0].parser)
        self._runs = runs

    def reset(self, n: int) -> None:
        for run in self._runs:
            run.reset(n)

    def first(self, n: int, wanted: Wanted, report: Report) -> Answers:
        return self._joined(
            wanted,
            report,
            lambda run, streams, report: run.first(len(wanted[streams]), wanted[streams], report),
        )

    def step(self, symbols: Ids, wanted: Wanted, report: Report) -> Answers:
        return self._joined(
            wanted, report, lambda run, streams, report: run.step(symbols[streams], wanted[streams], report)
        )

    def _joined(self, wanted: Wanted, report: Report, ask: Callable[[T, slice, Report], Answers]) -> Answers:
        found = []
        for run, streams in self._shares(len(wanted)):
            found.append(ask(run, streams, _shifted(report, streams.start)))
            self.progress(streams.stop)
        return np.concatenate(found)

    def _shares(self, n: int) -> Iterator[tuple[T, slice]]:
        """The runs, each with its streams."""
        each = n // len(self._runs)
        return zip(self._runs, map(slice, range(0, n, each), range(each, n + each, each)), strict=True)


class StepsSideBySide(SideBySide[StepInterface]):
    """Runs that are stepped: their scores are read at once, unless something is wrong with those of one."""

    def step(self, symbols: Ids, wanted: Wanted, report: Report) -> Answers:
        given = []
        for run, streams in self._shares(len(wanted)):
            given.append(_kept(run.ask(symbols[streams])))
            self.progress(streams.stop)
        answers, rest = self._read(given, wanted), iter(given)
        if answers is not None:
            return answers
        return self._joined(
            wanted, report, lambda run, streams, report: run.read(next(rest), wanted[streams], report)
        )

    def _read(self, given: Sequence[Any], wanted: Wanted) -> Answers | None:
        """The answers of all runs; None if one is to be told what is wrong with its own."""
        shape = len(wanted) // len(given), len(self.parser.columns)
        if any(np.shape(scores) != shape for scores in given):
            return None
        try:
            answers, nan = self.parser.rows(np.concatenate(given), len(wanted), wanted)
        except BadAnswer:
            return None
        return answers if nan is None else None


def _kept(scores: Any) -> Any:
    """A copy, since the next run may use the same array."""
    try:
        return np.array(to_array(scores))
    except BadAnswer:
        return scores


def _shifted(report: Report, by: int) -> Report:
    """Reports of the streams of one run, as streams of all."""

    def shifted(failure: Failure) -> None:
        failure.streams = [stream + by for stream in failure.streams or []]
        report(failure)

    return shifted
