"""An entry: a training and its evaluation, both of which go on where they were stopped and are not done again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from marnn_bench.asking.process import ModelProcess
from marnn_bench.baselines.engines import Engine
from marnn_bench.evaluation.answering import Evaluation
from marnn_bench.evaluation.evaluator import evaluate
from marnn_bench.evaluation.results import Policy, ResultFolder
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.leaderboard.reproduce.tables import Entry
from marnn_bench.processes.limits import Limits
from marnn_bench.store.read import read_split, read_train
from marnn_bench.streams import default_reset
from marnn_bench.tasks.registry import find_task

TRAINING: Final = "training"
"""The folder of an entry's training; beside it is that of its result, called like the split."""


@dataclass(frozen=True)
class Options:
    """What all entries have in common.

    runs, seed:  trainings of each, and what their initial parameters are drawn from
    epochs:      instead of the recipes'
    rows:        train on the first so many only
    engine:      what executes the trainings
    threads:     of the engine, for each of the entries that are trained at a time; nothing depends on it
    overwrite:   do what is there again
    stream:      ask strings one behind the other
    """

    runs: int
    seed: int = 0
    epochs: int | None = None
    rows: int | None = None
    device: str = "cpu"
    engine: Engine = "auto"
    threads: int = 1
    overwrite: bool = False
    stream: bool = False


def result_folder(entry: Entry, out: Path) -> Path:
    """Where the result of an entry is, below the folder of all."""
    return out / entry.place / find_task(entry.task).default_split


def train_and_evaluate(
    entry: Entry, out: Path, data: Path, options: Options, command: list[str]
) -> dict[str, Any]:
    """Fill the folders of an entry with what they lack: the content of its training.json.

    UsageError if they hold what other options gave, unless that is to be overwritten.
    """
    folder = out / entry.place / TRAINING
    training = _train(entry, folder, data, options)
    _evaluate(entry, folder, result_folder(entry, out), data, options, command)
    return training


def _train(entry: Entry, folder: Path, data: Path, options: Options) -> dict[str, Any]:
    """The content of its training.json."""
    from marnn_bench.baselines.models.registry import find_baseline
    from marnn_bench.baselines.training.experiment import Experiment

    of_paper = Experiment.from_paper(
        find_baseline(entry.model), find_task(entry.task), options.runs, options.seed
    )
    experiment = of_paper.with_overrides(
        epochs=entry.epochs or options.epochs,
        learning_rate=entry.learning_rate,
        device=options.device,
        engine=options.engine,
        threads=options.threads,
    )
    return experiment.train_into(folder, data, options.rows, options.overwrite)


def _evaluate(entry: Entry, model: Path, out: Path, data: Path, options: Options, command: list[str]) -> None:
    task = find_task(entry.task)
    source, limits = ModelSource.find(model), Limits()
    examples, train = read_split(data, task, task.default_split), read_train(data, task)
    reset = default_reset(task) if options.stream else None
    evaluation = Evaluation(source, examples, train, limits, stream=reset)
    other: Policy = "replace" if options.overwrite else "refuse"
    folder = ResultFolder(out, evaluation.key(), other, source.changed_files)
    if folder.state() == "complete" and not options.overwrite:
        return
    with ModelProcess(source.file, limits) as process:
        evaluate(process, evaluation, folder, command=command)
