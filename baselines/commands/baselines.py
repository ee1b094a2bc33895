"""marnn-bench baselines"""

from typing import Any

import click

from marnn_bench.baselines.baseline import Baseline
from marnn_bench.commands.output import Table, format_option, note, show, suggest
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task


@click.command()
@click.option(
    "--task", "task_name", default="dyck2", show_default=True, metavar="NAME", help="Sizes for this task."
)
@format_option
def baselines(task_name: str, style: str) -> None:
    """List the baselines.

    With their papers, the names of their rows in the papers' tables, and their sizes on a task.
    """
    from marnn_bench.baselines.models.registry import all_baselines

    task = find_task(task_name)
    listed = [_describe(baseline, task) for baseline in all_baselines().values()]
    headers = ["name", "paper", "published row", "hidden", "memory", "parameters"]
    cells = [[*b.values()] for b in listed]
    overview = Table(cells, headers, ["left"] * 3 + ["right"] * 3)
    show(style, str(overview), listed, [overview])
    note(f"Sizes are those for {task.name}.")
    if task.asks_sets:
        suggest(("train", listed[-1]["name"], "--task", task.name, "--out", f"runs/{listed[-1]['name']}"))


def _describe(baseline: Baseline, task: Task) -> dict[str, Any]:
    sizes = baseline.sizes_for(task).as_json()
    return {
        "name": baseline.name,
        "paper": baseline.paper,
        "published_row": baseline.published_row,
        "hidden": sizes.get("hidden"),
        "memory_width": sizes.get("memory_width"),
        "parameters": baseline.cell(task).num_parameters,
    }
