"""marnn-bench train"""

import statistics
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import click

from marnn_bench.commands.completion import Completed
from marnn_bench.commands.output import Table, format_option, progress, show, suggest
from marnn_bench.commands.selection import data_of, task_option
from marnn_bench.errors import UsageError
from marnn_bench.tasks.registry import find_tasks


def _baseline_names(ctx: click.Context) -> Iterable[str]:
    from marnn_bench.baselines.models.registry import all_baselines

    return all_baselines()


@click.command()
@click.argument("model", type=Completed(_baseline_names))
@task_option("The task whose train split to learn; a suite or several go to OUT/TASK.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write.")
@click.option("--runs", type=click.IntRange(1), default=10, show_default=True, help="Trainings, all at once.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the initial parameters."
)
@click.option("--epochs", type=click.IntRange(1), help="Instead of the recipe's.")
@click.option("--hidden", type=click.IntRange(1), help="Hidden units, instead of the paper's.")
@click.option(
    "--memory-width", type=click.IntRange(1), help="Width of a memory cell, instead of the paper's."
)
@click.option("--rows", type=click.IntRange(1), help="Train on the first rows only.  [default: all]")
@click.option(
    "--data", type=click.Path(path_type=Path), help="What `generate` wrote.  [default: ./data, else made]"
)
@click.option("--overwrite", is_flag=True, help="Replace the training that is there.")
@format_option
def train(
    model: str,
    names: tuple[str, ...],
    out: Path,
    runs: int,
    seed: int,
    epochs: int | None,
    hidden: int | None,
    memory_width: int | None,
    rows: int | None,
    data: Path | None,
    overwrite: bool,
    style: str,
) -> None:
    """Train a baseline by its paper's recipe.

    MODEL is one that `marnn-bench baselines` lists. Every run starts from parameters of its own and sees the same
    strings. What deviates from the paper is recorded in training.json.
    """
    from marnn_bench.baselines.models.registry import find_baseline
    from marnn_bench.baselines.training.data import train_rows
    from marnn_bench.baselines.training.experiment import Experiment
    from marnn_bench.baselines.training.folder import new_folder

    baseline, tasks = find_baseline(model), find_tasks(names)
    if not tasks:
        raise UsageError("Name the task to learn with --task. `marnn-bench tasks` lists them.")
    for task in tasks:
        task.require_sets()
    trainings = []
    for task in tasks:
        place = out if len(tasks) == 1 else out / task.name
        experiment = Experiment.from_paper(baseline, task, runs, seed)
        experiment = experiment.with_overrides(epochs, hidden, memory_width)
        with new_folder(place, overwrite) as folder:
            source, examples = train_rows(task, data_of(task, data), rows)
            total = experiment.recipe.epochs * len(examples)
            with progress(total, f"{baseline.name} on {task.name}", "string") as bar:
                training = experiment.train(source, examples, folder, partial(bar.update, 1))
        trainings.append(training)
        if style == "human":
            click.echo(_report(training))
    if style != "human":
        show(style, "", trainings[0] if len(trainings) == 1 else trainings, [*map(_losses, trainings)])
    folders = [out if len(tasks) == 1 else out / task.name for task in tasks]
    again = ("--data", data) if data else ()
    suggest(*(("eval", folder, *again) for folder in folders))


def _losses(training: dict[str, Any]) -> Table:
    rows = [[run, f"{loss:.4g}"] for run, loss in enumerate(training["final_loss"])]
    return Table(rows, ["run", "loss in the last epoch"], ["right", "right"])


def _report(training: dict[str, Any]) -> str:
    task, epochs, losses = training["task"], training["recipe"]["epochs"], training["final_loss"]
    low, middle, high = min(losses), statistics.median(losses), max(losses)
    lines = [
        f"{training['model']} on {task['name']} {task['version']}, {training['parameters']:,} parameters a run",
        f"{training['runs']:,} runs, {task['rows']:,} strings, {epochs} epochs: {training['wall_s']:.1f} s",
        f"loss in the last epoch: min {low:.2g}, median {middle:.2g}, max {high:.2g}",
    ]
    for name, value in training["deviations"].items():
        lines.append(f"not as in the paper: {name} {value['here']} instead of {value['paper']}")
    return "\n".join(lines)
