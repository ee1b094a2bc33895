"""An entry: a training and its evaluation, both of which go on where they were stopped and are not done again."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from marnn_bench.asking.process import ModelProcess
from marnn_bench.baselines.engines import Engine
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.answering import Evaluation
from marnn_bench.evaluation.evaluator import evaluate
from marnn_bench.evaluation.results import Policy, ResultFolder
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.leaderboard.reproduce.reproduction import Entry, Reproduction
from marnn_bench.processes.limits import Limits
from marnn_bench.store.read import read_split, read_train
from marnn_bench.streams import default_reset
from marnn_bench.tasks.registry import find_task

if TYPE_CHECKING:
    from marnn_bench.baselines.training.experiment import Experiment

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
    """

    runs: int
    seed: int = 0
    epochs: int | None = None
    rows: int | None = None
    device: str = "cpu"
    engine: Engine = "auto"
    threads: int = 1
    overwrite: bool = False


def experiment_of(reproduction: Reproduction, entry: Entry, options: Options) -> "Experiment":
    """The training of an entry."""
    from marnn_bench.baselines.training.experiment import Experiment

    baseline, task = find_baseline(entry.model), find_task(entry.task)
    experiment = Experiment.from_paper(baseline, task, options.runs, options.seed)
    for change in reproduction.changes_of(entry):
        sizes = {name: size for name, size in change.sizes.items() if name in experiment.sizes.as_json()}
        experiment = replace(
            experiment,
            sizes=replace(experiment.sizes, **sizes),
            recipe=replace(experiment.recipe, **change.recipe),
        )
    return experiment.with_overrides(
        epochs=options.epochs or entry.epochs,
        learning_rate=entry.learning_rate,
        device=options.device,
        engine=options.engine,
        threads=options.threads,
    )


def fits(experiment: "Experiment") -> bool:
    """Whether the model can learn the task."""
    try:
        experiment.require_fit()
    except UsageError:
        return False
    return True


def train_and_evaluate(
    experiment: "Experiment",
    splits: Sequence[str],
    out: Path,
    data: Path,
    options: Options,
    command: list[str],
) -> dict[str, Any]:
    """Fill the folders of an entry with what they lack, of results one for each split: the content of its training.json.

    A model that learned from a stream is asked as one.

    UsageError if they hold what other options gave, unless that is to be overwritten.
    """
    model = out / TRAINING
    training = experiment.train_into(model, data, options.rows, options.overwrite)
    task, source, limits = experiment.task, ModelSource.find(model), Limits()
    reset = default_reset(task) if experiment.recipe.stream else None
    for split in splits:
        examples, train = read_split(data, task, split), read_train(data, task)
        evaluation = Evaluation(source, examples, train, limits, stream=reset)
        other: Policy = "replace" if options.overwrite else "refuse"
        folder = ResultFolder(out / split, evaluation.key(), other, source.changed_files)
        if folder.state() != "complete" or options.overwrite:
            with ModelProcess(source.file, limits) as process:
                evaluate(process, evaluation, folder, command=command)
    return training
