"""Examples of every view made of given or drawn strings, to be scored."""

import numpy as np

from marnn_bench.examples import SetExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task

DYCK1, DYCK2 = find_task("dyck1"), find_task("dyck2")


def examples_of(task: Task, texts: list[str]) -> SetExamples:
    """These strings with their right answers."""
    strings = Strings.from_texts(task.language.alphabet, texts)
    return SetExamples(task, "test", strings, task.view.answers(task.language, strings), "d" * 64)


def drawn(task: Task, split: str, rows: int) -> SetExamples:
    """The first draws of a split."""
    law, window = task.law(split), task.split(split).window
    strings = law.draw(window, task.key(split), np.arange(rows, dtype=np.uint64))
    return SetExamples(task, split, strings, task.view.answers(task.language, strings), "d" * 64)
