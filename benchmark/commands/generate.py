"""marnn-bench generate"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click

from marnn_bench.commands.completion import Completed, law_names
from marnn_bench.commands.output import Table, format_option, note, progress, show, suggest
from marnn_bench.commands.selection import DATA, task_option
from marnn_bench.errors import UsageError
from marnn_bench.generators.sampling.distinct import MAX_DISTINCT_ROWS
from marnn_bench.generators.window import Window
from marnn_bench.store.content import total_rows
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.write import SHARD_ROWS
from marnn_bench.store.write import generate as write_task
from marnn_bench.task import Task
from marnn_bench.tasks.registry import VIEW_SUFFIXES, as_view, builtin_tasks, find_task, find_tasks
from marnn_bench.views import NextSymbol

T = TypeVar("T")


@click.command()
@click.argument("misplaced", nargs=-1, metavar="")
@task_option()
@click.option("--all", "everything", is_flag=True, help="All tasks.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=DATA, show_default=True, help="The folder to write."
)
@click.option("--rows", multiple=True, metavar="N|SPLIT=N", help="Rows of every split, or of one.")
@click.option(
    "--window", "windows", multiple=True, metavar="W|SPLIT=W", help="Sizes LOW:HIGH of every split, or one."
)
@click.option("--view", type=click.Choice([*VIEW_SUFFIXES]), help="Ask next-symbol tasks by another view.")
@click.option(
    "--law",
    type=Completed(law_names),
    metavar="LAW",
    help="Draw from another law, such as uniform or pcfg:p=1/3,q=1/4.",
)
@click.option(
    "--workers", type=click.IntRange(1), default=os.cpu_count() or 1, help="Threads  [default: all cores]"
)
@click.option(
    "--shard-rows", type=click.IntRange(1), default=SHARD_ROWS, show_default=True, help="Rows of a file."
)
@click.option(
    "--overwrite", is_flag=True, help="Replace the task if it is there with other rows, law or version."
)
@format_option
def generate(
    misplaced: tuple[str, ...],
    names: tuple[str, ...],
    everything: bool,
    out: Path,
    rows: tuple[str, ...],
    windows: tuple[str, ...],
    view: str | None,
    law: str | None,
    workers: int,
    shard_rows: int,
    overwrite: bool,
    style: str,
) -> None:
    """Write the splits of tasks as Parquet.

    The same command writes the same rows on every machine, with any number of workers; a folder may hold many tasks.
    """
    if misplaced:
        named = " ".join(f"--task {name}" for name in misplaced)
        raise UsageError(f"Tasks are named by an option: marnn-bench generate {named}.")
    chosen = [*builtin_tasks().values()] if everything else find_tasks(names)
    if not chosen:
        raise UsageError("Name a task with --task, or ask for --all. `marnn-bench tasks` lists them.")
    if view:
        chosen = [*_asked_by(view, chosen, everything)]
    tasks = [
        task.with_splits(_by_split(rows, task, _row_count), law, _by_split(windows, task, Window.parse))
        for task in chosen
    ]
    for task in tasks:
        _note_repetitions(task)
        with progress(total_rows(task), f"generate {task.name}", "row") as bar:
            write_task(
                task, out, workers=workers, shard_rows=shard_rows, overwrite=overwrite, progress=bar.update
            )
    written = read_manifest(out)["tasks"]
    report = _report(tasks, written)
    show(style, str(report.narrowed()), {task.name: written[task.name] for task in tasks}, [report])
    for task in tasks:
        for name, split in task.splits.items():
            if split.rows == "fresh":
                note(f"{task.name} {name} is endless: --rows {name}=N writes N rows of it.")
    suggest(("verify", out), ("tasks", "show", tasks[0].name))


def _asked_by(view: str, tasks: list[Task], everything: bool) -> Iterator[Task]:
    """Tasks of this view, and next-symbol tasks asked by it; of all tasks, those that cannot be are left out."""
    for task in tasks:
        try:
            yield task if task.view.name == view else as_view(task, view)
        except UsageError as error:
            if not everything:
                raise
            if isinstance(task.view, NextSymbol):
                note(f"{task.name} is left out: {error}")


def _by_split(items: tuple[str, ...], task: Task, read: Callable[[str], T]) -> dict[str, T]:
    """The values of an option that is given as VALUE for every split, or SPLIT=VALUE for one."""
    values: dict[str, T] = {}
    for item in items:
        split, equals, text = item.rpartition("=")
        values |= {split: read(text)} if equals else dict.fromkeys(task.splits, read(text))
    return values


def _row_count(text: str) -> int:
    if not text.replace("_", "").isdecimal() or int(text) < 1:
        raise UsageError(f"--rows {text} is not N or SPLIT=N with a number of at least 1.")
    return int(text)


def _note_repetitions(task: Task) -> None:
    for name, split in task.splits.items():
        if isinstance(split.rows, int) and split.rows > MAX_DISTINCT_ROWS:
            note(
                f"{task.name} {name}: more than {MAX_DISTINCT_ROWS:,} rows are independent draws, repetitions kept."
            )
        if split.per_size and split.rows != find_task(task.name).split(name).rows:
            note(f"{task.name} {name}: {split.rows} rows of each {task.language.measure}.")


def _report(tasks: list[Task], manifest: dict[str, Any]) -> Table:
    cells = [
        [task.name, split, f"{entry['rows']:,}", f"{entry['symbols']:,}", entry["law"], entry["digest"][:8]]
        for task in tasks
        for split, entry in manifest[task.name]["splits"].items()
    ]
    headers = ["task", "split", "rows", "symbols", "law", "digest"]
    return Table(cells, headers, ["left", "left", "right", "right", "left", "left"])
