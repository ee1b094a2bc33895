"""The rows that a model is trained on."""

from pathlib import Path

from marnn_bench.baselines.training.record import TrainingData
from marnn_bench.errors import UsageError
from marnn_bench.examples import SetExamples, as_sets
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split, split_entry
from marnn_bench.task import Task


def train_rows(
    task: Task, folder: Path | None = None, rows: int | None = None
) -> tuple[TrainingData, SetExamples]:
    """The first `rows` rows of a task's train split, by default all: where they come from, and the examples.

    Without a folder the split is generated on first use. UsageError if the folder has fewer rows, DataError if it is
    damaged.
    """
    if folder is None:
        task = task.with_splits({"train": rows}) if rows else task
        folder = cached_data(task)
    entry, examples = split_entry(folder, task, "train"), as_sets(read_split(folder, task, "train"))
    if rows:
        if rows > len(examples):
            had = f"{folder} has {len(examples):,} train rows of {task.name}"
            raise UsageError(f"{had}, not {rows:,}: ask for at most {len(examples)}.")
        examples = examples.take(range(rows))
    source = TrainingData(
        name=task.name,
        version=task.version,
        view=task.view.name,
        alphabet=tuple(task.language.alphabet),
        columns=task.columns,
        split="train",
        law=entry["law"],
        window=entry["window"],
        rows=len(examples),
        digest=entry["digest"],
    )
    return source, examples
