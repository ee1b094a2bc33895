"""The evaluation of a model on a split: wave after wave, run after run, then the result."""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime

import numpy as np

from marnn_bench import __version__
from marnn_bench.asking.answers import THRESHOLD
from marnn_bench.asking.ask import Rows, WaveAsker, ask_stream
from marnn_bench.asking.failures import model_error, show_prefix
from marnn_bench.asking.interfaces import Progress, ignore
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import Failure, Loaded, ModelTask
from marnn_bench.asking.scripts import answer_count, sent_symbols
from marnn_bench.asking.thresholds import choose_threshold
from marnn_bench.asking.waves import WAVE_ROWS, WaveFailure, waves_of
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.audits import Audit
from marnn_bench.evaluation.provenance import harness
from marnn_bench.evaluation.records import SCHEMA_VERSION
from marnn_bench.evaluation.results import Part, ResultFolder
from marnn_bench.evaluation.samples import read_predictions, samples_table
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.examples import Examples, SetExamples, as_sets
from marnn_bench.processes.limits import Limits
from marnn_bench.processes.opened_files import Digests
from marnn_bench.scoring.metrics import Record
from marnn_bench.scoring.runs import score_runs, scorer_of
from marnn_bench.visible import visible


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


def evaluate(
    model: ModelProcess,
    evaluation: Evaluation,
    folder: ResultFolder,
    *,
    command: Sequence[str] = (),
    progress: Progress = ignore,
) -> Record:
    """Answer what is missing in the folder, and complete the result in it.

    Raises ModelError or LimitError at the first failure of the model, if the evaluation does not keep going; UsageError
    if another process writes the folder.
    """
    started = time.perf_counter()
    loaded = _load(model, evaluation, 0)
    runs, examples = range(evaluation.source.runs), evaluation.examples
    with folder.writing():
        folder.remember_files(_files(model, evaluation))
        thresholds = [_answer_run(model, evaluation, loaded, run, folder, progress) for run in runs]
        folder.join(runs, evaluation.waves(), _about(examples))
        audit = _audit(model, evaluation, loaded, folder, thresholds)
        folder.remember_files(_files(model, evaluation))
        result = _result(evaluation, loaded, folder, thresholds)
        about = {
            "schema_version": SCHEMA_VERSION,
            "created_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "command": list(command),
            "wall_s": round(time.perf_counter() - started, 3),
            "harness": harness(loaded.packages),
        }
        return folder.commit({**about, **result, "audit": audit})


def _files(model: ModelProcess, evaluation: Evaluation) -> Digests:
    """The files that the model's process has opened so far. UsageError if one has changed since it started."""
    if changed := model.opened.changed():
        listed, name = visible(", ".join(changed)), evaluation.source.file.name
        raise UsageError(
            f"{name}: {listed} changed while it was evaluated. Evaluate it again; what it writes belongs elsewhere."
        )
    return model.opened.digests


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
    if evaluation.stream and loaded.interface != "step":
        raise UsageError(
            f"{source.file.name} is asked by {loaded.interface}; a stream needs reset(n) and step(ids), which go on from "
            "symbol to symbol."
        )
    return loaded


def _answer_run(
    model: ModelProcess,
    evaluation: Evaluation,
    loaded: Loaded,
    run: int,
    folder: ResultFolder,
    progress: Progress,
) -> float | None:
    """Answer the waves of a run that are missing; the threshold that was chosen for it, if its scores need one."""
    examples, present = evaluation.examples, run == 0
    log = _FailureLog(evaluation, run, folder)
    needs_threshold = loaded.answer == "distributions" and isinstance(examples, SetExamples)
    threshold = folder.threshold(run)
    for wave, rows in enumerate(evaluation.waves()):
        asked = examples.take(rows)
        if folder.has(run, wave, rows):
            progress(answer_count(asked))
            continue
        if not present:
            _load(model, evaluation, run)
            present = True
        if needs_threshold and threshold is None:
            threshold = _threshold(model, evaluation)
            folder.remember_threshold(run, threshold)
        if evaluation.stream:
            predictions = ask_stream(model, as_sets(examples), evaluation.stream, log.record, progress)
        else:
            asker = WaveAsker(
                model, examples, loaded, log.record, threshold or THRESHOLD, evaluation.keep_going
            )
            predictions = asker.wave(np.array(rows), progress)
        correctness = scorer_of(asked).correctness(predictions)
        table = samples_table(predictions, correctness, len(examples.task.columns))
        folder.remember_files(_files(model, evaluation))
        folder.write(Part(run, wave, rows, table, log.taken()))
    return threshold


def _threshold(model: ModelProcess, evaluation: Evaluation) -> float:
    """The threshold of the run that is loaded."""
    train, file = evaluation.train, evaluation.source.file.name
    if not isinstance(train, SetExamples):
        raise UsageError(
            f"{file} answers with probabilities, whose threshold is chosen on train, which is not there: "
            f"generate {evaluation.examples.task.name} with a train split."
        )

    def fail(failed: WaveFailure) -> None:
        raise model_error(failed.failure, file, "a string of train")

    return choose_threshold(model, train, fail)


def _audit(
    model: ModelProcess,
    evaluation: Evaluation,
    loaded: Loaded,
    folder: ResultFolder,
    thresholds: Sequence[float | None],
) -> Record:
    """What asking the first run again comes to."""
    if not evaluation.audit or evaluation.stream:
        return {"done": False, "checks": []}
    if evaluation.source.runs > 1:
        _load(model, evaluation, 0)
    predictions = read_predictions(folder.table(0))
    audit = Audit(model, loaded, evaluation.examples, predictions, thresholds[0] or THRESHOLD)
    return {"done": True, "checks": [asdict(check) for check in audit.checks()]}


@dataclass
class _FailureLog:
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


def _about(examples: Examples) -> Record:
    """What samples.parquet says of itself."""
    task = examples.task
    return {
        "task": task.name,
        "version": task.version,
        "split": examples.split,
        "digest": examples.digest,
        "columns": list(task.columns),
    }


def _result(
    evaluation: Evaluation, loaded: Loaded, folder: ResultFolder, thresholds: Sequence[float | None]
) -> Record:
    source = evaluation.source
    predictions = (read_predictions(folder.table(run)) for run in range(source.runs))
    scores = score_runs(evaluation.examples, evaluation.train, predictions)
    files = folder.files()
    model = {
        "name": source.name,
        "interface": loaded.interface,
        "file": str(source.file),
        "sha256": files[source.file.name],
        "files": files,
        "training": source.training,
    }
    protocol = {
        "wave_rows": WAVE_ROWS,
        "stream": evaluation.stream,
        "keep_going": evaluation.keep_going,
        "thresholds": None if None in thresholds else list(thresholds),
        "limits": evaluation.limits.states(),
    }
    return {"task": scores.pop("task"), "model": model, "protocol": protocol, **scores}
