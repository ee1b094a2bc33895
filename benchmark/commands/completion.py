"""Names that shells complete: tasks and suites, laws, baselines."""

from collections.abc import Callable, Iterable

import click
from click.shell_completion import CompletionItem


class Completed(click.ParamType[str]):
    """A word that may be one of some candidates, which are asked for only when a shell completes it."""

    name = "name"

    def __init__(self, candidates: Callable[[click.Context], Iterable[str]]) -> None:
        self._candidates = candidates

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The candidates that begin like this."""
        return [CompletionItem(word) for word in self._candidates(ctx) if word.startswith(incomplete)]


def task_names(ctx: click.Context) -> Iterable[str]:
    """Every task and suite."""
    from marnn_bench.tasks.registry import all_tasks
    from marnn_bench.tasks.suites import suites

    known = all_tasks()
    return [*known, *suites(known.values())]


def law_names(ctx: click.Context) -> Iterable[str]:
    """The laws of the tasks that were named before, or of all."""
    from marnn_bench.tasks.registry import all_tasks, find_tasks

    tasks = find_tasks(ctx.params.get("names") or ()) or [*all_tasks().values()]
    return dict.fromkeys(law for task in tasks for law in task.language.law_names)
