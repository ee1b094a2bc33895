"""Examples to train on, without files, and their strings one by one."""

import numpy as np

from marnn_bench.baselines.lessons import lessons_of
from marnn_bench.baselines.training.batches import TrainingBatch, training_batches
from marnn_bench.examples import Examples, SetExamples
from marnn_bench.tasks.registry import find_task


def first_rows(task_name: str, rows: int) -> SetExamples:
    """The first draws of a task's train split, repetitions included."""
    task = find_task(task_name)
    draws = np.arange(rows, dtype=np.uint64)
    strings = task.law("train").draw(task.split("train").window, task.key("train"), draws)
    return SetExamples(task, "train", strings, task.view.answers(task.language, strings), "drawn by hand")


def one_by_one(examples: Examples) -> list[TrainingBatch]:
    """What is learned from each string."""
    return [*training_batches(lessons_of(examples), len(examples.task.columns), 1)]
