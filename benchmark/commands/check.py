"""marnn-bench check"""

from dataclasses import asdict
from pathlib import Path

import click

from marnn_bench.asking.process import ModelProcess
from marnn_bench.commands.limits import limit_options
from marnn_bench.commands.output import Table, format_option, show, suggest
from marnn_bench.commands.selection import (
    data_of,
    hidden_folders,
    model_options,
    source_of,
    task_option,
    tasks_for,
)
from marnn_bench.errors import CheckFailed
from marnn_bench.evaluation.audits import Check
from marnn_bench.evaluation.checks import Checker
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.processes.limits import Limits
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split
from marnn_bench.task import Task


@click.command()
@model_options
@task_option("A task or a suite, repeatable  [default: the model's own, else those of the data]")
@click.option(
    "--data", type=click.Path(path_type=Path), help="What `generate` wrote  [default: ./data, else made]"
)
@limit_options
@format_option
def check(
    model: Path | None,
    program: str | None,
    names: tuple[str, ...],
    data: Path | None,
    limits: Limits,
    style: str,
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
    accepts(string)            recognition only, before all others: a tuple of
                               symbols -> True or False, or a probability

    An answer is a set of symbols, a {symbol: score} map, or a score for each column; `marnn-bench tasks show NAME`
    lists a task's columns. What is read from it:

    \b
    next-symbol, synchronous   after each symbol: the set of scores from 0.5 on.
                               With scores = "probabilities" in the file the
                               threshold is chosen on train. Where one symbol
                               alone is right: the highest score
    transduction               after the source, ||| and the output so far:
                               the highest score, END at last
    recognition                after the whole string: one number, P(member);
                               or sets with END, as for next-symbol
    language-modelling         after nothing and each symbol: probabilities of
                               symbols and END, which sum to 1

    load(task), if it is there, is called first: task.name, .alphabet, .columns, .view, .run.

    The model runs in its own folder and may import and open what lies beside it.
    """
    source = source_of(model, program)
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
    what = ("--command", program) if program else (model,)
    suggest(("eval", *what, *named))


def _check(source: ModelSource, limits: Limits, task: Task, data: Path | None, style: str) -> list[Check]:
    """Every check of a model on one task; each is shown at once, since a model may be slow."""
    with ModelProcess(source.file, limits, hidden_folders(data) if limits.isolated else []) as process:
        folder = data_of(task, data) or cached_data(task)
        examples = read_split(folder, task, task.default_split)
        return [_shown(found, style) for found in Checker(process, source.file.name).run(examples)]


def _shown(found: Check, style: str) -> Check:
    if style == "human":
        click.echo(f"{'ok  ' if found.passed else 'FAIL'}  {found.name:<10}  {found.detail}")
    return found
