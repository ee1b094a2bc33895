"""marnn-bench check"""

from dataclasses import asdict
from pathlib import Path

import click

from marnn_bench.commands.evaluate import limit_options
from marnn_bench.commands.output import format_option, show, suggest
from marnn_bench.errors import CheckFailed
from marnn_bench.evaluation.checks import Check, Checker
from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.generators.strings import Strings
from marnn_bench.store.cache import cached_data
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--task", "name", metavar="NAME", required=True, help="The task.")
@limit_options
@format_option
def check(model: Path, name: str, wave_seconds: float, memory: int, style: str) -> None:
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
    task = find_task(name)
    task.require_sets(all_scored=False)
    source = ModelSource.find(model)
    with ModelProcess(source.file, Limits(wave_seconds, memory)) as process:
        data = cached_data(task)
        kept = read_manifest(data)["tasks"][task.name]["splits"]
        strings = Strings.concatenate([read_split(data, task, split).strings for split in kept])
        checker = Checker(process, task, source.file.name)
        checks = [_shown(found, style) for found in checker.run(strings)]
    if style == "json":
        show(
            style,
            "",
            {"task": task.name, "model": str(source.file), "checks": [asdict(found) for found in checks]},
        )
    if failed := [found.name for found in checks if not found.passed]:
        raise CheckFailed(
            f"{source.file.name} answers the same prefix in different ways ({', '.join(failed)}):"
            " its answers must follow from the prefix alone. Does reset(n) clear all state?"
        )
    suggest(("eval", model, "--task", task.name, "--out", f"runs/{source.name}"))


def _shown(found: Check, style: str) -> Check:
    """The check, and its line at once, since a model may be slow."""
    if style == "human":
        click.echo(f"{'ok  ' if found.passed else 'FAIL'}  {found.name:<10}  {found.detail}")
    return found
