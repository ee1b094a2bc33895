"""marnn-bench reproduce"""

import json
import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click

from marnn_bench.baselines.engines import ENGINES, Engine
from marnn_bench.commands.completion import Completed
from marnn_bench.commands.output import Table, format_option, note, show, show_percent, suggest
from marnn_bench.commands.selection import data_of
from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.reproduce.entries import (
    TRAINING,
    Options,
    experiment_of,
    fits,
    train_and_evaluate,
)
from marnn_bench.leaderboard.reproduce.printing import page_of, tables_of, text_of
from marnn_bench.leaderboard.reproduce.records import make_record, make_row
from marnn_bench.leaderboard.reproduce.reproduction import PRESETS, Entry, Preset, Reproduction
from marnn_bench.leaderboard.reproduce.tables import REPRODUCTIONS, find_reproduction
from marnn_bench.leaderboard.reproduce.workers import each_done
from marnn_bench.leaderboard.results import read_result
from marnn_bench.scoring.metrics import Record
from marnn_bench.store.cache import cached_data
from marnn_bench.store.manifest import write_json, write_text
from marnn_bench.tasks.registry import find_task

COMPLETE: Final = "training.json"
"""Written last: a training without it is to be done."""

CORES: Final = os.cpu_count() or 1


def _names(ctx: click.Context) -> Iterable[str]:
    return dict.fromkeys(reproduction.name for reproduction in REPRODUCTIONS)


@click.command()
@click.argument("name", required=False, type=Completed(_names))
@click.option(
    "--preset",
    type=click.Choice(PRESETS),
    help="As in the paper, or smaller, where there is such a one.  [default: paper, if there is one]",
)
@click.option("--out", type=click.Path(path_type=Path), help="The folder to write.  [default: runs/NAME]")
@click.option(
    "--runs", type=click.IntRange(1), help="Trainings of each row.  [default: the table's, mostly 100]"
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the initial parameters."
)
@click.option("--model", "models", multiple=True, metavar="MODEL", help="Only this row, repeatable.")
@click.option("--epochs", type=click.IntRange(1), help="Instead of the recipe's.")
@click.option("--rows", type=click.IntRange(1), help="Train on the first rows only.  [default: all]")
@click.option("--device", default="cpu", show_default=True, help="cpu, cuda, or cuda:1 for the second GPU.")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="auto",
    show_default=True,
    help="What executes it; auto: compiled if it can be, else reference.",
)
@click.option(
    "--data", type=click.Path(path_type=Path), help="What `generate` wrote.  [default: ./data, else made]"
)
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=CORES,
    show_default="the number of cores",
    help="Rows that are trained side by side.",
)
@click.option("--overwrite", is_flag=True, help="Do again what is there.")
@format_option
def reproduce(
    name: str | None,
    preset: Preset | None,
    out: Path | None,
    runs: int | None,
    seed: int,
    models: tuple[str, ...],
    epochs: int | None,
    rows: int | None,
    device: str,
    engine: Engine,
    data: Path | None,
    jobs: int,
    overwrite: bool,
    style: str,
) -> None:
    """Make a paper's table anew.

    NAME is one of those that the command lists without it. Every row is trained by the paper's recipe and evaluated on
    the test split; the table has the paper's numbers beside ours, and the share of runs that solve the task. A grid
    varies learning rate and epochs, and ends in a picture. The preset laptop is ours: smaller tasks and models, or fewer
    epochs, for what takes days as in the paper.

    OUT has MODEL/TASK/training and MODEL/TASK/test, what `train` and `eval` write, and table.md and table.json. The same
    command goes on where it was stopped, and does not do again what is done.
    """
    if name is None:
        _list(style)
        return
    reproduction = find_reproduction(name, preset)
    chosen = _chosen(reproduction, models)
    entries = [entry for entry in reproduction.entries() if entry.model in chosen]
    jobs = min(jobs, len(entries))
    threads = max(1, CORES // jobs)
    options = Options(runs or reproduction.runs, seed, epochs, rows, device, engine, threads, overwrite)
    if reproduction.is_grid and epochs:
        raise UsageError(f"{name} varies the epochs: leave out --epochs.")
    if reproduction.is_drawn:
        from marnn_bench.leaderboard.reproduce import shown  # altair, before anything takes long
    if reproduction.is_matrix:
        entries = [entry for entry in entries if fits(experiment_of(reproduction, entry, options))]
    out = out or Path("runs") / reproduction.folder
    _require_same_table(out, reproduction)
    if reproduction.hours:
        note(_time_of(reproduction, out, entries, jobs))
    rows_made = _rows(reproduction, entries, out, data, options, jobs)
    record = make_record(reproduction, rows_made, options, chosen)
    if reproduction.traced:
        record["traced"] = shown.traced_record(reproduction.traced, record, out)
    write_json(out / "table.json", record)
    write_text(out / "table.md", page_of(record))
    note(f"{out / 'table.md'} and table.json written.")
    if reproduction.is_drawn:
        for picture in shown.pictures(reproduction, record, out):
            note(f"{picture} written.")
    show(style, text_of(record), record, tables_of(record))
    if not reproduction.is_grid:
        suggest(("leaderboard", "show", out, "--plot", "accuracy.html"))


def _list(style: str) -> None:
    listed: list[dict[str, Any]] = [
        {
            "name": it.name,
            "preset": it.preset,
            "what": it.source,
            "tasks": [*it.tasks],
            "trainings": len([*it.entries()]),
        }
        for it in REPRODUCTIONS
    ]
    rows = [[it["name"], it["preset"], it["what"], str(it["trainings"])] for it in listed]
    table = Table(rows, ["name", "preset", "what", "rows"], ["left", "left", "left", "right"])
    show(style, str(table), listed, [table])
    suggest(("reproduce", REPRODUCTIONS[0].name))


def _time_of(reproduction: Reproduction, out: Path, entries: Sequence[Entry], jobs: int) -> str:
    """How long that will take which is not there, if all entries take as long as each other."""
    left = sum(not (out / entry.place / TRAINING / COMPLETE).exists() for entry in entries)
    hours = (reproduction.hours or 0) * left / len([*reproduction.entries()])
    return (
        f"{left} of {len(entries)} trainings are to be done: about {hours:.1f} core-hours, {hours / jobs:.1f} hours here. "
        "The same command goes on where it was stopped."
    )


def _require_same_table(out: Path, reproduction: Reproduction) -> None:
    try:
        record = json.loads((out / "table.json").read_bytes())
        there = record["name"], record.get("preset", "paper")
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return
    if there[0] != reproduction.name:
        raise UsageError(f"{out} holds {there[0]}, not {reproduction.name}: choose another --out.")
    if there[1] != reproduction.preset:
        raise UsageError(
            f"{out} holds the preset {there[1]}, not {reproduction.preset}: choose another --out."
        )


def _chosen(reproduction: Reproduction, models: Sequence[str]) -> tuple[str, ...]:
    for model in models:
        if model not in reproduction.models:
            raise UsageError(
                f"{reproduction.name} has no row {model!r}: its rows are {', '.join(reproduction.models)}."
            )
    return tuple(model for model in reproduction.models if model in models or not models)


def _rows(
    reproduction: Reproduction,
    entries: Sequence[Entry],
    out: Path,
    data: Path | None,
    options: Options,
    jobs: int,
) -> list[Record]:
    """The rows of all entries, in their order; each entry is told of when it is there."""
    tasks = [find_task(name) for name in dict.fromkeys(entry.task for entry in entries)]
    folders = {task.name: data_of(task, data) or cached_data(task) for task in tasks}
    work = partial(_of_entry, reproduction, out, folders, options, ["marnn-bench", *sys.argv[1:]])
    rows: dict[Entry, list[Record]] = {}
    began = time.monotonic()
    try:
        for entry, of_entry in each_done(work, entries, jobs):
            rows[entry] = of_entry
            seconds = time.monotonic() - began
            note(f"{len(rows)}/{len(entries)}  {entry.place}: {_said(of_entry)}  {seconds:,.0f} s")
    except KeyboardInterrupt:
        note("The same command continues where it stopped.")
        raise
    return [row for entry in entries for row in rows[entry]]


def _of_entry(
    reproduction: Reproduction,
    out: Path,
    folders: Mapping[str, Path],
    options: Options,
    command: list[str],
    entry: Entry,
) -> list[Record]:
    """Train and evaluate what is missing, and read the results, which scores them again: the rows that a process makes."""
    task = find_task(entry.task)
    splits, metrics = reproduction.splits or (task.default_split,), reproduction.metrics or (task.headline,)
    experiment = experiment_of(reproduction, entry, options)
    training = train_and_evaluate(
        experiment, splits, out / entry.place, folders[entry.task], options, command
    )
    results = [read_result(out / entry.place / split) for split in splits]
    return [
        make_row(reproduction, entry, result, training, metric) for result in results for metric in metrics
    ]


def _said(rows: Sequence[Record]) -> str:
    """Of the last split that is asked, the first metric that is printed."""
    ours = next(row["ours"] for row in rows if row.get("split") == rows[-1].get("split"))
    solved = f", solved by {ours['solved']['runs']} of {ours['runs']}" if ours["solved"] else ""
    return f"median {show_percent(ours['median'])}{solved}"
