"""The data that a result speaks of, made anew from what the result says of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from marnn_bench.errors import DataError, UsageError
from marnn_bench.examples import Examples
from marnn_bench.generators.errors import MarnnError
from marnn_bench.generators.window import Window
from marnn_bench.scoring.metrics import Record
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split, read_train
from marnn_bench.task import Split, Task
from marnn_bench.tasks.registry import find_task

MOST_SYMBOLS: Final = 20_000_000
"""So many symbols of a split are made without being asked for, and as many as the task's own split has."""

TIMES_LONGER: Final = 10
"""So many times the longest string of the task's own split may the longest one be."""


def data_of(folder: Path, asked: Any, data: Path | None = None) -> tuple[Examples, Examples | None]:
    """The split that a result was evaluated on, and train, if there is one.

    asked:  the entry `task` of its record, whoever wrote it
    data:   a folder that has it; made anew if none is given

    UsageError if it would be too much to make, DataError if it is not what the result speaks of.
    """
    try:
        task = find_task(asked["name"])
        _require_version(asked["version"], task)
        if data is None:
            task = _with_splits(task, asked)
        made = data or cached_data(task)
        examples = read_split(made, task, asked["split"])
        train = read_train(made, task) if asked.get("train", True) else None
    except UsageError as error:
        raise UsageError(f"{folder}: {error}") from None
    except (MarnnError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise DataError(f"{folder}: its data cannot be made again ({error!s:.200}).") from None
    if examples.digest != asked.get("digest"):
        raise DataError(
            f"{folder}: its data is not {task.name} {examples.split} as this program has it: "
            f"digest {asked.get('digest')!s:.12}, here {examples.digest:.12}. Run `marnn-bench eval` again."
        )
    return examples, train


def _require_version(said: str, task: Task) -> None:
    if said.split(".")[0] != task.version.split(".")[0]:
        raise UsageError(
            f"{task.name} was evaluated in version {said:.20}, here is {task.version}. Run `marnn-bench eval` again."
        )


def _with_splits(task: Task, asked: Record) -> Task:
    """The task with the splits that a result was evaluated on."""
    said = asked.get("splits") or {asked["split"]: _split_of_version_1(asked, task.split(asked["split"]))}
    changed = {name: _changed(task, name, split) for name, split in said.items()}
    return replace(task, splits={**task.splits, **changed})


def _changed(task: Task, name: str, said: Record) -> Split:
    own = task.split(name)
    rows, law, distinct = said["rows"], said["law"], said["distinct"]
    if not (rows in ("all", "fresh") or type(rows) is int) or type(distinct) is not bool:
        raise ValueError(f"{rows!r:.40} rows, distinct {distinct!r:.40}")
    split = replace(own, rows=rows, law=law, window=Window.parse(said["window"]), distinct=distinct)
    if split != own:
        _require_little_work(task, name, split)
    return split


def _require_little_work(task: Task, name: str, split: Split) -> None:
    """UsageError for what would take long to make: a record may ask for anything."""
    own, language = task.split(name), task.language
    known = (own.law, *(language.law(law).spec for law in language.law_names))
    longer = split.window.high > TIMES_LONGER * own.window.high
    if longer or split.law not in known or _symbols(task, split) > max(MOST_SYMBOLS, _symbols(task, own)):
        raise UsageError(
            f"{name} with {split.rows} rows of {split.window}, law {split.law:.60}, is far from {task.name}'s own and "
            "not made unasked. Make it by `marnn-bench generate`, then `marnn-bench rescore RESULT --data DATA`."
        )


def _symbols(task: Task, split: Split) -> int:
    """How many symbols a split has at most; of an endless one, its longest string."""
    language, high = task.language, split.window.high
    longest = high if language.measure == "length" else high**2
    if split.rows == "fresh":
        return longest
    if split.rows == "all":
        return longest * sum(map(language.count, language.sizes(split.window)))
    return longest * split.rows * (len(language.sizes(split.window)) if split.per_size else 1)


def _split_of_version_1(asked: Record, own: Split) -> Record:
    """What version 1 says of the one split that it names."""
    rows = own.rows if isinstance(own.rows, str) or own.per_size else asked["rows"]
    return {"rows": rows, "law": asked["law"], "window": asked["window"], "distinct": own.distinct}
