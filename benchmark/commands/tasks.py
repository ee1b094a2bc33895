"""marnn-bench tasks"""

import textwrap
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import click

from marnn_bench.commands.hints import HintedGroup
from marnn_bench.commands.output import Table, format_option, note, show, suggest
from marnn_bench.commands.report import METRICS, show_value
from marnn_bench.errors import UsageError
from marnn_bench.gallery.remembered import remembered
from marnn_bench.task import Task
from marnn_bench.tasks.registry import all_tasks, builtin_tasks, cited, find_task, paper_of

COLUMNS = 80
"""Of a terminal."""


@click.group(cls=HintedGroup, invoke_without_command=True)
@click.pass_context
@format_option
def tasks(ctx: click.Context, style: str) -> None:
    """List the tasks, or show one.

    \b
    marnn-bench tasks               a line each
    marnn-bench tasks show dyck2    alphabet, rule, examples, splits, trivial scores
    """
    if ctx.invoked_subcommand is None:
        known = list(all_tasks().values())
        cells = [[t.name, t.view.name, t.language_class, t.paper.partition(",")[0]] for t in known]
        listed = [
            {"name": t.name, "version": t.version, "view": t.view.name, "paper": t.paper} for t in known
        ]
        overview = Table(cells, ["task", "view", "class", "paper"])
        show(style, _listing(known), listed, [overview])
        suggest(("tasks", "show", "dyck2"))


@tasks.command("show")
@click.argument("name")
@click.option(
    "--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw lengths and depths: .png, .svg, ..."
)
@format_option
def show_task(name: str, plot: Path | None, style: str) -> None:
    """Show one task: alphabet, rule, two labelled examples, splits, trivial scores."""
    task = find_task(name)
    if plot:
        from marnn_bench.gallery.charts import check_suffix
        from marnn_bench.gallery.description import distributions, worth_drawing
        from marnn_bench.gallery.distributions import plot_distributions

        check_suffix(plot)
        splits = distributions(task)
        if not worth_drawing(splits):
            raise UsageError(
                f"{name} has no two strings of a length: there is nothing to draw. Leave out --plot."
            )
        plot_distributions(f"{task.name} {task.version}", splits, plot)
        note(f"{plot} written.")
    ours = name in builtin_tasks()  # another package's task may change while these sources stay
    said = remembered(f"task-{name}", partial(_said, task)) if ours else _said(task)
    align = ["left", "right", *["left"] * 4]
    tables = [Table(said["splits"], said["headers"], align), *_trivial(said["data"]["trivial"])]
    show(style, _text(task, said, tables), said["data"], tables)
    suggest(("generate", "--task", name))


def _said(task: Task) -> dict[str, Any]:
    """All that is shown of a task and takes a second to find out."""
    from marnn_bench.gallery import description as of

    examples = of.examples(task)
    return {
        "data": {**of.describe(task), "examples": examples, "trivial": of.scores(task)},
        "examples": [[*of.aligned(example)] for example in examples],
        "alphabet": of.shortened(task.language.alphabet.symbols),
        "answers": of.shortened(task.columns),
        "headers": of.split_headers(task),
        "splits": [*of.split_rows(task)],
        "overlaps": of.overlaps(task),
    }


def _listing(known: list[Task]) -> str:
    """A line for each task, below its paper."""
    width = max(len(task.name) for task in known)
    lines = [f"{'task':<{width + 2}}  {'view':<12}  class"]
    for source, tasks in groupby(known, lambda task: task.paper.partition(",")[0]):
        lines += ["", ", ".join([cited(source), *_address(source)])]
        lines += [f"  {task.name:<{width}}  {task.view.name:<12}  {task.language_class}" for task in tasks]
    return "\n".join(lines)


def _address(source: str) -> list[str]:
    paper = paper_of(source)
    return [paper.url] if paper and paper.url else []


def _text(task: Task, said: dict[str, Any], tables: list[Table]) -> str:
    lines = [
        textwrap.fill(f"{task.name} {task.version}: {task.summary}", COLUMNS),
        textwrap.fill(f"{task.view.name} view, {task.language_class}; {cited(task.paper)}", COLUMNS),
        *_address(task.paper),
        "",
        f"alphabet  {said['alphabet']}",
        f"answers   {said['answers']}",
    ]
    for example in said["examples"]:
        lines += ["", *example]
    splits, *trivial = tables
    lines += ["", str(splits.narrowed())]
    for line in (*said["overlaps"], *task.notes):
        lines += ["", textwrap.fill(line, COLUMNS)]
    lines += [f"\n{table}" for table in trivial]
    return "\n".join(lines)


def _trivial(scores: dict[str, Any]) -> list[Table]:
    scored = [score for listed in scores.values() for score in listed]
    if not scored:
        return []
    measures = [*scored[0]["metrics"]][:2]
    cells = [
        [split, score["name"], *(show_value(score["metrics"][measure], measure) for measure in measures)]
        for split, listed in scores.items()
        for score in listed
    ]
    headers = ["split", "trivial answer", *(METRICS[measure] for measure in measures)]
    return [Table(cells, headers)]
