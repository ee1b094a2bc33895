"""marnn-bench check"""

from dataclasses import asdict
from pathlib import Path

import click

from marnn_bench.commands.limits import limit_options
from marnn_bench.commands.output import Table, format_option, show, suggest
from marnn_bench.commands.selection import data_of, task_option, tasks_for
from marnn_bench.errors import CheckFailed
from marnn_bench.evaluation.checks import Check, Checker
from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.generators.strings import Strings
from marnn_bench.store.cache import cached_data
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_split
from marnn_bench.task import Task


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@task_option("A task or a suite, repeatable  [default: the model's own, else those of the data]")
@click.option(
    "--data", type=click.Path(path_type=Path), help="What `generate` wrote  [default: ./data, else made]"
)
@limit_options
@format_option
def check(
    model: Path, names: tuple[str, ...], data: Path | None, wave_seconds: float, memory: int, style: str
) -> None:
    """See in seconds whether a model file can be evaluated.

    \b
        # my_model.py
        def predict(prefix):              # such as ("(", "[")
            return {"(", "[", "]"}        # the symbols that can come next

    A model file defines one of these; the first is the fastest and goes before the others:

    \b
    reset(n), step(ids)        n strings begin; an int64 array of n symbol ids ->
                               (n, columns) scores. Ids behind the end of a
                               string are 0, and what is answered is ignored
    predict_batch(prefixes)    a list of prefixes of different strings -> as many
                               answers, or (n, columns) scores
    predict(prefix)            a tuple of symbols -> an answer

    An answer is a set of symbols, a {symbol: score} map, or a score for each column; scores from 0.5 on put the
    symbol into the set. Columns are the alphabet, and END last where the task asks for it.

    load(task), if it is there, is called first: task.name, .alphabet, .columns, .view, .run.

    The model runs in its own folder and may import and open what lies beside it.
    """
    source, limits = ModelSource.find(model), Limits(wave_seconds, memory)
    tasks = tasks_for(source, names, data)
    found = {}
    for task in tasks:
        if style == "human" and len(tasks) > 1:
            click.echo(f"{task.name} {task.version}")
        found[task.name] = _check(source, limits, task, data, style)
    listed = Table(
        [
            [name, c.name, "ok" if c.passed else "FAIL", c.detail]
            for name, checks in found.items()
            for c in checks
        ],
        ["task", "check", "passed", "detail"],
    )
    record = [
        {"task": name, "model": str(source.file), "checks": [asdict(c) for c in checks]}
        for name, checks in found.items()
    ]
    if style != "human":
        show(style, "", record[0] if len(record) == 1 else record, [listed])
    if failed := dict.fromkeys(c.name for checks in found.values() for c in checks if not c.passed):
        raise CheckFailed(
            f"{source.file.name} answers the same prefix in different ways ({', '.join(failed)}):"
            " its answers must follow from the prefix alone. Does reset(n) clear all state?"
        )
    named = [word for name in names for word in ("--task", name)]
    suggest(("eval", model, *named))


def _check(source: ModelSource, limits: Limits, task: Task, data: Path | None, style: str) -> list[Check]:
    """Every check of a model on one task; each is shown at once, since a model may be slow."""
    with ModelProcess(source.file, limits) as process:
        folder = data_of(task, data) or cached_data(task)
        kept = read_manifest(folder)["tasks"][task.name]["splits"]
        strings = Strings.concatenate([read_split(folder, task, split).strings for split in kept])
        checker = Checker(process, task, source.file.name)
        return [_shown(found, style) for found in checker.run(strings)]


def _shown(found: Check, style: str) -> Check:
    if style == "human":
        click.echo(f"{'ok  ' if found.passed else 'FAIL'}  {found.name:<10}  {found.detail}")
    return found
