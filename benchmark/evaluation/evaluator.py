"""The evaluation of a model on a split: wave after wave, run after run, then the result."""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np

from marnn_bench import __version__
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.failures import model_error, show_prefix
from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.evaluation.protocol import Failure, Loaded, ModelTask
from marnn_bench.evaluation.provenance import harness
from marnn_bench.evaluation.results import Part, ResultFolder
from marnn_bench.evaluation.source import ModelSource, file_digest
from marnn_bench.evaluation.waves import MAX_COLUMNS, WAVE_ROWS, Progress, WaveFailure, run_wave, waves_of
from marnn_bench.examples import Examples
from marnn_bench.scoring.metrics import Record
from marnn_bench.scoring.runs import score_runs

SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Evaluation:
    """What is evaluated, and how.

    examples:    the split that is asked
    train:       what trivial answers are fitted on, if there is such a split
    keep_going:  count rows that fail as wrong, instead of stopping
    """

    source: ModelSource
    examples: Examples
    train: Examples | None
    limits: Limits = field(default_factory=Limits)
    keep_going: bool = False

    def __post_init__(self) -> None:
        task = self.examples.task
        if len(task.columns) > MAX_COLUMNS:
            raise UsageError(
                f"{task.name} asks for {len(task.columns)} columns; at most {MAX_COLUMNS} can be evaluated."
            )

    def key(self) -> str:
        """A digest of all that the answers depend on: two evaluations with the same key can share them."""
        task = self.examples.task
        about = {
            "harness": __version__,
            "model": [self.source.file.name, self.source.folder_sha256, self.source.runs],
            "task": [task.name, task.version, self.examples.split, self.examples.digest],
            "wave_rows": WAVE_ROWS,
            # Without --keep-going no answer survives a limit, so that the limits change none.
            "keep_going": self.keep_going and [self.limits.wave_seconds, self.limits.memory],
        }
        if self.source.renamed:
            about["name"] = self.source.name
        return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


def evaluate(
    model: ModelProcess,
    evaluation: Evaluation,
    folder: ResultFolder,
    *,
    command: Sequence[str] = (),
    progress: Progress = lambda symbols: None,
) -> Record:
    """Answer what is missing in the folder, and complete the result in it.

    Raises ModelError or LimitError at the first failure of the model, if the evaluation does not keep going.
    """
    started = time.perf_counter()
    loaded = _load(model, evaluation, 0)
    folder.begin()
    for run in range(evaluation.source.runs):
        _answer_run(model, evaluation, run, folder, progress)
    folder.join(range(evaluation.source.runs))
    result = _result(evaluation, loaded, folder)
    about = {
        "schema_version": SCHEMA_VERSION,
        "created_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "command": list(command),
        "wall_s": round(time.perf_counter() - started, 3),
        "harness": harness(loaded.packages),
    }
    return folder.commit({**about, **result})


def _load(model: ModelProcess, evaluation: Evaluation, run: int) -> Loaded:
    source = evaluation.source
    try:
        loaded = model.load(ModelTask.of(evaluation.examples.task, run))
    except Failure as failure:
        where = f"run {run}" if source.runs > 1 and failure.function == "load" else ""
        raise model_error(failure, source.file.name, where) from None
    if source.runs > 1 and not loaded.loads:
        raise UsageError(
            f"{source.file.name} has no load(task), so that all its runs would be the same; leave --runs out."
        )
    return loaded


def _answer_run(
    model: ModelProcess, evaluation: Evaluation, run: int, folder: ResultFolder, progress: Progress
) -> None:
    examples, loaded = evaluation.examples, run == 0
    for wave, rows in enumerate(waves_of(len(examples))):
        asked = examples.take(np.array(rows))
        if folder.has(run, wave):
            progress(len(asked.strings.ids))
            continue
        if not loaded:
            _load(model, evaluation, run)
            loaded = True
        log = _FailureLog(evaluation, run, rows, folder)
        predicted = run_wave(model, asked.strings, log.record, progress)
        folder.write(Part(run, wave, rows, asked.strings, asked.answers, predicted, log.errors))


@dataclass(frozen=True)
class _FailureLog:
    """What becomes of the failures in a wave: the end of the evaluation or, if it keeps going, lines of errors.jsonl."""

    evaluation: Evaluation
    run: int
    rows: range
    folder: ResultFolder
    errors: list[Record] = field(default_factory=list)

    def record(self, failed: WaveFailure) -> None:
        """Raise the error, or record it if the evaluation keeps going."""
        failure = failed.failure
        error = {
            "run": self.run,
            "rows": [self.rows[row] for row in failed.rows],
            "symbol": max(failed.sent - 1, 0),
            "prefix": self._prefix(failed),
            "kind": failure.kind,
            "function": failure.function,
            "message": failure.what,
            "traceback": failure.details,
        }
        if not self.evaluation.keep_going:
            self.folder.write_errors(error)
            raise model_error(failure, self.evaluation.source.file.name, self._where(failed))
        self.errors.append(error)

    def _prefix(self, failed: WaveFailure) -> str:
        """What had been sent of the first string concerned."""
        examples = self.evaluation.examples
        if not failed.rows:
            return ""
        ids = examples.strings[self.rows[failed.rows[0]]][: failed.sent]
        return " ".join(examples.task.language.alphabet.symbols[i] for i in ids)

    def _where(self, failed: WaveFailure) -> str:
        run = f"run {self.run}, " if self.evaluation.source.runs > 1 else ""
        split = f"{run}{self.evaluation.examples.split}"
        if failed.failure.streams is None:
            sent = "1 symbol" if failed.sent == 1 else f"{failed.sent} symbols"
            return f"{split} rows {self.rows[0]}-{self.rows[-1]}, after {sent}"
        return f"{split} row {self.rows[failed.rows[0]]}, after {show_prefix(self._prefix(failed))}"


def _result(evaluation: Evaluation, loaded: Loaded, folder: ResultFolder) -> Record:
    source = evaluation.source
    predicted = (folder.predicted(run) for run in range(source.runs))
    scores = score_runs(evaluation.examples, evaluation.train, predicted)
    model = {
        "name": source.name,
        "interface": loaded.interface,
        "file": str(source.file),
        "sha256": file_digest(source.file),
        "folder_sha256": source.folder_sha256,
        "training": source.training,
    }
    protocol = {
        "wave_rows": WAVE_ROWS,
        "keep_going": evaluation.keep_going,
        "limits": evaluation.limits.states(),
    }
    return {"task": scores.pop("task"), "model": model, "protocol": protocol, **scores}
