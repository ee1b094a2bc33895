"""`marnn-bench leaderboard commit-hidden` and `leaderboard answer`."""

import sys
from pathlib import Path

import click

from marnn_bench.asking.process import ModelProcess
from marnn_bench.commands.limits import limit_options
from marnn_bench.commands.output import note, suggest
from marnn_bench.commands.selection import task_option
from marnn_bench.errors import UsageError
from marnn_bench.evaluation.answering import Evaluation
from marnn_bench.evaluation.evaluator import evaluate
from marnn_bench.evaluation.results import ResultFolder
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.file_digests import file_digest
from marnn_bench.leaderboard.validation.boards import answers_hidden, checked, submission_folders
from marnn_bench.leaderboard.validation.description import DESCRIPTION
from marnn_bench.leaderboard.validation.hidden import INPUTS, commit, read_hidden, read_key
from marnn_bench.leaderboard.validation.hidden import show_key as write_key
from marnn_bench.processes.limits import Limits
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_train
from marnn_bench.tasks.registry import find_task, find_tasks

FOLDER = click.Path(path_type=Path)


@click.command("commit-hidden")
@task_option("A task or a suite, repeatable.")
@click.option(
    "--secret-key-file", "key_file", type=FOLDER, required=True, help="32 to 64 random bytes; keep it."
)
@click.option(
    "--out", type=FOLDER, required=True, help="The folder to write; its name is that of the splits."
)
def commit_hidden(names: tuple[str, ...], key_file: Path, out: Path) -> None:
    """Draw hidden splits, and commit to them.

    Writes OUT/commitment.json, which is published before anybody answers, and the strings without labels. Once the key
    is shown, as OUT/key, anyone can draw the same strings and see that they are those committed to.
    """
    tasks = find_tasks(names)
    if not tasks:
        raise UsageError("Say which tasks: --task core.")
    key = read_key(key_file)
    if key_file.resolve().is_relative_to(out.resolve()):
        raise UsageError(f"{key_file} lies in what is to be published. Keep the key elsewhere.")
    hidden = commit(out, tasks, key, note)
    note(
        f"{out} commits to {len(hidden.tasks)} hidden splits. Publish it; keep {key_file} until all have answered."
    )
    suggest(("leaderboard", "answer", "my_model.py", out))


@click.command("show-key")
@click.argument("hidden", type=FOLDER)
@click.option("--secret-key-file", "key_file", type=FOLDER, required=True, help="That of `commit-hidden`.")
@click.option(
    "--submissions",
    type=FOLDER,
    default=Path("submissions"),
    show_default=True,
    help="What has been submitted.",
)
def show_key(hidden: Path, key_file: Path, submissions: Path) -> None:
    """Close hidden splits, and show their key.

    Every submission that answers HIDDEN is checked with the key and written down in HIDDEN/answers.json; those alone
    have the standing `hidden` from then on. Then the key is copied to HIDDEN/key.
    """
    splits = read_hidden(hidden, key_file)
    places = submission_folders(submissions)
    found = [
        (place, checked(place, {splits.name: splits}))
        for place in places
        if answers_hidden(place) == splits.name
    ]
    write_key(splits, {place.name: file_digest(place / DESCRIPTION) for place, _ in found})
    note(f"{hidden} has {len(found)} answers, and its key is shown.")
    suggest(("leaderboard", "validate", submissions, "--hidden", hidden.resolve().parent))


@click.command()
@click.argument("model", type=FOLDER)
@click.argument("hidden", type=FOLDER)
@task_option("Only these tasks or suites.")
@click.option("--name", metavar="NAME", help="What the entry is called  [default: the file's name]")
@click.option(
    "--runs", type=click.IntRange(1), help="How many runs  [default: all of a train folder, else 1]"
)
@click.option("--out", type=FOLDER, help="Where results go  [default: runs/MODEL]")
@limit_options
def answer(
    model: Path,
    hidden: Path,
    names: tuple[str, ...],
    name: str | None,
    runs: int | None,
    out: Path | None,
    limits: Limits,
) -> None:
    """Let a model answer hidden splits.

    MODEL is what `marnn-bench eval` takes; HIDDEN is what `leaderboard commit-hidden` wrote. Results go to
    OUT/TASK/SPLIT; `marnn-bench submit RESULT --hidden HIDDEN` takes them.
    """
    splits, source = read_hidden(hidden), ModelSource.find(model, runs, name)
    chosen = [task.name for task in find_tasks(names)] or [*splits.tasks]
    above = (out or Path("runs") / source.name) / hidden.resolve().name
    for task in map(find_task, chosen):
        examples, train = splits.examples(task.name), read_train(cached_data(task), task)
        evaluation = Evaluation(source, examples, train, limits)
        folder = ResultFolder(
            above / task.name / examples.split, evaluation.key(), "refuse", source.changed_files
        )
        if folder.state() != "complete":
            with ModelProcess(source.file, limits, [hidden / INPUTS] if limits.isolated else []) as process:
                evaluate(process, evaluation, folder, command=["marnn-bench", *sys.argv[1:]])
        note(f"{above / task.name / examples.split} holds the answers to {task.name}.")
    suggest(("submit", above, "--name", source.name, "--hidden", hidden))
