"""The strings that a model is trained on: rows of files, or draws of an endless split."""

from pathlib import Path
from typing import Final

from marnn_bench.baselines.course import Course, exam_of, finite_course, fresh_course
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.training.record import TrainingData
from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples
from marnn_bench.store.cache import cached_data
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_split, split_entry
from marnn_bench.task import Task
from marnn_bench.views import Recognition

DRAWN: Final = "drawn"
"""In place of the digest of strings that are drawn while they are learned from."""


def training_course(
    task: Task, recipe: Recipe, folder: Path | None = None, rows: int | None = None
) -> tuple[TrainingData, Course]:
    """What a recipe trains on: the first `rows` rows of the train split or, of an endless one, so many new ones in every epoch.

    An endless split is drawn unless the folder has rows of it. In recognition, whose rows are not drawn one by one, they are
    the same in every epoch.
    """
    exam = exam_of(_tests(task, folder)) if recipe.selection == "test accuracy" else None
    endless = task.split("train").rows == "fresh" and not _has_train(folder, task)
    if not endless or isinstance(task.view, Recognition):
        source, examples = train_rows(task, folder, rows or (recipe.fresh_rows if endless else None))
        return source, finite_course(examples, recipe, exam)
    rows = rows or recipe.fresh_rows
    source = _source(task, task.law("train").spec, str(task.split("train").window), rows, DRAWN)
    return source, fresh_course(task, recipe, rows, exam)


def _has_train(folder: Path | None, task: Task) -> bool:
    return folder is not None and "train" in read_manifest(folder)["tasks"].get(task.name, {}).get(
        "splits", ()
    )


def _tests(task: Task, folder: Path | None) -> list[Examples]:
    """The test splits."""
    folder = folder or cached_data(task)
    return [read_split(folder, task, name) for name in task.splits if name.startswith("test")]


def stream_source(task: Task, strings: int) -> TrainingData:
    """What a training on a stream learns from, so many strings an epoch; they are drawn, and have no digest."""
    window = str(task.split("train").window)
    return _source(task, task.law("train").spec, window, strings, digest="")


def train_rows(
    task: Task, folder: Path | None = None, rows: int | None = None
) -> tuple[TrainingData, Examples]:
    """The first `rows` rows of a task's train split, by default all: where they come from, and the examples.

    Without a folder the split is generated on first use. UsageError if the folder has fewer rows, DataError if it is
    damaged.
    """
    if folder is None:
        task = task.with_splits({"train": rows}) if rows else task
        folder = cached_data(task)
    entry, examples = split_entry(folder, task, "train"), read_split(folder, task, "train")
    if rows:
        if rows > len(examples):
            had = f"{folder} has {len(examples):,} train rows of {task.name}"
            raise UsageError(f"{had}, not {rows:,}: ask for at most {len(examples)}.")
        examples = examples.take(range(rows))
    return _source(task, entry["law"], entry["window"], len(examples), entry["digest"]), examples


def _source(task: Task, law: str, window: str, rows: int, digest: str) -> TrainingData:
    return TrainingData(
        name=task.name,
        version=task.version,
        view=task.view.name,
        alphabet=tuple(task.language.alphabet),
        columns=task.columns,
        split="train",
        law=law,
        window=window,
        rows=rows,
        digest=digest,
    )
