"""Suites: names that stand for several tasks wherever the name of a task does.

A paper (`suzgun2019`), a class of languages (`counter`, `deterministic-context-free`), a view (`next-symbol`), or `core`.
"""

from collections.abc import Iterable

from marnn_bench.task import Task

CORE = (
    "tomita5",
    "shuffle2",
    "anbncn",
    "unary-addition-recognition",
    "dyck2",
    "hom-palindrome",
    "string-reversal",
    "sequence-reversal",
    "dyck2-recognition",
    "palindrome-recognition",
    "binary-addition",
    "svo-sov",
)
"""A dozen tasks over all classes and views, minutes to run: the benchmark's headline."""


def suites(tasks: Iterable[Task]) -> dict[str, tuple[Task, ...]]:
    """Every suite of these tasks by name.

    >>> from marnn_bench.tasks.registry import builtin_tasks
    >>> [task.name for task in suites(builtin_tasks().values())["synchronous"]]
    ['string-reversal']
    """
    tasks = tuple(tasks)
    found = {"core": tuple(task for name in CORE for task in tasks if task.name == name)}
    for task in tasks:
        for name in (task.paper.partition(",")[0], slug(task.language_class), task.view.name):
            found[name] = (*found.get(name, ()), task)
    return found


def slug(language_class: str) -> str:
    """The name of a class of languages as a suite: `context-free`, not `context free`."""
    return language_class.replace(" ", "-")
