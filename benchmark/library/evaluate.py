"""marnn_bench.evaluate"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from marnn_bench.asking.answers import THRESHOLD
from marnn_bench.asking.ask import Rows, WaveAsker
from marnn_bench.asking.failures import model_error, show_prefix
from marnn_bench.asking.local_model import LocalModel
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import Failure, Loaded, ModelTask
from marnn_bench.asking.scripts import sent_symbols
from marnn_bench.asking.thresholds import choose_threshold
from marnn_bench.asking.waves import Model, WaveFailure, waves_of
from marnn_bench.commands.report import report
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.examples import Examples, SetExamples
from marnn_bench.processes.limits import Limits
from marnn_bench.scoring.metrics import Record
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.runs import score_runs, scorer_of
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split, read_train
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What a model answered on a split, and how right that is. Printed, it is the table that `eval` prints.

    record:       the scores, as in result.json
    examples:     what was asked
    predictions:  [runs]  what was answered, string after string
    """

    record: Record
    examples: Examples
    predictions: tuple[Predictions, ...]

    @property
    def accuracy(self) -> float:
        """The task's headline; of several runs, the median."""
        return self.metric(self.examples.task.headline)

    @property
    def position_accuracy(self) -> float:
        """The share of right answers, in tasks that ask after every symbol; of several runs, the median."""
        return self.metric("position_accuracy")

    def metric(self, name: str) -> float:
        """A metric by name, such as "fine_accuracy"; of several runs, the median. NaN if a run has no finite value."""
        spreads = self.record["summary"]["metrics"]
        if name not in spreads:
            raise UsageError(f"{self.examples.task.name} has no {name}; it has {', '.join(spreads)}.")
        median = spreads[name]["median"]
        return float("nan") if median is None else float(median)

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, row: int) -> dict[str, Any]:
        """A string with its right answers, those of the first run, and the place of the first wrong one."""
        return self.examples[row] | {name: values[row] for name, values in self._answers(0).items()}

    def __repr__(self) -> str:
        return report(self.record)

    def to_pandas(self, run: int = 0) -> "pd.DataFrame":
        """A row for each string: the columns of `Examples.to_pandas`, and those of one run. Needs pandas."""
        return self.examples.to_pandas().assign(**self._answers(run))

    def _answers(self, run: int) -> dict[str, list[Any]]:
        if not 0 <= run < len(self.predictions):
            raise IndexError(f"There are {len(self.predictions)} runs, counted from 0, none at {run}.")
        predictions = self.predictions[run]
        correctness = scorer_of(self.examples).correctness(predictions)
        return {
            "predicted": self._spelt(predictions),
            "correct": correctness.correct.tolist(),
            "first_error": correctness.first_error.tolist(),
        }

    def _spelt(self, predictions: Predictions) -> list[Any]:
        """What was answered, as it is printed: sets, symbols or numbers."""
        columns, answer = self.examples.task.columns, self.examples.task.view.answer
        if isinstance(self.examples, SetExamples) and answer != "choices":
            return self.examples.sets(predictions.predicted)
        values = predictions.predicted.tolist()
        if answer == "choices":
            values = [columns[column] if column >= 0 else "tie" for column in values]
        lists = [values[a:b] for a, b in pairwise(predictions.offsets.tolist())]
        return [one for (one,) in lists] if answer == "membership" else lists


def evaluate(
    model: object,
    task: Task | str,
    split: str | None = None,
    *,
    rows: int | None = None,
    data: str | Path | None = None,
    runs: int = 1,
    name: str | None = None,
) -> Result:
    """Evaluate a model on a split of a task.

    model:  a function `predict(prefix)`, an object with `predict`, `predict_batch` or `reset` and `step`, both asked in
            this process; or the path of a model file or of a folder that `train` wrote, asked in one of its own
    split:  by default `task.default_split`
    rows:   the first so many; by default all
    data:   a folder that `generate` wrote; by default the task's own data, generated on first use
    runs:   how many runs of a model with `load(task)` are asked, as `task.run`

    Raises ModelError at the first answer that means nothing, with the model's traceback as a note.

    >>> result = evaluate(lambda prefix: {"("} if prefix.count("(") == prefix.count(")") else {"(", ")"}, "dyck1", rows=100)
    >>> result.accuracy
    1.0
    """
    task = find_task(task)
    if runs < 1:
        raise UsageError(f"A model is asked for at least one run, not {runs}.")
    examples, train = _read(task, split or task.default_split, data)
    if rows is not None:
        if not (isinstance(rows, int) and 1 <= rows <= len(examples)):
            raise UsageError(f"{task.name} {examples.split} has {len(examples):,} rows here, not {rows!r}.")
        examples = examples.take(range(rows))
    with _opened(model, runs) as (asked, entry, trainings):
        started = time.perf_counter()
        answers = []
        for run in range(trainings):
            try:
                loaded = asked.load(ModelTask.of(task, run))
            except Failure as failure:
                raise _error(failure, entry, "") from None
            answers.append(_answers(asked, loaded, examples, train, entry))
        seconds = time.perf_counter() - started
    about = {"name": name or entry, "interface": loaded.interface}
    record = {"wall_s": round(seconds, 3), "model": about, **score_runs(examples, train, answers)}
    return Result(record, examples, tuple(answers))


def _read(task: Task, split: str, data: str | Path | None) -> tuple[Examples, Examples | None]:
    """The split, and train, if it is there."""
    folder = cached_data(task) if data is None else Path(data)
    return read_split(folder, task, split), read_train(folder, task)


@contextmanager
def _opened(model: object, runs: int) -> Iterator[tuple[Model, str, int]]:
    """The model to ask, what it is called, and how many runs of it there are."""
    if isinstance(model, str | Path):
        source = ModelSource.find(Path(model), runs if runs > 1 else None)
        with ModelProcess(source.file, Limits()) as process:
            yield process, source.name, source.runs
    else:
        yield LocalModel(model), str(getattr(model, "__name__", type(model).__name__)).strip("<>"), runs


def _answers(
    model: Model, loaded: Loaded, examples: Examples, train: Examples | None, name: str
) -> Predictions:
    """What a run of a model answers."""

    def stop(asked: Examples, rows: Rows, failed: WaveFailure) -> None:
        row = int(rows[failed.rows[0]]) if failed.rows else 0
        prefix = show_prefix(" ".join(sent_symbols(asked, row)[: failed.sent]))
        raise _error(failed.failure, name, f"prefix {prefix}" if failed.rows else "")

    threshold = THRESHOLD
    if loaded.answer == "distributions" and isinstance(examples, SetExamples):
        if not isinstance(train, SetExamples):
            raise UsageError(
                f"{name} answers with probabilities, whose threshold is chosen on train, which is not there."
            )
        threshold = choose_threshold(model, train, partial(stop, train, np.arange(len(train))))
    asker = WaveAsker(model, examples, loaded, partial(stop, examples), threshold)
    return Predictions.concatenate([asker.wave(np.array(rows)) for rows in waves_of(len(examples))])


def _error(failure: Failure, name: str, where: str) -> Exception:
    error = model_error(failure, name, where)
    if failure.details:
        error.add_note(failure.details)
    return error
