"""marnn-bench train"""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from marnn_bench.baselines.engines import ENGINES, Engine
from marnn_bench.baselines.recipes import EVERY_STEP, LOSSES, ORDERS, RULES
from marnn_bench.commands.completion import Completed
from marnn_bench.commands.output import Table, format_option, note, progress, show, show_percent, suggest
from marnn_bench.commands.selection import data_of, task_option
from marnn_bench.errors import UsageError
from marnn_bench.tasks.registry import find_tasks


def _baseline_names(ctx: click.Context) -> Iterable[str]:
    from marnn_bench.baselines.models.registry import all_baselines

    return all_baselines()


POSITIVE: Final = click.FloatRange(0, math.inf, min_open=True, max_open=True)


@click.command()
@click.argument("model", required=False, type=Completed(_baseline_names))
@task_option("The task whose train split to learn; a suite or several go to OUT/TASK.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write.")
@click.option("--runs", type=click.IntRange(1), default=10, show_default=True, help="Trainings, all at once.")
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the initial parameters."
)
@click.option("--epochs", type=click.IntRange(1), help="Instead of the recipe's.")
@click.option("--learning-rate", type=POSITIVE, metavar="RATE", help="Instead of the recipe's.")
@click.option("--batch", type=click.IntRange(1), help="Strings an update, instead of the recipe's.")
@click.option("--rule", type=click.Choice(RULES), help="By what gradients are found.  [default: bptt]")
@click.option("--steps-back", type=click.IntRange(1), help="Of bptt, stretches of so many.  [default: all]")
@click.option("--order", type=click.Choice(ORDERS), help="Of a finite train split.  [default: given]")
@click.option(
    "--every-step",
    "learns",
    flag_value=EVERY_STEP,
    help="Learn the label of a string after each symbol, not the last one alone.",
)
@click.option("--loss", type=click.Choice(LOSSES), help="Instead of the recipe's.")
@click.option(
    "--random-rate",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="LEAST",
    help="Multiply the rate in each epoch by a number drawn from LEAST to 1.",
)
@click.option(
    "--weight-noise",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="Disturb so many of the matrices of higher order while a gradient is found.",
)
@click.option(
    "--predictions",
    type=click.IntRange(1),
    help="Of an NSPDA in each step: iterative refinement.  [default: 1]",
)
@click.option("--hidden", type=click.IntRange(1), help="Hidden units, instead of the paper's.")
@click.option(
    "--memory-width", type=click.IntRange(1), help="Width of a memory cell, instead of the paper's."
)
@click.option("--controller", metavar="NAME", help="In the place of MODEL: rnn, lstm or gru, with")
@click.option(
    "--memory", metavar="NAME", help="stack, ring, list, neural-stack, neural-queue or neural-deque, and"
)
@click.option("--gate", metavar="NAME", help="softmax, temperature or gumbel.")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda, or cuda:1 for the second GPU.")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="What executes it; auto: compiled if it can be, else reference.",
)
@click.option("--threads", type=click.IntRange(1), help="Of the compiled engine.  [default: all cores]")
@click.option(
    "--rows",
    type=click.IntRange(1),
    help="Train on the first rows only; of an endless split, new rows an epoch.  [default: all, or the recipe's]",
)
@click.option(
    "--data", type=click.Path(path_type=Path), help="What `generate` wrote.  [default: ./data, else made]"
)
@click.option("--overwrite", is_flag=True, help="Replace the training that is there.")
@format_option
def train(
    model: str | None,
    names: tuple[str, ...],
    out: Path,
    runs: int,
    seed: int,
    hidden: int | None,
    memory_width: int | None,
    predictions: int | None,
    controller: str | None,
    memory: str | None,
    gate: str | None,
    device: str,
    engine: Engine,
    threads: int | None,
    rows: int | None,
    data: Path | None,
    overwrite: bool,
    style: str,
    **recipe: Any,
) -> None:
    """Train a baseline by its paper's recipe.

    MODEL is one that `marnn-bench baselines` lists, a Python file that defines cell(symbols, columns), or a controller with
    a memory and a gate, as gru+stack+gumbel. Every run
    starts from parameters of its own and sees the same strings. What deviates from the paper is recorded in
    training.json.

    A training that was stopped continues when the same command is given again, and ends in the same parameters.
    """
    from marnn_bench.baselines.models.registry import find_baseline
    from marnn_bench.baselines.training.experiment import Experiment
    from marnn_bench.baselines.training.folder import is_begun

    baseline, tasks = find_baseline(model or _composed(controller, memory, gate)), find_tasks(names)
    if not tasks:
        raise UsageError("Name the task to learn with --task. `marnn-bench tasks` lists them.")
    experiments = [
        Experiment.from_paper(baseline, task, runs, seed).with_overrides(
            hidden=hidden,
            memory_width=memory_width,
            predictions=predictions,
            device=device,
            engine=engine,
            threads=threads,
            **recipe,
        )
        for task in tasks
    ]
    for experiment in experiments:
        experiment.require_fit()
    trainings = []
    for task, experiment in zip(tasks, experiments, strict=True):
        place = out if len(tasks) == 1 else out / task.name
        watch = partial(progress, what=f"{baseline.name} on {task.name}", unit="string")
        try:
            training = experiment.train_into(place, data_of(task, data), rows, overwrite, watch, note)
        except KeyboardInterrupt:
            if is_begun(place):
                note("The same command continues where it stopped.")
            raise
        trainings.append(training)
        if style == "human":
            click.echo(_report(training))
    if style != "human":
        show(style, "", trainings[0] if len(trainings) == 1 else trainings, [*map(_losses, trainings)])
    folders = [out if len(tasks) == 1 else out / task.name for task in tasks]
    again = ("--data", data) if data else ()
    suggest(*(("eval", folder, *again) for folder in folders))


def _composed(controller: str | None, memory: str | None, gate: str | None) -> str:
    """The name of the model that these make."""
    if controller is None or (gate and not memory):
        raise UsageError("Name a MODEL, or a --controller, and with it a --memory and a --gate.")
    return "+".join(filter(None, (controller, memory, gate)))


def _losses(training: dict[str, Any]) -> Table:
    losses = training["final_loss"]
    shares = training["train_accuracy"] or [None] * len(losses)
    rows = [
        [run, "-" if loss is None else f"{loss:.4g}", "-" if share is None else show_percent(share)]
        for run, (loss, share) in enumerate(zip(losses, shares, strict=True))
    ]
    return Table(rows, ["run", "loss in the last epoch", "train accuracy, %"], ["right"] * 3)


def _report(training: dict[str, Any]) -> str:
    task, epochs = training["task"], training["recipe"]["epochs"]
    losses = [loss for loss in training["final_loss"] if loss is not None]
    lines = [
        f"{training['model']} on {task['name']} {task['version']}, {training['parameters']:,} parameters a run",
        f"runs {training['runs']:,}, strings {task['rows']:,}, epochs {epochs}: {training['wall_s']:.1f} s",
    ]
    if losses:
        lines.append(f"loss in the last epoch: {_spread(losses, '{:.2g}'.format)}")
    if accuracy := training["train_accuracy"]:
        lines.append(f"train accuracy, %: {_spread(accuracy, show_percent)}")
    if selected := training["selected"]:
        best = selected["best_run"]
        lines.append(
            f"selected by {selected['by']}: epochs {_spread(selected['epochs'], str)}; best run {best}"
        )
    for lost in training["diverged"]:
        lines.append(f"run {lost['run']} diverged: its loss is no finite number at update {lost['update']:,}")
    for name in training["recipe"]["inferred"]:
        if name not in training["deviations"]:
            value = training["recipe"][name]
            lines.append(f"{name} {value} is inferred, ours: the paper gives none for {task['name']}")
    for name, value in training["deviations"].items():
        lines.append(f"not as in the paper: {name} {value['here']} instead of {value['paper']}")
    return "\n".join(lines)


def _spread(values: Sequence[float], show_one: Callable[[float], str]) -> str:
    low, middle, high = map(show_one, (min(values), statistics.median(values), max(values)))
    return f"min {low}, median {middle}, max {high}"
