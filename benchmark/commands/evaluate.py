"""marnn-bench eval"""

import sys
from os.path import commonpath
from pathlib import Path

import click

from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.scripts import answer_count
from marnn_bench.commands.limits import limit_options
from marnn_bench.commands.output import format_option, note, progress, show, suggest
from marnn_bench.commands.report import accuracy_table, report, results_table
from marnn_bench.commands.selection import (
    Job,
    departures,
    hidden_folders,
    jobs,
    model_options,
    source_of,
    task_option,
    tasks_for,
)
from marnn_bench.evaluation.answering import Evaluation
from marnn_bench.evaluation.evaluator import evaluate as evaluate_model
from marnn_bench.evaluation.preview import preview
from marnn_bench.evaluation.results import Policy, ResultFolder
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.examples import Examples
from marnn_bench.processes.limits import Limits
from marnn_bench.scoring.metrics import Record
from marnn_bench.store.cache import cached_data
from marnn_bench.store.content import total_rows
from marnn_bench.store.read import read_split, read_train
from marnn_bench.streams import default_reset


@click.command()
@model_options
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
@click.option(
    "--stream", is_flag=True, help="Strings one behind the other, as Joulin & Mikolov 2015 ask theirs."
)
@click.option(
    "--no-audit", is_flag=True, help="Leave out asking again, which sees that answers follow from prefixes."
)
@click.option("--overwrite", is_flag=True, help="Replace another result in the folder.")
@click.option(
    "--dry-run", is_flag=True, help="Show what an endpoint would be asked, and how often; ask nothing."
)
@format_option
def evaluate(
    model: Path | None,
    program: str | None,
    names: tuple[str, ...],
    splits: str | None,
    data: Path | None,
    out: Path | None,
    name: str | None,
    runs: int | None,
    limits: Limits,
    keep_going: bool,
    stream: bool,
    no_audit: bool,
    overwrite: bool,
    dry_run: bool,
    style: str,
) -> None:
    """Evaluate a model on a task.

    MODEL is a Python file (`marnn-bench check --help` says what it defines), a folder that `marnn-bench train` wrote, or
    a file of answers (.jsonl or .parquet with the columns input and answer). It is asked in a process of its own, one symbol of every string at a time, and is never sent a label or the
    rest of a string.

    Without --task, these are asked: the tasks that the file names by tasks = ("dyck2", ...) or tasks = "core", or that
    the folder was trained on, else those in ./data. Several tasks or splits go to OUT/TASK/SPLIT and end in one table.

    An evaluation that was interrupted continues when the same command is given again.
    """
    source = source_of(model, program, runs, name)
    results, data_used = [], []
    todo = [*jobs(source, tasks_for(source, names, data), splits, data, out)]
    if dry_run:
        for job in todo:
            click.echo(f"{job.task.name} {job.split}\n\n{preview(source.file, job.task, _read(job)[0])}")
        return
    try:
        for job in todo:
            result, different = _evaluate(source, limits, job, keep_going, not no_audit, stream, overwrite)
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
            note(f"{job.out}/{result['errors']['file']} says why {lost:,} strings lack answers.")
    if len(todo) == 1:
        note(f"{todo[0].out}/result.json holds the result.")
        suggest(("leaderboard", "show", todo[0].out), ("compare", todo[0].out, "OTHER_RESULT"))
    else:
        above = Path(commonpath([job.out for job in todo]))
        note(f"{above} holds the {len(todo)} results, by task and split.")
        suggest(("leaderboard", "show", above), ("compare", todo[0].out, "OTHER_RESULT"))


def _evaluate(
    source: ModelSource,
    limits: Limits,
    job: Job,
    keep_going: bool,
    audit: bool,
    stream: bool,
    overwrite: bool,
) -> tuple[Record, list[str]]:
    """The result of one job, evaluated or found complete, and how its data is not the task's own."""
    results = job.out if job.explicit or overwrite else job.out.parent  # where what is moved goes, too
    hidden = hidden_folders(job.data, results) if limits.isolated else []
    with ModelProcess(source.file, limits, hidden) as process:  # it starts while the data is read
        examples, train = _read(job)
        if different := departures(examples.task, job.split):
            note(f"{job.task.name} {job.split} is not the canonical split: {', '.join(different)}.")
        evaluation = Evaluation(
            source,
            examples,
            train,
            limits,
            keep_going,
            audit,
            default_reset(examples.task) if stream else None,
        )
        other: Policy = "replace" if overwrite else "refuse" if job.explicit else "move"
        folder = ResultFolder(job.out, evaluation.key(), other, source.changed_files)
        return _result(process, evaluation, folder, job, overwrite), different


def _read(job: Job) -> tuple[Examples, Examples | None]:
    """The split that is asked, and train, if there is one."""
    task, data = job.task, job.data
    if data is None:
        with progress(total_rows(task), f"generate {task.name}", "row") as bar:
            data = cached_data(task, bar.update)
    return read_split(data, task, job.split), read_train(data, task)


def _result(
    process: ModelProcess, evaluation: Evaluation, folder: ResultFolder, job: Job, overwrite: bool
) -> Record:
    state, what = folder.state(), f"{job.task.name} {job.split}"
    if state == "complete" and not overwrite:
        note(f"{what} was evaluated before; --overwrite evaluates it again.")
        return folder.read()
    total = evaluation.source.runs * answer_count(evaluation.examples)
    cause = folder.cause() if state in ("other", "changed") else ""
    command = ["marnn-bench", *sys.argv[1:]]
    with progress(total, what, "answer") as bar:
        result = evaluate_model(process, evaluation, folder, command=command, progress=bar.update)
    if state == "changed":
        note(f"{what} had been interrupted and was evaluated from the start: {cause}.")
    if folder.moved_to:
        note(f"{folder.path} held the result of something else: {cause}. It is in {folder.moved_to} now.")
    return result
