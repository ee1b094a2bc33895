"""marnn-bench eval"""

import sys
from pathlib import Path

import click

from marnn_bench.commands.limits import limit_options
from marnn_bench.commands.output import format_option, note, progress, show, suggest
from marnn_bench.commands.report import accuracy_table, report, results_table
from marnn_bench.commands.selection import Job, departures, jobs, task_option, tasks_for
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.evaluator import Evaluation
from marnn_bench.evaluation.evaluator import evaluate as evaluate_model
from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.evaluation.results import ResultFolder
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.examples import Examples
from marnn_bench.scoring.metrics import Record
from marnn_bench.store.cache import cached_data
from marnn_bench.store.content import total_rows
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_split


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@task_option("A task or a suite, repeatable  [default: the model's own, else those of the data]")
@click.option("--split", "splits", metavar="SPLIT,...", help="What is asked  [default: test]")
@click.option(
    "--data", type=click.Path(path_type=Path), help="What `generate` wrote  [default: ./data, else made]"
)
@click.option(
    "--out", type=click.Path(path_type=Path), help="The result's folder  [default: runs/MODEL/TASK/SPLIT]"
)
@click.option("--name", metavar="NAME", help="What the entry is called  [default: the file's name]")
@click.option(
    "--runs", type=click.IntRange(1), help="How many runs  [default: all of a train folder, else 1]"
)
@limit_options
@click.option("--keep-going", is_flag=True, help="Count strings that fail as wrong, instead of stopping.")
@click.option("--overwrite", is_flag=True, help="Replace another result in the folder.")
@format_option
def evaluate(
    model: Path,
    names: tuple[str, ...],
    splits: str | None,
    data: Path | None,
    out: Path | None,
    name: str | None,
    runs: int | None,
    wave_seconds: float,
    memory: int,
    keep_going: bool,
    overwrite: bool,
    style: str,
) -> None:
    """Evaluate a model on a task.

    MODEL is a Python file (`marnn-bench check --help` says what it defines) or a folder that `marnn-bench train`
    wrote. It is asked in a process of its own, one symbol of every string at a time.

    Without --task, these are asked: the tasks that the file names by tasks = ("dyck2", ...) or tasks = "core", or that
    the folder was trained on, else those in ./data. Several tasks or splits go to OUT/TASK/SPLIT and end in one table.

    An evaluation that was interrupted continues when the same command is given again.
    """
    source, limits = ModelSource.find(model, runs, name), Limits(wave_seconds, memory)
    results, data_used = [], []
    todo = [*jobs(source, tasks_for(source, names, data), splits, data, out)]
    try:
        for job in todo:
            result, different = _evaluate(source, limits, job, keep_going, overwrite)
            results.append(result)
            data_used.append(", ".join(different))
    except KeyboardInterrupt:
        note("The same command continues where it stopped.")
        raise
    if len(results) == 1:
        show(style, report(results[0]), results[0], [accuracy_table(results[0])])
    else:
        overview = results_table(results, data_used)
        show(style, str(overview), results, [overview])
    for result, job in zip(results, todo, strict=True):
        if lost := result["errors"]["rows"]:
            note(
                f"{lost:,} strings lack answers and count as wrong: see {job.out}/{result['errors']['file']}."
            )
        note(f"{job.out}/result.json holds the result.")
    suggest(("leaderboard", "show", *(job.out for job in todo)), ("compare", todo[0].out, "OTHER_RESULT"))


def _evaluate(
    source: ModelSource, limits: Limits, job: Job, keep_going: bool, overwrite: bool
) -> tuple[Record, list[str]]:
    """The result of one job, evaluated or found complete, and how its data is not the task's own."""
    with ModelProcess(source.file, limits) as process:  # it starts while the data is read
        examples, train = _read(job)
        if different := departures(examples.task, job.split):
            note(f"{job.task.name} {job.split} is not the canonical split: {', '.join(different)}.")
        evaluation = Evaluation(source, examples, train, limits, keep_going)
        folder = ResultFolder(job.out, evaluation.key(), moves_other=not (job.explicit or overwrite))
        return _result(process, evaluation, folder, job, overwrite), different


def _read(job: Job) -> tuple[Examples, Examples | None]:
    """The split that is asked, and train, if it is of a size that can be kept."""
    task, data = job.task, job.data
    if data is None:
        with progress(total_rows(task), f"generate {task.name}", "row") as bar:
            data = cached_data(task, bar.update)
    examples = read_split(data, task, job.split)
    kept = read_manifest(data)["tasks"][task.name]["splits"]
    return examples, read_split(data, task, "train") if "train" in kept else None


def _result(
    process: ModelProcess, evaluation: Evaluation, folder: ResultFolder, job: Job, overwrite: bool
) -> Record:
    state, what = folder.state(), f"{job.task.name} {job.split}"
    if state == "complete" and not overwrite:
        note(f"{what} was evaluated before; --overwrite evaluates it again.")
        return folder.read()
    if state == "other" and job.explicit and not overwrite:
        raise UsageError(
            f"{folder.path} holds the result of something else: the model file, a file beside it, the data or an option"
            " has changed. Choose another --out, or replace it with --overwrite."
        )
    if state == "changed":
        note(f"{what}: something has changed since it was interrupted; it is evaluated from the start.")
    total = evaluation.source.runs * len(evaluation.examples.strings.ids)
    command = ["marnn-bench", *sys.argv[1:]]
    with progress(total, what, "symbol") as bar:
        result = evaluate_model(process, evaluation, folder, command=command, progress=bar.update)
    if folder.moved_to:
        note(
            f"{folder.path} held the result of something else: the model file, a file beside it, the data or an "
            f"option has changed. It is in {folder.moved_to} now."
        )
    return result
