"""The evaluation of a model on a split: what it answers is kept and scored while it is asked on, then the result."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final, TypeVarTuple

from marnn_bench.asking.answers import THRESHOLD
from marnn_bench.asking.interfaces import Progress, ignore
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.waves import WAVE_ROWS
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.answering import Answered, Asker, Evaluation, Step
from marnn_bench.evaluation.audits import Audit
from marnn_bench.evaluation.provenance import harness
from marnn_bench.evaluation.records import SCHEMA_VERSION
from marnn_bench.evaluation.results import Part, ResultFolder
from marnn_bench.evaluation.samples import read_predictions, samples_table
from marnn_bench.examples import Examples
from marnn_bench.file_digests import Digests
from marnn_bench.scoring.metrics import Record
from marnn_bench.scoring.runs import RunScores, scorer_of
from marnn_bench.visible import visible

BEHIND: Final = 4
"""So many answered waves, of all runs that are asked at once, may wait to be kept."""

Ts = TypeVarTuple("Ts")


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
    asker = Asker(model, evaluation, folder, progress)
    examples = evaluation.examples
    with folder.writing():
        folder.remember_files(_files(model, evaluation))
        scores = RunScores(examples, evaluation.train)
        with folder.joining(evaluation.waves(), _about(examples)) as join:

            def keep(step: Step, files: Digests) -> None:
                folder.remember_files(files)
                for answered in step.answered:
                    folder.write(_part(examples, answered))
                for run in step.finished:
                    scores.add(read_predictions(join(run)))

            work_behind(((step, _files(model, evaluation)) for step in asker.steps()), keep)
        audit = _audit(model, evaluation, asker, folder)
        folder.remember_files(_files(model, evaluation))
        result = _result(evaluation, asker, folder, scores.record())
        about = {
            "schema_version": SCHEMA_VERSION,
            "created_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "command": list(command),
            "wall_s": round(time.perf_counter() - started, 3),
            "harness": harness(asker.loaded.packages),
        }
        return folder.commit({**about, **result, "audit": audit})


def work_behind(items: Iterable[tuple[*Ts]], work: Callable[[*Ts], object]) -> None:
    """Do some work with each item, in order, in a thread of its own, while the next items are made in this one.

    >>> done = []
    >>> work_behind([(1, "a"), (2, "b")], lambda number, letter: done.append(letter * number))
    >>> done
    ['a', 'bb']
    """
    pending: deque[Future[object]] = deque()
    with ThreadPoolExecutor(1) as thread:
        for item in items:
            pending.append(thread.submit(work, *item))
            while len(pending) > BEHIND or (pending and pending[0].done()):
                pending.popleft().result()
        while pending:
            pending.popleft().result()


def _part(examples: Examples, answered: Answered) -> Part:
    """What is kept of answers."""
    asked, predictions = examples.take(answered.rows), answered.predictions
    correctness = scorer_of(asked).correctness(predictions)
    table = samples_table(predictions, correctness, len(examples.task.columns))
    return Part(answered.run, answered.wave, answered.rows, table, answered.errors)


def _files(model: ModelProcess, evaluation: Evaluation) -> Digests:
    """The files that the model's process has opened so far. UsageError if one has changed since it started."""
    if changed := model.opened.changed():
        listed, name = visible(", ".join(changed)), evaluation.source.file.name
        raise UsageError(
            f"{name}: {listed} changed while it was evaluated. Evaluate it again; what it writes belongs elsewhere."
        )
    return model.opened.digests


def _audit(model: ModelProcess, evaluation: Evaluation, asker: Asker, folder: ResultFolder) -> Record:
    """What asking the first run again comes to."""
    if not evaluation.audit or evaluation.stream:
        return {"done": False, "checks": []}
    asker.load([0])
    predictions, threshold = read_predictions(folder.table(0)), asker.thresholds[0] or THRESHOLD
    audit = Audit(model, asker.loaded, evaluation.examples, predictions, threshold)
    return {"done": True, "checks": [asdict(check) for check in audit.checks()]}


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


def _result(evaluation: Evaluation, asker: Asker, folder: ResultFolder, scores: Record) -> Record:
    source, loaded, thresholds = evaluation.source, asker.loaded, asker.thresholds
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
