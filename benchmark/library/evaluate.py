"""marnn_bench.evaluate"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from marnn_bench.commands.report import report
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.failures import model_error, show_prefix
from marnn_bench.evaluation.local_model import LocalModel
from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.evaluation.protocol import Failure, ModelTask
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.evaluation.waves import Model, WaveFailure, run_wave, waves_of
from marnn_bench.examples import Examples
from marnn_bench.generators.language import Masks
from marnn_bench.scoring.metrics import Correctness, Record
from marnn_bench.scoring.runs import score_runs
from marnn_bench.store.cache import cached_data
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_split
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What a model answered on a split, and how right that is. Printed, it is the table that `eval` prints.

    record:     the scores, as in result.json
    examples:   what was asked
    predicted:  [runs][symbols]  the sets that were answered, as masks over `examples.task.columns`
    """

    record: Record
    examples: Examples
    predicted: tuple[Masks, ...]

    @property
    def accuracy(self) -> float:
        """The share of strings with every answer right; of several runs, the median."""
        return float(self.record["summary"]["sequence_accuracy"]["median"])

    @property
    def position_accuracy(self) -> float:
        """The share of right answers; of several runs, the median."""
        return float(self.record["summary"]["position_accuracy"]["median"])

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
        if not 0 <= run < len(self.predicted):
            raise IndexError(f"There are {len(self.predicted)} runs, counted from 0, none at {run}.")
        masks = self.predicted[run]
        correctness = Correctness.of(self.examples.strings, self.examples.answers, masks)
        return {
            "predicted": self.examples.sets(masks),
            "correct": correctness.correct.tolist(),
            "first_error": correctness.first_error.tolist(),
        }


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

    Raises ModelError at the first answer that means nothing, with the model's traceback as a note; UsageError for a
    task that cannot be scored yet.

    >>> result = evaluate(lambda prefix: {"("} if prefix.count("(") == prefix.count(")") else {"(", ")"}, "dyck1", rows=100)
    >>> result.accuracy
    1.0
    """
    task = find_task(task)
    task.require_sets()
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
            answers.append(_answers(asked, examples, entry))
        seconds = time.perf_counter() - started
    about = {"name": name or entry, "interface": loaded.interface}
    record = {"wall_s": round(seconds, 3), "model": about, **score_runs(examples, train, answers)}
    return Result(record, examples, tuple(answers))


def _read(task: Task, split: str, data: str | Path | None) -> tuple[Examples, Examples | None]:
    """The split, and train, if it is there."""
    folder = cached_data(task) if data is None else Path(data)
    examples = read_split(folder, task, split)
    kept = read_manifest(folder)["tasks"][task.name]["splits"]
    return examples, read_split(folder, task, "train") if "train" in kept else None


@contextmanager
def _opened(model: object, runs: int) -> Iterator[tuple[Model, str, int]]:
    """The model to ask, what it is called, and how many runs of it there are."""
    if isinstance(model, str | Path):
        source = ModelSource.find(Path(model), runs if runs > 1 else None)
        with ModelProcess(source.file, Limits()) as process:
            yield process, source.name, source.runs
    else:
        yield LocalModel(model), str(getattr(model, "__name__", type(model).__name__)).strip("<>"), runs


def _answers(model: Model, examples: Examples, name: str) -> Masks:
    """What a model answers after every symbol: [symbols]."""

    def stop(failed: WaveFailure) -> None:
        text = (
            asked.strings.take(failed.rows[:1]).texts(examples.task.language.alphabet)[0]
            if failed.rows
            else ""
        )
        prefix = show_prefix(" ".join(text.split()[: failed.sent]))
        raise _error(failed.failure, name, f"prefix {prefix}" if text else "")

    waves = []
    for rows in waves_of(len(examples)):
        asked = examples.take(np.array(rows))
        waves.append(run_wave(model, asked.strings, stop))
    return np.concatenate(waves)


def _error(failure: Failure, name: str, where: str) -> Exception:
    error = model_error(failure, name, where)
    if failure.details:
        error.add_note(failure.details)
    return error
