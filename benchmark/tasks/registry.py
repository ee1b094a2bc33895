"""Finding tasks by name: ours, and those that other packages offer under the entry point group marnn_bench.tasks."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

from marnn_bench.errors import UsageError
from marnn_bench.language_modelling import as_language_modelling
from marnn_bench.papers import Paper
from marnn_bench.task import Task
from marnn_bench.tasks.suites import suites
from marnn_bench.views import LanguageModelling, NextSymbol

PAPER_ORDER = ("suzgun2019", "suzgun2019b", "joulin2015", "grefenstette2015", "bernardy2018", "mali2019")
"""The order in which papers are listed; a module that is not named here comes after them."""

VIEW_SUFFIXES = {"recognition": "--recognition", "language-modelling": "--lm"}
"""View -> what stands behind the name of a next-symbol task that is asked by it."""

NO_END = "--no-end"
"""What stands behind the name of a next-symbol task that is asked for all but END."""

ENTRY_POINTS = "marnn_bench.tasks"
"""An entry point of this group names a Task or a module with TASKS."""


@cache
def builtin_tasks() -> dict[str, Task]:
    """The tasks of this package by name."""
    return {task.name: task for module in builtin_modules() for task in module.TASKS}


def builtin_modules() -> list[ModuleType]:
    """The modules beside this one that have a PAPER and its TASKS, as they are listed."""
    found = {module.name for module in iter_modules([str(Path(__file__).parent)])}
    papers = [paper for paper in PAPER_ORDER if paper in found] + sorted(found.difference(PAPER_ORDER))
    modules = [import_module(f"{__package__}.{paper}") for paper in papers]
    return [module for module in modules if hasattr(module, "TASKS")]


@cache
def papers() -> dict[str, Paper]:
    """The papers that our tasks come from, by key."""
    return {module.PAPER.key: module.PAPER for module in builtin_modules()}


def paper_of(source: str) -> Paper | None:
    """The paper that a `Task.paper` names, such as `joulin2015, Table 2`; None for one that is not ours."""
    return papers().get(source.partition(",")[0])


def cited(source: str, link: bool = False) -> str:
    """A `Task.paper` as a text cites it, in Markdown with a link.

    >>> cited("joulin2015, Table 2"), cited("mali2019", link=True)
    ('Joulin & Mikolov 2015, Table 2', '[Mali et al. 2019](https://arxiv.org/abs/1909.05233)')
    """
    paper = paper_of(source)
    if paper is None:
        return source
    name = f"[{paper.name}]({paper.url})" if link and paper.url else paper.name
    return name + source.removeprefix(paper.key)


def all_tasks() -> dict[str, Task]:
    """Our tasks and those of every installed package, by name; a name taken twice is an error."""
    tasks = dict(builtin_tasks())
    for task in _plugin_tasks():
        if task.name in tasks:
            raise UsageError(f"Two installed packages offer a task called {task.name}; uninstall one.")
        tasks[task.name] = task
    return tasks


def find_task(name: str | Task) -> Task:
    """The task of this name, or the task itself; other packages are looked at only if it is none of ours."""
    if isinstance(name, Task):
        return name
    if not isinstance(name, str):
        raise UsageError(f"A task is named by a string, such as 'dyck2', not by {name!r:.40}.")
    if task := builtin_tasks().get(name):
        return task
    for view, suffix in VIEW_SUFFIXES.items():
        if (source := name.removesuffix(suffix)) != name:
            return as_view(find_task(source), view)
    if (source := name.removesuffix(NO_END)) != name:
        return without_end(find_task(source))
    tasks = all_tasks()
    if name in tasks:
        return tasks[name]
    if found := suites(tasks.values()).get(name):
        raise UsageError(
            f"{name} is a suite of {len(found)} tasks; name one of them, such as {found[0].name}."
        )
    near = get_close_matches(name, [*tasks, *suites(tasks.values())], n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`marnn-bench tasks` lists them."
    raise UsageError(f"There is no task {name!r}. {hint}")


def as_view(task: Task, view: str) -> Task:
    """A next-symbol task asked by another view, one of VIEW_SUFFIXES."""
    if view == LanguageModelling.name:
        return as_language_modelling(task)
    from marnn_bench.recognition import as_recognition

    return as_recognition(task)


def without_end(task: Task) -> Task:
    """The task `<task>--no-end`: which symbols can come next, whether or not the string can end. All else stays.

    UsageError if END is no answer, or if some answers do not count, which END tells apart.

    >>> without_end(find_task("dyck1-short")).columns
    ('(', ')')
    """
    view = task.view
    if not isinstance(view, NextSymbol) or not view.end or view.scored != "all":
        raise UsageError(
            f"{task.name} has no END to be left out; {NO_END} is for next-symbol tasks that ask for END."
        )
    return replace(task, name=task.name + NO_END, view=replace(view, end=False))


def find_tasks(names: Iterable[str]) -> list[Task]:
    """The tasks of these names (or of one), each once; a suite stands for all of its tasks."""
    found: dict[str, Task] = {}
    for name in [names] if isinstance(names, str) else names:
        suite = () if name in builtin_tasks() else suites(all_tasks().values()).get(name, ())
        for task in suite or (find_task(name),):
            found[task.name] = task
    return [*found.values()]


def _plugin_tasks() -> Iterator[Task]:
    for point in entry_points(group=ENTRY_POINTS):
        found = point.load()
        yield from [found] if isinstance(found, Task) else found.TASKS
