"""Examples to train on, without files."""

import numpy as np

from marnn_bench.examples import SetExamples
from marnn_bench.tasks.registry import find_task


def first_rows(task_name: str, rows: int) -> SetExamples:
    """The first draws of a task's train split, repetitions included."""
    task = find_task(task_name)
    draws = np.arange(rows, dtype=np.uint64)
    strings = task.law("train").draw(task.split("train").window, task.key("train"), draws)
    return SetExamples(task, "train", strings, task.view.answers(task.language, strings), "drawn by hand")
