"""marnn-bench tasks"""

from typing import Any

import click
import numpy as np

from marnn_bench.commands.output import format_option, note, show, table
from marnn_bench.generators.strings import Strings
from marnn_bench.registry import all_tasks, find_task
from marnn_bench.task import Task


@click.group(invoke_without_command=True)
@click.pass_context
@format_option
def tasks(ctx: click.Context, style: str) -> None:
    """List the tasks, or show one.

    \b
    marnn-bench tasks               a line each
    marnn-bench tasks show dyck2    alphabet, rule, examples, splits, trivial scores
    """
    if ctx.invoked_subcommand is None:
        list_tasks(style)


@tasks.command("list")
@format_option
def list_command(style: str) -> None:
    """List the tasks."""
    list_tasks(style)


def list_tasks(style: str) -> None:
    """Print a line for each task."""
    known = all_tasks().values()
    cells = [[t.name, t.version, t.view.name, t.language_class, t.paper.partition(",")[0]] for t in known]
    text = table(cells, ["task", "version", "view", "class", "paper"])
    show(style, text, [_describe(task) for task in known])
    note("Next: marnn-bench tasks show dyck2")


@tasks.command("show")
@click.argument("name")
@format_option
def show_task(name: str, style: str) -> None:
    """Show one task: alphabet, rule, two labelled examples, splits, trivial scores."""
    task = find_task(name)
    scores = _trivial_scores(task)
    examples = [_labelled(task, string) for string in _two_short_strings(task)]
    show(style, _text(task, examples, scores), {**_describe(task), "examples": examples, "trivial": scores})
    note(f"Next: marnn-bench generate --task {name} --out data   marnn-bench check my_model.py --task {name}")


def _describe(task: Task) -> dict[str, Any]:
    splits = {
        name: {"rows": split.rows, "window": str(split.window), "law": split.law, "distinct": split.distinct}
        for name, split in task.splits.items()
    }
    return {
        "name": task.name,
        "version": task.version,
        "summary": task.summary,
        "view": task.view.name,
        "language_class": task.language_class,
        "paper": task.paper,
        "alphabet": list(task.language.alphabet),
        "columns": list(task.columns),
        "splits": splits,
    }


def _two_short_strings(task: Task) -> list[Strings]:
    """One of the strings of each of two short lengths, neither the first nor the last."""
    language, chosen = task.language, []
    for length in range(4, 40):
        if language.count(length) and len(chosen) < 2:
            rows = list(language.enumerate(length))
            chosen.append(Strings.from_ids(language.alphabet, [rows[len(rows) * 5 // 8]]))
    return chosen


def _labelled(task: Task, string: Strings) -> list[dict[str, Any]]:
    """Each symbol with the right answer after it."""
    answers = task.view.answers(task.language, string)
    symbols = string.texts(task.language.alphabet)[0].split()
    sets = [[task.columns[i] for i in range(len(task.columns)) if int(mask) >> i & 1] for mask in answers]
    return [{"after": symbol, "answer": answer} for symbol, answer in zip(symbols, sets, strict=True)]


def _trivial_scores(task: Task) -> dict[str, list[dict[str, Any]]]:
    """What the trivial answers reach on every split, fitted on the first."""
    from marnn_bench.evaluation.trivial import trivial_scores
    from marnn_bench.store.cache import cached_data
    from marnn_bench.store.read import read_split

    folder = cached_data(task)
    splits = {name: read_split(folder, task, name) for name in task.splits}
    first = next(iter(splits.values()))
    return {name: trivial_scores(first, examples) for name, examples in splits.items()}


def _text(task: Task, examples: list[list[dict[str, Any]]], scores: dict[str, list[dict[str, Any]]]) -> str:
    lines = [
        f"{task.name} {task.version}: {task.summary}",
        f"{task.view.name} view, {task.language_class}, {task.paper}",
        "",
        f"alphabet  {' '.join(task.language.alphabet)}",
        f"answers   {' '.join(task.columns)}",
    ]
    for example in examples:
        cells = [[step["after"] for step in example], ["/".join(step["answer"]) for step in example]]
        widths = np.array([[len(cell) for cell in row] for row in cells]).max(axis=0)
        for title, row in zip(("string", "answer"), cells, strict=True):
            padded = " ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            lines += [*([""] if title == "string" else []), f"{title:<9} {padded}".rstrip()]
    splits = [
        [n, f"{s.rows:,}", s.window, s.law, "yes" if s.distinct else "no"] for n, s in task.splits.items()
    ]
    alignment = ["left", "right", "left", "left", "left"]
    lines += ["", table(splits, ["split", "rows", "lengths", "law", "distinct"], alignment)]
    cells = [
        [split, score["name"], f"{score['sequence_accuracy']:.4f}", f"{score['position_accuracy']:.4f}"]
        for split, listed in scores.items()
        for score in listed
    ]
    lines += ["", table(cells, ["split", "trivial answer", "sequence accuracy", "by position"])]
    return "\n".join(lines)
