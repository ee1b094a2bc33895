"""Asking a model about all its runs: those that it can hold at once side by side, else one after the other."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from marnn_bench import __version__
from marnn_bench.asking.answers import THRESHOLD
from marnn_bench.asking.ask import Rows, WaveAsker, ask_stream
from marnn_bench.asking.failures import model_error, show_prefix
from marnn_bench.asking.interfaces import Progress
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import Failure, Loaded, ModelTask, halves
from marnn_bench.asking.scripts import answer_count, script_of, sent_symbols
from marnn_bench.asking.thresholds import choose_threshold
from marnn_bench.asking.waves import WAVE_ROWS, WaveFailure, run_together, waves_of
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.results import ResultFolder
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.examples import Examples, SetExamples, as_sets
from marnn_bench.processes.limits import Limits
from marnn_bench.scoring.metrics import Record
from marnn_bench.scoring.predictions import Predictions

RUNS_AT_ONCE: Final = 8
"""Runs that are asked side by side, so that a question and its answers are for all of them."""


@dataclass(frozen=True)
class Evaluation:
    """What is evaluated, and how.

    examples:    the split that is asked
    train:       what trivial answers are fitted on, if there is such a split
    keep_going:  count strings that fail as wrong, instead of stopping
    stream:      if strings are asked as one stream, how many lie between two resets of memory
    audit:       whether the model is asked again, to see that its answers follow from the prefix alone
    """

    source: ModelSource
    examples: Examples
    train: Examples | None
    limits: Limits = field(default_factory=Limits)
    keep_going: bool = False
    audit: bool = True
    stream: int | None = None

    def waves(self) -> list[range]:
        """The rows that are asked together."""
        rows = len(self.examples)
        return [range(rows)] if self.stream else [*waves_of(rows)]

    def key(self) -> str:
        """A digest of all that the answers depend on but the content of the model's files, which its process tells.

        Two evaluations with the same key and the same files can share them.
        """
        task = self.examples.task
        about = {
            "harness": __version__,
            "model": [self.source.file.name, self.source.runs],
            "task": [task.name, task.version, self.examples.split, self.examples.digest],
            "wave_rows": WAVE_ROWS,
            "audit": self.audit,
            "stream": self.stream,
            "process": [self.limits.threads, self.limits.isolated, sorted(self.limits.passed)],
            # Without --keep-going no answer survives a limit, so that the limits change none.
            "keep_going": self.keep_going and [self.limits.timeout, self.limits.memory],
        }
        if self.source.renamed:
            about["name"] = self.source.name
        return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Answered:
    """What a run answered to a wave of these rows, and what went wrong."""

    run: int
    wave: int
    rows: range
    predictions: Predictions
    errors: list[Record]


@dataclass(frozen=True)
class Step:
    """Waves that were answered, and the runs of which all are by now."""

    answered: list[Answered]
    finished: Sequence[int]


@dataclass
class Asker:
    """Asks about the waves that a folder lacks.

    Runs of a model whose `load` gives an object for each are asked side by side. Where that fails as a whole, these and
    all later ones are asked one by one, so that what comes of it is what comes of each alone.

    thresholds:  of the runs that were asked, where their scores need one
    """

    model: ModelProcess
    evaluation: Evaluation
    folder: ResultFolder
    progress: Progress
    thresholds: list[float | None] = field(default_factory=list)
    loaded: Loaded = field(init=False)
    _present: Sequence[int] = field(default=(), init=False)

    def __post_init__(self) -> None:
        self.load([0])

    def load(self, runs: Sequence[int]) -> None:
        """Have runs loaded, unless they are.

        ModelError or LimitError if one fails, Failure if several do, UsageError if the model is of no use.
        """
        evaluation, source = self.evaluation, self.evaluation.source
        if [*runs] == [*self._present]:
            return
        self._present = ()
        try:
            loaded = self.model.load(*(ModelTask.of(evaluation.examples.task, run) for run in runs))
        except Failure as failure:
            if len(runs) > 1:
                raise
            where = f"run {runs[0]}" if source.runs > 1 and failure.function == "load" else ""
            raise model_error(failure, source.file.name, where) from None
        if source.runs > 1 and not loaded.loads:
            raise UsageError(
                f"{source.file.name} has no load(task), so that all its runs would be the same; leave --runs out."
            )
        if evaluation.stream and loaded.interface != "step":
            raise UsageError(
                f"{source.file.name} is asked by {loaded.interface}; a stream needs reset(n) and step(ids), which go on from "
                "symbol to symbol."
            )
        self.loaded, self._present = loaded, runs

    def steps(self) -> Iterator[Step]:
        """Every run, in order."""
        runs = range(self.evaluation.source.runs)
        together = self.loaded.apart and not self._needs_threshold and not self.evaluation.stream
        for first in range(0, len(runs), RUNS_AT_ONCE):
            some = runs[first : first + RUNS_AT_ONCE]
            if together and len(some) > 1:
                try:
                    yield from self._together(some)
                    continue
                except Failure:
                    together = False
            for run in some:
                yield from self._alone(run)

    @property
    def _needs_threshold(self) -> bool:
        return self.loaded.answer == "distributions" and isinstance(self.evaluation.examples, SetExamples)

    def _together(self, runs: range) -> Iterator[Step]:
        """Failure if one leaves a whole run without answers."""
        self.load(runs)
        for wave, rows in enumerate(self.evaluation.waves()):
            asked = self.evaluation.examples.take(rows)
            present = [run for run in runs if self.folder.has(run, wave, rows)]
            self.progress(len(present) * answer_count(asked))
            answered = []
            if len(present) < len(runs):
                logs = [FailureLog(self.evaluation, run, self.folder) for run in runs]
                sorters = [_Sorter(rows, half).sort for half in halves(logs)]
                script = script_of(asked, self.loaded)
                kept = run_together(self.model, script, len(runs), sorters, self.progress)
                answered = [
                    Answered(run, wave, rows, predictions.summed("illegal_mass"), log.taken())
                    for run, predictions, log in zip(runs, kept, logs, strict=True)
                    if run not in present
                ]
            last = rows.stop == len(self.evaluation.examples)
            yield Step(answered, runs if last else [])
        self.thresholds.extend([None] * len(runs))

    def _alone(self, run: int) -> Iterator[Step]:
        examples, evaluation, folder = self.evaluation.examples, self.evaluation, self.folder
        log, threshold = FailureLog(evaluation, run, folder), folder.threshold(run)
        for wave, rows in enumerate(evaluation.waves()):
            answered = []
            if folder.has(run, wave, rows):
                self.progress(answer_count(examples.take(rows)))
            else:
                self.load([run])
                if self._needs_threshold and threshold is None:
                    threshold = self._threshold()
                    folder.remember_threshold(run, threshold)
                predictions = self._ask(rows, log, threshold or THRESHOLD)
                answered = [Answered(run, wave, rows, predictions, log.taken())]
            yield Step(answered, [run] if rows.stop == len(examples) else [])
        self.thresholds.append(threshold)

    def _ask(self, rows: range, log: "FailureLog", threshold: float) -> Predictions:
        evaluation, examples = self.evaluation, self.evaluation.examples
        if evaluation.stream:
            return ask_stream(self.model, as_sets(examples), evaluation.stream, log.record, self.progress)
        asker = WaveAsker(self.model, examples, self.loaded, log.record, threshold, evaluation.keep_going)
        return asker.wave(np.array(rows), self.progress)

    def _threshold(self) -> float:
        """The threshold of the run that is loaded."""
        train, file = self.evaluation.train, self.evaluation.source.file.name
        if not isinstance(train, SetExamples):
            raise UsageError(
                f"{file} answers with probabilities, whose threshold is chosen on train, which is not there: "
                f"generate {self.evaluation.examples.task.name} with a train split."
            )

        def fail(failed: WaveFailure) -> None:
            raise model_error(failed.failure, file, "a string of train")

        return choose_threshold(self.model, train, fail)


@dataclass
class FailureLog:
    """What becomes of failures: the end of the evaluation or, if it keeps going, lines of errors.jsonl."""

    evaluation: Evaluation
    run: int
    folder: ResultFolder
    errors: list[Record] = field(default_factory=list)

    def record(self, rows: Rows, failed: WaveFailure) -> None:
        """Raise the error, or record it if the evaluation keeps going."""
        failure, concerned = failed.failure, rows[failed.rows].tolist()
        prefix = self._prefix(concerned[0], failed.sent) if concerned else ""
        error = {
            "run": self.run,
            "rows": concerned,
            "symbol": max(failed.sent - 1, 0),
            "prefix": prefix,
            "kind": failure.kind,
            "function": failure.function,
            "message": failure.what,
            "traceback": failure.details,
        }
        if not self.evaluation.keep_going:
            self.folder.write_error(error)
            where = self._where(rows, concerned, failed, prefix)
            raise model_error(failure, self.evaluation.source.file.name, where)
        self.errors.append(error)

    def taken(self) -> list[Record]:
        """The failures since this was last asked."""
        errors, self.errors = self.errors, []
        return errors

    def _prefix(self, row: int, sent: int) -> str:
        """What had been sent of a string."""
        examples = self.evaluation.examples
        return " ".join(sent_symbols(examples, row)[:sent])

    def _where(self, rows: Rows, concerned: list[int], failed: WaveFailure, prefix: str) -> str:
        run = f"run {self.run}, " if self.evaluation.source.runs > 1 else ""
        split = f"{run}{self.evaluation.examples.split}"
        if failed.failure.streams is None:
            sent = "1 symbol" if failed.sent == 1 else f"{failed.sent} symbols"
            return f"{split} rows {rows[0]}-{rows[-1]}, after {sent}"
        return f"{split} row {concerned[0]}, after {show_prefix(prefix)}"


@dataclass
class _Sorter:
    """Failures of single strings of runs that are asked together, sorted into the log of each run."""

    rows: range
    logs: Sequence[FailureLog]

    def sort(self, failed: WaveFailure) -> None:
        """Raises the failure if it ends the evaluation, or is of more than single strings."""
        if failed.failure.streams is None or not self.logs[0].evaluation.keep_going:
            raise failed.failure
        run = failed.rows[0] // len(self.rows)
        own = [row - run * len(self.rows) for row in failed.rows]
        self.logs[run].record(np.array(self.rows), replace(failed, rows=own))
