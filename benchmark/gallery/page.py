"""The page of all tasks, docs/tasks.md, and a picture of each."""

from collections.abc import Iterator
from pathlib import Path

from marnn_bench.gallery.description import (
    aligned,
    distributions,
    examples,
    overlaps,
    scores,
    shortened,
    split_headers,
    split_rows,
    worth_drawing,
)
from marnn_bench.task import Task
from marnn_bench.tasks.registry import builtin_tasks, cited

HEAD = """\
# Tasks

Written by `python -m marnn_bench.gallery docs`.

In the tables of splits, the window is what a split is drawn from: lengths or, where the column is called n, the n of
the definition. Lengths are those that occur, of an endless split among its first 10,000 strings. In the pictures,
neighbouring lengths share a bar where there are many, and its height is their mean.

Every next-symbol task can also be asked as recognition (`dyck2--recognition`) or, where its laws have exact
probabilities, as language modelling (`dyck2--lm`): see [Negatives](data.md#negatives) and
[Probabilities](data.md#probabilities). One that asks for END can be asked without it (`dyck5--no-end`).
"""


def write_page(folder: Path) -> None:
    """Write tasks.md, and a picture of each task, below a folder."""
    from marnn_bench.gallery.distributions import plot_distributions

    pictures = folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for task in builtin_tasks().values():
        picture, splits = pictures / f"{task.name}.svg", distributions(task)
        if worth_drawing(splits):
            plot_distributions(f"{task.name} {task.version}", splits, picture)
        else:
            picture.unlink(missing_ok=True)
    (folder / "tasks.md").write_text(page())


def page() -> str:
    """tasks.md"""
    return HEAD + "".join(f"\n{line}" for task in builtin_tasks().values() for line in _section(task)) + "\n"


def _section(task: Task) -> Iterator[str]:
    yield f"## {task.name}\n"
    yield f"{task.summary}\n"
    yield f"{task.language_class.capitalize()}, {task.view.name} view, version {task.version}. {cited(task.paper, link=True)}.\n"
    yield f"Alphabet: `{shortened(task.language.alphabet.symbols)}`. Answers: `{shortened(task.columns)}`.\n"
    for example in examples(task):
        yield "```text"
        yield from aligned(example)
        yield "```\n"
    yield f"| {' | '.join(split_headers(task))} |"
    yield "|---|---:|---|---|---|---|"
    for name, rows, window, lengths, law, distinct in split_rows(task):
        yield f"| {name} | {rows} | {window} | {lengths} | `{law}` | {distinct} |"
    yield ""
    yield from (f"{line}\n" for line in (*overlaps(task), *task.notes))
    yield from _trivial_table(task)
    if worth_drawing(distributions(task)):
        yield f"![lengths and depths of {task.name}](pictures/{task.name}.svg)\n"


def _trivial_table(task: Task) -> Iterator[str]:
    found = scores(task)
    if found:
        names = [score["name"] for score in next(iter(found.values()))]
        yield f"| {task.headline.replace('_', ' ')} | {' | '.join(names)} |"
        yield f"|---|{'---:|' * len(names)}"
        for split, listed in found.items():
            cells = " | ".join(f"{score['metrics'][task.headline]:.2%}" for score in listed)
            yield f"| {split} | {cells} |"
        yield ""
