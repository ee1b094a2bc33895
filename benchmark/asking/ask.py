"""Asking a model about strings, and going on where single strings make it fail."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.asking.answers import THRESHOLD
from marnn_bench.asking.interfaces import Progress, ignore
from marnn_bench.asking.protocol import Loaded
from marnn_bench.asking.scripts import CHOICES, script_of
from marnn_bench.asking.waves import (
    Model,
    OnFailure,
    Script,
    WaveFailure,
    ask_after_each,
    run_wave,
)
from marnn_bench.examples import Examples, SetExamples
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.streams import NO_ROW, as_stream

MAX_LONE_FAILURES: Final = 32
"""So many strings of a wave are found that make the model fail, each alone; a part that fails after that is left out whole."""

Rows = NDArray[np.int64]
Fail = Callable[[Rows, WaveFailure], None]
"""Told the rows that were asked, and what went wrong; raises, or returns to go on."""


def ask(
    model: Model,
    examples: Examples,
    loaded: Loaded,
    on_failure: OnFailure,
    progress: Progress = ignore,
    threshold: float = THRESHOLD,
) -> Predictions:
    """What a model answers about these strings, asked as one wave."""
    script = script_of(examples, loaded, threshold)
    return run_wave(model, script, on_failure, progress).summed("illegal_mass")


def ask_stream(
    model: Model, examples: SetExamples, every: int, fail: Fail, progress: Progress = ignore
) -> Predictions:
    """What a model answers about these strings as one stream, memory emptied every so many (`marnn_bench.streams`).

    What lies between two resets are strings of a wave. Where the first symbol of the next string is asked for, and is
    answered, END is kept: that is what stands for it, and so what a model may answer there as well.
    """
    stream = as_stream(examples, every)
    segments, strings = stream.segments, examples.strings

    def on_failure(failed: WaveFailure) -> None:
        starts = segments.offsets[np.sort(failed.rows)] + max(failed.sent - 1, 0)  # the first that is missing
        ends = segments.offsets[np.sort(failed.rows) + 1]
        missing = [stream.rows[start:end] for start, end in zip(starts, ends, strict=True)]
        rows = np.unique(np.concatenate(missing))
        rows = rows[rows != NO_ROW]
        sent = max(int(starts[0]), 1) - int(strings.offsets[rows[0]])  # of the first string
        fail(rows, replace(failed, sent=sent, rows=[*range(len(rows))]))

    kept = run_wave(model, Script(ask_after_each(segments), CHOICES), on_failure, progress)
    # Nothing is asked before the first symbol of the first string is fed; the rest are the answers after each symbol.
    choices, answered = kept.predicted[1:].copy(), kept.answered[1:]
    last = strings.offsets[1:] - 1
    end = len(examples.task.columns) - 1
    choices[last] = np.where(choices[last] == stream.targets[1:][last], end, choices[last])
    return Predictions({"predicted": choices}, answered, strings.offsets)


@dataclass
class WaveAsker:
    """Asks about waves of a split. What fails as a whole is asked again in halves, until a string that fails is alone.

    in_halves:  whether to do so; if not, the first failure is told as it is
    """

    model: Model
    examples: Examples
    loaded: Loaded
    fail: Fail
    threshold: float = THRESHOLD
    in_halves: bool = False
    _alone: int = field(default=0, init=False)

    def wave(self, rows: Rows, progress: Progress = ignore) -> Predictions:
        """The answers about these rows."""
        self._alone = 0
        return self._ask(rows, progress)

    def _ask(self, rows: Rows, progress: Progress) -> Predictions:
        failures: list[WaveFailure] = []  # told when it is clear that these rows are not asked again

        def on_failure(failed: WaveFailure) -> None:
            if not self.in_halves:
                self.fail(rows, failed)
            elif failed.failure.streams is None and self._alone < MAX_LONE_FAILURES:
                if len(rows) > 1:
                    raise _FailedTogether
                self._alone += 1
            failures.append(failed)

        try:
            answers = ask(
                self.model, self.examples.take(rows), self.loaded, on_failure, progress, self.threshold
            )
        except _FailedTogether:
            halves = np.array_split(rows, 2)
            return Predictions.concatenate([self._ask(half, progress) for half in halves])
        if self.in_halves:
            for failed in failures:
                self.fail(rows, failed)
        return answers


class _FailedTogether(Exception):
    """Several strings failed at once: one of them may have been the cause."""
