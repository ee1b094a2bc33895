"""marnn-bench eval"""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from marnn_bench.commands.output import format_option, note, progress, show, suggest
from marnn_bench.commands.report import report
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
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task

F = TypeVar("F", bound=Callable[..., object])
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _read_size(ctx: click.Context, option: click.Parameter, text: str) -> int:
    """Bytes, from 500M, 8G or 1.5GiB."""
    parsed = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:I?B)?", text.strip().upper())
    if not parsed:
        raise click.BadParameter(f"{text!r} is no size such as 500M or 8G.")
    return int(float(parsed[1]) * UNITS[parsed[2]])


def limit_options(command: F) -> F:
    """--wave-seconds and --memory: what a model may use."""
    seconds = click.option(
        "--wave-seconds",
        type=click.FloatRange(0, min_open=True),
        default=60,
        show_default=True,
        help="Time for a wave of 1,024 strings, and for loading.",
    )
    memory = click.option(
        "--memory",
        metavar="SIZE",
        default="8G",
        show_default=True,
        callback=_read_size,
        help="What the model may allocate (Linux).",
    )
    return seconds(memory(command))


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--task", "name", metavar="NAME", required=True, help="The task.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder for the result.")
@click.option("--split", default="test", show_default=True, help="The split that is asked.")
@click.option(
    "--data", type=click.Path(path_type=Path), help="What `generate` wrote  [default: made on first use]"
)
@click.option(
    "--runs", type=click.IntRange(1), help="How many runs  [default: all of a train folder, else 1]"
)
@limit_options
@click.option("--keep-going", is_flag=True, help="Count strings that fail as wrong, instead of stopping.")
@click.option("--overwrite", is_flag=True, help="Replace another result in the folder.")
@format_option
def evaluate(
    model: Path,
    name: str,
    out: Path,
    split: str,
    data: Path | None,
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

    An evaluation that was interrupted continues when the same command is given again.
    """
    task = find_task(name)
    task.require_sets()
    task.split(split)
    source, limits = ModelSource.find(model, runs), Limits(wave_seconds, memory)
    try:
        with ModelProcess(source.file, limits) as process:  # it starts while the data is read
            examples, train = _read(task, data, split)
            evaluation = Evaluation(source, examples, train, limits, keep_going)
            folder = ResultFolder(out, evaluation.key())
            result = _result(process, evaluation, folder, overwrite)
    except KeyboardInterrupt:
        note("The same command continues where it stopped.")
        raise
    show(style, report(result), result)
    if lost := result["errors"]["rows"]:
        note(f"{lost:,} strings lack answers and count as wrong: see {out}/{result['errors']['file']}.")
    note(f"{out}/result.json holds the result.")
    suggest(("leaderboard", "show", out), ("compare", out, "OTHER_RESULT"))


def _read(task: Task, data: Path | None, split: str) -> tuple[Examples, Examples | None]:
    """The split that is asked, and train, if it is of a size that can be kept."""
    if data is None:
        with progress(total_rows(task), f"generate {task.name}", "row") as bar:
            data = cached_data(task, bar.update)
    examples = read_split(data, task, split)
    kept = read_manifest(data)["tasks"][task.name]["splits"]
    return examples, read_split(data, task, "train") if "train" in kept else None


def _result(process: ModelProcess, evaluation: Evaluation, folder: ResultFolder, overwrite: bool) -> Record:
    state = folder.state()
    if state == "complete" and not overwrite:
        note("Evaluated before; --overwrite evaluates it again.")
        return folder.read()
    if state == "other" and not overwrite:
        raise UsageError(
            f"{folder.path} holds the result of something else: the model file, a file beside it, the data or an option"
            " has changed. Choose another --out, or replace it with --overwrite."
        )
    if state == "changed":
        note("Something has changed since it was interrupted; it is evaluated from the start.")
    examples = evaluation.examples
    total = evaluation.source.runs * len(examples.strings.ids)
    command = ["marnn-bench", *sys.argv[1:]]
    with progress(total, f"{examples.task.name} {examples.split}", "symbol") as bar:
        return evaluate_model(process, evaluation, folder, command=command, progress=bar.update)
