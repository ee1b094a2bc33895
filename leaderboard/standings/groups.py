"""Which tasks are averaged: the whole core suite, those of a class of languages or of a view, and each by itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from marnn_bench.task import LANGUAGE_CLASSES, Task
from marnn_bench.tasks.registry import find_tasks

Kind = Literal["overall", "class", "view", "task"]

KINDS: Final[tuple[Kind, ...]] = ("overall", "class", "view", "task")

SUITE: Final = "core"
"""What is ranked; `groups` takes any other suite or list of tasks, too."""

CHOSEN: Final = "chosen"
"""The name of tasks that are no suite."""


@dataclass(frozen=True)
class Group:
    """Tasks whose scores are averaged; each is asked on its default split."""

    kind: Kind
    name: str
    tasks: tuple[Task, ...]

    @property
    def title(self) -> str:
        """What stands above its table."""
        match self.kind:
            case "overall":
                named = "Chosen tasks" if self.name == CHOSEN else f"Suite {self.name}"
                return f"{named}: {len(self.tasks)} task{'s' if len(self.tasks) > 1 else ''}"
            case "task":
                return f"Task {self.name} {self.tasks[0].version}, {self.tasks[0].default_split}"
        what = {"class": "Class", "view": "View"}[self.kind]
        return f"{what} {self.name}: {', '.join(task.name for task in self.tasks)}"


def groups(suite: str | Sequence[str] = SUITE, kinds: Sequence[Kind] = KINDS) -> tuple[Group, ...]:
    """The groups of a suite, or of tasks by name: all of them, each class, each view, each task.

    >>> [group.name for group in groups("core", ["class"])]
    ['regular', 'counter', 'deterministic context-free', 'context-free', 'beyond']
    """
    tasks = find_tasks([suite] if isinstance(suite, str) else suite)
    name = suite if isinstance(suite, str) else CHOSEN
    return tuple(group for group in _all_groups(name, tasks) if group.kind in kinds)


def _all_groups(name: str, tasks: Sequence[Task]) -> Iterator[Group]:
    yield Group("overall", name, tuple(tasks))
    for language_class in LANGUAGE_CLASSES:
        if chosen := tuple(task for task in tasks if task.language_class == language_class):
            yield Group("class", language_class, chosen)
    for view in dict.fromkeys(task.view.name for task in tasks):
        yield Group("view", view, tuple(task for task in tasks if task.view.name == view))
    for task in tasks:
        yield Group("task", task.name, (task,))
