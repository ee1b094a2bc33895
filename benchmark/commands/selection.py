"""What commands are about: which tasks, which of their splits, in which folder."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import click

from marnn_bench.commands.completion import Completed, task_names
from marnn_bench.commands.output import note
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.generators.kernels.cache import cache_folder
from marnn_bench.store.manifest import read_manifest
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task, find_tasks

DATA: Final = Path("data")
"""Where `generate` writes, and where other commands look first."""

F = TypeVar("F", bound=Callable[..., object])


def task_option(help_text: str = "A task or a suite; may be given several times.") -> Callable[[F], F]:
    """--task NAME, repeatable, passed to the command as `names`."""
    return click.option(
        "--task", "names", type=Completed(task_names), multiple=True, metavar="NAME", help=help_text
    )


def model_options(command: F) -> F:
    """MODEL, or --command, passed to the command as `model` and `program`."""
    argument = click.argument("model", required=False, type=click.Path(path_type=Path))
    option = click.option(
        "--command",
        "program",
        metavar="TEXT",
        help="Instead of MODEL: a program that is asked by lines of JSON.",
    )
    return argument(option(command))


def source_of(
    model: Path | None, program: str | None, runs: int | None = None, name: str | None = None
) -> ModelSource:
    """What is evaluated: MODEL, or the program of --command. UsageError unless it is one of the two."""
    if (model is None) == (program is None):
        raise UsageError("Give a MODEL, or a program by --command 'PROGRAM OPTIONS', and not both.")
    return (
        ModelSource.command(program or "", runs, name)
        if model is None
        else ModelSource.find(model, runs, name)
    )


def tasks_for(source: ModelSource, names: Sequence[str], data: Path | None) -> list[Task]:
    """The tasks to evaluate a model on: those named, else the model's own, else those of a folder of data."""
    chosen = find_tasks(names or source.tasks) or _tasks_in(data or DATA)
    if not chosen:
        raise UsageError(
            f"Which task? Say --task NAME, write tasks = (NAME, ...) into {source.file.name}, or write data here: "
            "marnn-bench generate --task NAME."
        )
    return chosen


def _tasks_in(folder: Path) -> list[Task]:
    if not (folder / "manifest.json").is_file():
        return []
    return [find_task(name) for name in read_manifest(folder)["tasks"]]


def data_of(task: Task, data: Path | None) -> Path | None:
    """The folder with a task's data: the one given, else ./data if it has the task; None to generate it."""
    if data is not None:
        return data
    if task.name in {found.name for found in _tasks_in(DATA)}:
        note(f"{task.name}: data is read from {DATA}.")
        return DATA
    return None


@dataclass(frozen=True)
class Job:
    """One evaluation: a split of a task, from a folder of data or generated, and where its result goes.

    explicit:  whether the user said where, so that an older result there is not moved
    """

    task: Task
    split: str
    data: Path | None
    out: Path
    explicit: bool


def jobs(
    source: ModelSource, tasks: Sequence[Task], splits: str | None, data: Path | None, out: Path | None
) -> Iterator[Job]:
    """Every split of every task. One alone goes to `out` itself, several to OUT/TASK/SPLIT."""
    asked = {task.name: splits.split(",") if splits else [task.default_split] for task in tasks}
    for task in tasks:
        for split in asked[task.name]:
            task.split(split)
    alone = sum(map(len, asked.values())) == 1
    for task in tasks:
        folder = data_of(task, data)
        for split in asked[task.name]:
            place = (out or Path("runs") / source.name) / task.name / split
            yield Job(task, split, folder, out if out and alone else place, bool(out))


def departures(task: Task, split: str) -> list[str]:
    """How the splits that were read differ from the task's own: rows, law, window.

    Nothing is said of a split that is endless unless rows are chosen.
    """
    own = find_task(task.name)
    pairs = {
        "rows": (own.split(split).rows, task.split(split).rows),
        "law": (own.law(split).spec, task.law(split).spec),
        "window": (own.split(split).window, task.split(split).window),
    }
    return [f"{name} {here}" for name, (there, here) in pairs.items() if there not in (here, "fresh")]


def hidden_folders(data: Path | None, results: Path | None = None) -> list[Path]:
    """What an isolated model does not see: data, the cache of data, results. Those that may be written later are made."""
    written = [cache_folder(), *([results] if results else [])]
    for folder in written:
        folder.mkdir(parents=True, exist_ok=True)
    return [*written, *([data or DATA] if (data or DATA).is_dir() else [])]
