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
from marnn_bench.leaderboard.reproduce.entries import Options, result_folder, train_and_evaluate
from marnn_bench.leaderboard.reproduce.printing import page_of, table_of, text_of
from marnn_bench.leaderboard.reproduce.records import make_record, make_row
from marnn_bench.leaderboard.reproduce.tables import (
    REPRODUCTIONS,
    Entry,
    Reproduction,
    find_reproduction,
)
from marnn_bench.leaderboard.reproduce.workers import each_done
from marnn_bench.leaderboard.results import read_result
from marnn_bench.scoring.metrics import Record
from marnn_bench.store.cache import cached_data
from marnn_bench.store.manifest import write_json, write_text
from marnn_bench.tasks.registry import find_task

CORES: Final = os.cpu_count() or 1


def _names(ctx: click.Context) -> Iterable[str]:
    return (reproduction.name for reproduction in REPRODUCTIONS)


@click.command()
@click.argument("name", required=False, type=Completed(_names))
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
    varies learning rate and epochs, and ends in a picture.

    OUT has MODEL/TASK/training and MODEL/TASK/test, what `train` and `eval` write, and table.md and table.json. The same
    command goes on where it was stopped, and does not do again what is done.
    """
    if name is None:
        _list(style)
        return
    reproduction = find_reproduction(name)
    chosen = _chosen(reproduction, models)
    entries = [entry for entry in reproduction.entries() if entry.model in chosen]
    jobs = min(jobs, len(entries))
    threads = max(1, CORES // jobs)
    runs = runs or reproduction.runs
    options = Options(runs, seed, epochs, rows, device, engine, threads, overwrite, reproduction.stream)
    if reproduction.is_grid:
        if epochs:
            raise UsageError(f"{name} varies the epochs: leave out --epochs.")
        from marnn_bench.leaderboard.reproduce.picture import draw  # altair, before anything takes long
    out = out or Path("runs") / name
    _require_same_table(out, name)
    rows_made = _rows(reproduction, entries, out, data, options, jobs)
    record = make_record(reproduction, rows_made, options, chosen)
    write_json(out / "table.json", record)
    write_text(out / "table.md", page_of(record))
    note(f"{out / 'table.md'} and table.json written.")
    if reproduction.is_grid:
        draw(record, out / "solved.svg")
        note(f"{out / 'solved.svg'} written.")
    show(style, text_of(record), record, [table_of(record)])
    if not reproduction.is_grid:
        suggest(("leaderboard", "show", out, "--plot", "accuracy.html"))


def _list(style: str) -> None:
    listed: list[dict[str, Any]] = [
        {
            "name": it.name,
            "what": it.source,
            "tasks": [*it.tasks],
            "trainings": len([*it.entries()]),
        }
        for it in REPRODUCTIONS
    ]
    rows = [
        [it["name"], it["what"], it["tasks"][0] + ", ..." * (len(it["tasks"]) > 1), str(it["trainings"])]
        for it in listed
    ]
    table = Table(rows, ["name", "what", "tasks", "rows"], ["left", "left", "left", "right"])
    show(style, str(table), listed, [table])
    suggest(("reproduce", REPRODUCTIONS[0].name))


def _require_same_table(out: Path, name: str) -> None:
    try:
        there = json.loads((out / "table.json").read_bytes())["name"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if there != name:
        raise UsageError(f"{out} holds {there}, not {name}: choose another --out.")


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
    """The rows of all entries, in their order, each told of when it is there."""
    tasks = [find_task(name) for name in dict.fromkeys(entry.task for entry in entries)]
    folders = {task.name: data_of(task, data) or cached_data(task) for task in tasks}
    work = partial(_row, reproduction, out, folders, options, ["marnn-bench", *sys.argv[1:]])
    rows: dict[Entry, Record] = {}
    began = time.monotonic()
    try:
        for entry, row in each_done(work, entries, jobs):
            rows[entry] = row
            seconds = time.monotonic() - began
            note(f"{len(rows)}/{len(entries)}  {entry.place}: {_said(row['ours'])}  {seconds:,.0f} s")
    except KeyboardInterrupt:
        note("The same command continues where it stopped.")
        raise
    return [rows[entry] for entry in entries]


def _row(
    reproduction: Reproduction,
    out: Path,
    folders: Mapping[str, Path],
    options: Options,
    command: list[str],
    entry: Entry,
) -> Record:
    """Train and evaluate what is missing, and read the result, which scores it again: what a process does."""
    training = train_and_evaluate(entry, out, folders[entry.task], options, command)
    return make_row(reproduction, entry, read_result(result_folder(entry, out)), training)


def _said(ours: Record) -> str:
    solved = f", solved by {ours['solved']['runs']} of {ours['runs']}" if ours["solved"] else ""
    return f"median {show_percent(ours['median'])}{solved}"
