"""marnn-bench train"""

import statistics
from pathlib import Path
from typing import Any

import click

from marnn_bench.commands.output import format_option, progress, show, suggest
from marnn_bench.tasks.registry import find_task


@click.command()
@click.argument("model")
@click.option(
    "--task", "task_name", required=True, metavar="NAME", help="The task whose train split to learn."
)
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
    "--data", type=click.Path(path_type=Path), help="A folder written by generate.  [default: cached]"
)
@click.option("--overwrite", is_flag=True, help="Replace the training that is there.")
@format_option
def train(
    model: str,
    task_name: str,
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

    baseline, task = find_baseline(model), find_task(task_name)
    task.require_sets()
    experiment = Experiment.from_paper(baseline, task, runs, seed).with_overrides(
        epochs, hidden, memory_width
    )
    with new_folder(out, overwrite) as folder:
        source, examples = train_rows(task, data, rows)
        total = experiment.recipe.epochs * len(examples)
        with progress(total, f"{baseline.name} on {task.name}", "string") as bar:
            training = experiment.train(source, examples, folder, bar.update)
    show(style, _report(training), training)
    again = ("--data", data) if data else ()
    suggest(("eval", out, "--task", task.name, *again, "--out", f"{out}-result"))


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
