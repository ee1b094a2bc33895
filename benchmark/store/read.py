"""Reading a split back, and seeing at once whether it is what its manifest says."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.errors import DataError, UsageError
from marnn_bench.examples import (
    Examples,
    LanguageModellingExamples,
    RecognitionExamples,
    SetExamples,
    TransductionExamples,
)
from marnn_bench.file_digests import file_digest
from marnn_bench.fresh import fresh_examples
from marnn_bench.generators.window import Window
from marnn_bench.store.arrow import open_file
from marnn_bench.store.columns import read_answers, read_labels, read_log_probs, read_strings, read_targets
from marnn_bench.store.content import contents
from marnn_bench.store.digest import split_digest, table_digests
from marnn_bench.store.manifest import REGENERATE_HINT, read_manifest
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import LanguageModelling, NextSymbol, Recognition, Synchronous, Transduce

FRESH_ROWS: Final = 1000
"""Rows of an endless train split that trivial answers are fitted on."""


def read_split(folder: str | Path, task: Task | str, split: str) -> Examples:
    """The examples of a split in a folder that `generate` wrote, of the class that belongs to the task's view.

    Raises UsageError if the folder has no such split, DataError if it is not what the manifest says.
    """
    folder, task = Path(folder), find_task(task)
    entry = split_entry(folder, task, split)
    table = read_rows(folder, entry)
    listed = with_manifest_splits(task, read_manifest(folder)["tasks"][task.name]["splits"])
    where = entry["shards"][0]["file"]
    if isinstance(task.view, LanguageModelling):
        for shard in entry["shards"]:  # no digest holds floating-point numbers
            check_file(folder / shard["file"], shard["sha256"])
    return examples_of(listed, split, table, entry["digest"], where)


def read_train(folder: Path, task: Task) -> Examples | None:
    """What trivial answers are fitted on: the train split; of an endless one that was not written, its beginning.

    None if the folder has no train split, and none can be had by drawing.
    """
    if "train" in read_manifest(folder)["tasks"][task.name]["splits"]:
        return read_split(folder, task, "train")
    endless = "train" in task.splits and task.split("train").rows == "fresh"
    return (
        fresh_examples(task, "train", FRESH_ROWS)
        if endless and not isinstance(task.view, Recognition)
        else None
    )


def made_train(name: str) -> Examples:
    """The train split of the task of this name, made without a file: what a model that fits itself is given.

    Of an endless split its beginning. UsageError if the task has none.
    """
    task = find_task(name)
    if "train" not in task.splits:
        raise UsageError(f"{name} has no train split; it has {', '.join(task.splits)}.")
    if task.split("train").rows == "fresh":
        return fresh_examples(task, "train", FRESH_ROWS)
    content = contents(task)["train"]
    table = pa.Table.from_batches([content.batch(0, len(content))])
    return examples_of(task, "train", table, content.digest(), "train")


def examples_of(task: Task, split: str, table: pa.Table, digest: str, where: str) -> Examples:
    """The rows of a split, in a table as it is written. DataError if they are not such rows; `where` is what it names."""
    strings = read_strings(task, table, where)
    match task.view:
        case NextSymbol() | Synchronous():
            return SetExamples(task, split, strings, read_answers(task, table, strings, where), digest)
        case Transduce():
            return TransductionExamples(task, split, strings, read_targets(task, table, where), digest)
        case Recognition():
            return RecognitionExamples(task, split, strings, *read_labels(task, table, where), digest)
        case LanguageModelling():
            log_probs = read_log_probs(task, table, where)
            return LanguageModellingExamples(task, split, strings, log_probs, digest)
    raise UsageError(f"{task.name}: nothing reads the view {task.view.name}.")


def with_manifest_splits(task: Task, entries: dict[str, dict[str, Any]]) -> Task:
    """The task with the rows, windows and laws that a manifest gives for its splits."""
    splits = dict(task.splits)
    for name, entry in entries.items():
        window, law, asked = Window.parse(entry["window"]), entry["law"], entry["asked"]
        if isinstance(asked, str) and asked not in ("all", "fresh"):
            raise DataError(f"The manifest asks {asked!r:.50} rows of {task.name} {name}. {REGENERATE_HINT}")
        splits[name] = replace(
            task.split(name), rows=asked, window=window, law=law, distinct=entry["distinct"]
        )
    return replace(task, splits=splits)


def read_rows(folder: Path, entry: dict[str, Any]) -> pa.Table:
    """All rows of a split, from its files in order; DataError if they are not those of the manifest."""
    table = pa.concat_tables([read_file(folder / shard["file"]) for shard in entry["shards"]])
    if table.num_rows != entry["rows"] or split_digest(table_digests(table)) != entry["digest"]:
        where = ", ".join(shard["file"] for shard in entry["shards"])
        raise DataError(
            f"{folder / where} is damaged or edited: its rows are not those of the manifest. {REGENERATE_HINT}"
        )
    return table


def split_entry(folder: Path, task: Task, split: str) -> dict[str, Any]:
    """What the manifest says of a split."""
    if not folder.is_dir():
        raise UsageError(
            f"There is no folder {folder}. Write it with `marnn-bench generate --task {task.name} --out {folder}`."
        )
    known = read_manifest(folder)["tasks"].get(task.name)
    if known is None:
        raise UsageError(
            f"{folder} has no {task.name}. Add it with `marnn-bench generate --task {task.name} --out {folder}`."
        )
    if known["version"].split(".")[0] != task.version.split(".")[0]:
        raise UsageError(
            f"{folder} has {task.name} {known['version']}, this program asks {task.version}: generate it again with --overwrite."
        )
    if split not in known["splits"]:
        raise UsageError(
            f"{task.name} in {folder} has no split {split!r}; it has {', '.join(known['splits'])}."
        )
    entry: dict[str, Any] = known["splits"][split]
    return entry


def read_file(path: Path) -> pa.Table:
    """The rows of one Parquet file."""
    with readable(path):
        return pq.ParquetFile(open_file(path)).read()


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """DataError if a Parquet file is missing or cannot be decoded."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path} is missing. {REGENERATE_HINT}") from None
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EISDIR):
            raise
        reason = " ".join(str(error).split())[:100]
        raise DataError(f"{path} is damaged or cut off ({reason}). {REGENERATE_HINT}") from None


def check_file(path: Path, sha256: str) -> None:
    """DataError unless the file is there and has this hash."""
    if not path.exists():
        raise DataError(f"{path} is missing. {REGENERATE_HINT}")
    if file_digest(path) != sha256:
        raise DataError(
            f"{path} is damaged or edited: its sha256 is not that of the manifest. {REGENERATE_HINT}"
        )
