"""Receipts, one per finished file, and the manifest that is rebuilt from them.

Jobs that run at the same time share no file: each writes its own receipts, and whoever finishes rebuilds the
manifest. Every write goes to a temporary name and is renamed, so that a reader never sees half a file.
"""

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from marnn_bench.errors import DataError, UsageError
from marnn_bench.store.arrow import numbers
from marnn_bench.store.columns import schema
from marnn_bench.store.content import Content
from marnn_bench.store.digest import ALGORITHM, split_digest, type_name

FORMAT = 1
RECEIPTS = ".receipts"


@dataclass(frozen=True)
class Plan:
    """What a file belongs to: all that fixes the content of a split, and into how many files it is cut."""

    task: str
    version: str
    split: str
    position: int
    view: str
    law: str
    window: str
    distinct: bool
    asked: int | str
    rows: int
    alphabet: list[str]
    columns: list[str]
    files: int
    key: str
    question: str
    features: dict[str, str] = field(compare=False)
    about: dict[str, str] = field(compare=False)

    @classmethod
    def of(cls, content: Content, shard_rows: int) -> "Plan":
        """The plan for a split in files of this many rows."""
        task, split, rows = content.task, content.split, len(content)
        parameters = task.parameters(split)
        return cls(
            task=task.name,
            version=task.version,
            split=split,
            position=[*task.splits].index(split),
            view=task.view.name,
            law=parameters["law"],
            window=parameters["window"],
            distinct=parameters["distinct"],
            asked=task.split(split).rows,
            rows=rows,
            alphabet=list(task.language.alphabet),
            columns=list(task.columns),
            features={field.name: type_name(field.type) for field in schema(task, split)},
            about={"summary": task.summary, "paper": task.paper, "language_class": task.language_class},
            files=-(-rows // shard_rows),
            key=f"{task.key(split):016x}",
            question=repr(task.view),
        )

    def file(self, index: int) -> str:
        """The path of a file below the output folder."""
        return f"data/{self.task}/{self.split}-{index:05d}-of-{self.files:05d}.parquet"

    def receipt(self, index: int) -> str:
        """The path of that file's receipt."""
        return f"{RECEIPTS}/{self.task}/{self.split}-{index:05d}-of-{self.files:05d}.json"


@dataclass(frozen=True)
class Receipt:
    """What was written into one file; numbers of symbols and depths are of all its rows together."""

    plan: Plan
    index: int
    rows: int
    bytes: int
    sha256: str
    blocks: list[str]
    symbols: int
    depth: int
    shortest: int
    longest: int
    deepest: int
    repetition_rate: float | None
    arrow_bytes: int
    format: int = field(default=FORMAT)

    @classmethod
    def read(cls, path: Path) -> "Receipt":
        """The receipt in this file."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if content["format"] != FORMAT:
                raise DataError(f"{path} is of another format. Generate the task again with --overwrite.")
            return cls(**{**content, "plan": Plan(**content["plan"])})
        except (ValueError, TypeError, KeyError) as error:
            raise DataError(
                f"{path} is damaged ({error}). Generate the task again with --overwrite."
            ) from None


class Totals:
    """What adds up over the blocks of a file."""

    def __init__(self) -> None:
        self.blocks: list[str] = []  # their digests
        self.rows = self.symbols = self.depth = self.longest = self.deepest = self.arrow_bytes = 0
        self.shortest: int | None = None

    def add(self, batch: pa.RecordBatch) -> None:
        """Count these rows."""
        lengths = numbers(batch["length"])
        depths = numbers(batch["depth"]) if "depth" in batch.schema.names else lengths[:0]
        self.rows += batch.num_rows
        self.symbols += int(lengths.sum())
        self.depth += int(depths.sum())
        self.longest = max(self.longest, int(lengths.max()))
        self.deepest = max(self.deepest, int(depths.max(initial=0)))
        self.arrow_bytes += batch.nbytes
        shortest = int(lengths.min())
        self.shortest = shortest if self.shortest is None else min(self.shortest, shortest)

    def receipt(
        self, plan: Plan, index: int, size: int, sha256: str, repetition_rate: float | None
    ) -> Receipt:
        """The receipt of a file of this size and sha256."""
        return Receipt(
            plan=plan,
            index=index,
            rows=self.rows,
            bytes=size,
            sha256=sha256,
            blocks=self.blocks,
            symbols=self.symbols,
            depth=self.depth,
            shortest=self.shortest or 0,
            longest=self.longest,
            deepest=self.deepest,
            repetition_rate=repetition_rate,
            arrow_bytes=self.arrow_bytes,
        )


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole: a reader sees the old content or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_json(path: Path, content: Any) -> None:
    """Write JSON as a whole."""
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def receipts(out: Path, task: str | None = None) -> Iterator[Receipt]:
    """The receipts below a folder, of one task or of all."""
    for path in sorted((out / RECEIPTS).glob(f"{task or '*'}/*.json")):
        yield Receipt.read(path)


def build_manifest(out: Path) -> dict[str, Any]:
    """What the folder holds, from its receipts; splits of which files are still missing are left out."""
    by_split: dict[tuple[str, str], list[Receipt]] = {}
    for receipt in sorted(receipts(out), key=lambda r: (r.plan.task, r.plan.position, r.index)):
        by_split.setdefault((receipt.plan.task, receipt.plan.split), []).append(receipt)
    tasks: dict[str, Any] = {}
    for (task, split), found in by_split.items():
        plan = found[0].plan
        if len(found) == plan.files:
            entry = tasks.setdefault(task, {**_task_entry(plan), "splits": {}})
            entry["splits"][split] = _split_entry(found)
    for task, entry in tasks.items():
        if leaks_file(out, task).exists():
            entry["leaks"] = json.loads(leaks_file(out, task).read_text(encoding="utf-8"))
    return {"format": FORMAT, "digest_algorithm": ALGORITHM, "tasks": tasks}


def leaks_file(out: Path, task: str) -> Path:
    """Where the leak report of a task is kept, beside the folder of its receipts."""
    return out / RECEIPTS / f"{task}.json"


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a folder that `generate` wrote."""
    path = folder / "manifest.json"
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}. Give one that `marnn-bench generate --out` wrote.")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(
            f"{folder} has no manifest.json; is it a folder that `marnn-bench generate` wrote?"
        ) from None
    except ValueError as error:
        raise DataError(f"{path} is damaged ({error}). Generate the data again with --overwrite.") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DataError(f"{path} is not of format {FORMAT}; generate the data again with this version.")
    return manifest


def _task_entry(plan: Plan) -> dict[str, Any]:
    shared = asdict(plan)
    return {name: shared[name] for name in ("version", "view", "about", "alphabet", "columns", "features")}


def _split_entry(found: list[Receipt]) -> dict[str, Any]:
    plan, rows = found[0].plan, sum(receipt.rows for receipt in found)
    symbols = sum(receipt.symbols for receipt in found)
    files = [
        {
            "file": plan.file(receipt.index),
            "rows": receipt.rows,
            "bytes": receipt.bytes,
            "sha256": receipt.sha256,
        }
        for receipt in found
    ]
    return {
        "rows": rows,
        "symbols": symbols,
        "digest": split_digest(block for receipt in found for block in receipt.blocks),
        "asked": plan.asked,
        "law": plan.law,
        "window": plan.window,
        "distinct": plan.distinct,
        "key": plan.key,
        "repetition_rate": found[0].repetition_rate,
        "length": {
            "min": min(receipt.shortest for receipt in found),
            "mean": round(symbols / rows, 4),
            "max": max(receipt.longest for receipt in found),
        },
        "depth": {
            "mean": round(sum(receipt.depth for receipt in found) / rows, 4),
            "max": max(receipt.deepest for receipt in found),
        },
        "arrow_bytes": sum(receipt.arrow_bytes for receipt in found),
        "shards": files,
    }
