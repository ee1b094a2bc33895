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
    split_rows,
)
from marnn_bench.store.content import contents
from marnn_bench.task import Task
from marnn_bench.tasks.registry import builtin_tasks


def write_page(folder: Path) -> None:
    """Write tasks.md, and a picture of each task, below a folder."""
    from marnn_bench.gallery.distributions import plot_distributions

    pictures = folder / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for task in builtin_tasks().values():
        plot_distributions(f"{task.name} {task.version}", distributions(task), pictures / f"{task.name}.svg")
    (folder / "tasks.md").write_text(page())


def page() -> str:
    """tasks.md"""
    head = "# Tasks\n\nWritten by `python -m marnn_bench.gallery docs`.\n"
    return head + "".join(f"\n{line}" for task in builtin_tasks().values() for line in _section(task)) + "\n"


def _section(task: Task) -> Iterator[str]:
    yield f"## {task.name}\n"
    yield f"{task.summary} {task.language_class.capitalize()}, {task.view.name} view, version {task.version}; {task.paper}.\n"
    yield f"Alphabet: `{shortened(task.language.alphabet.symbols)}`. Answers: `{shortened(task.columns)}`.\n"
    for example in examples(task):
        yield "```text"
        yield from aligned(example)
        yield "```\n"
    yield f"| split | rows | {task.language.measure} | law | distinct |"
    yield "|---|---:|---|---|---|"
    for name, rows, window, law, distinct in split_rows(task):
        yield f"| {name} | {rows} | {window} | `{law}` | {distinct} |"
    yield ""
    yield from (f"{line}\n" for line in overlaps(task))
    yield from _trivial_table(task)
    if contents(task):
        yield f"![lengths and depths of {task.name}](pictures/{task.name}.svg)\n"


def _trivial_table(task: Task) -> Iterator[str]:
    found = scores(task)
    if found:
        names = [score["name"] for score in next(iter(found.values()))]
        yield f"| strings right | {' | '.join(names)} |"
        yield f"|---|{'---:|' * len(names)}"
        for split, listed in found.items():
            cells = " | ".join(f"{score['sequence_accuracy']:.2%}" for score in listed)
            yield f"| {split} | {cells} |"
        yield ""
