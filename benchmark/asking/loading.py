"""A model that is loaded for a run, or for several that are asked at once. It runs in the model's process."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from marnn_bench.asking.interfaces import Interface, Report, call, find_interface, has_interface
from marnn_bench.asking.protocol import Answers, Failure, Ids, Loaded, ModelTask, Wanted, halves


def load_runs(module: Any, tasks: Sequence[ModelTask]) -> tuple[list[Interface], Loaded]:
    """Have a model loaded for these runs of a task: how each half is asked, and what was found, but for its packages.

    What `load` gives is asked in the place of the module, if that defines no interface itself; only then can there be
    several runs.
    """
    load, apart = getattr(module, "load", None), not has_interface(module)
    runs = [_load_run(module, load, task, apart) for task in tasks]
    if len(runs) > 1 and not apart:
        raise Failure("interface", "has one state for all its runs")
    asked = [half[0] if len(half) == 1 else SideBySide(half, tasks[0]) for half in halves(runs)]
    return asked, Loaded(runs[0].name, runs[0].parser.kind, load is not None, {}, apart)


def _load_run(
    module: Any, load: Callable[[ModelTask], Any] | None, task: ModelTask, apart: bool
) -> Interface:
    given = None if load is None else call("load", load, task)
    return find_interface(given if apart else module, task, getattr(module, "scores", None))


class SideBySide(Interface):
    """Several runs at once: equally many streams of each, those of the first run first."""

    def __init__(self, runs: Sequence[Interface], task: ModelTask) -> None:
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

    def _joined(
        self, wanted: Wanted, report: Report, ask: Callable[[Interface, slice, Report], Answers]
    ) -> Answers:
        each, found = len(wanted) // len(self._runs), []
        for run, first in zip(self._runs, range(0, len(wanted), each), strict=True):
            found.append(ask(run, slice(first, first + each), _shifted(report, first)))
            self.progress(first + each)
        return np.concatenate(found)


def _shifted(report: Report, by: int) -> Report:
    """Reports of the streams of one run, as streams of all."""

    def shifted(failure: Failure) -> None:
        failure.streams = [stream + by for stream in failure.streams or []]
        report(failure)

    return shifted
