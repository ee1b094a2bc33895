"""Receipts, one per finished file, and the manifest that is rebuilt from them.

Jobs that run at the same time share no file: each writes its own receipts, and whoever finishes rebuilds the
manifest. Every write goes to a temporary name and is renamed, so that a reader never sees half a file.
"""

import json
import math
import os
import tempfile
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import pyarrow as pa

from marnn_bench.errors import DataError, UsageError
from marnn_bench.store.arrow import numbers
from marnn_bench.store.columns import schema
from marnn_bench.store.content import Content
from marnn_bench.store.digest import ALGORITHM, split_digest, type_name

FORMAT = 2
RECEIPTS = ".receipts"
REGENERATE_HINT = "Generate the task again with --overwrite."


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
    about: dict[str, str | list[str]] = field(compare=False)

    @classmethod
    def of(cls, content: Content, shard_rows: int, rows: int | None = None) -> "Plan":
        """The plan for a split in files of this many rows; `rows` where the content cannot be generated."""
        task, split = content.task, content.split
        rows = len(content) if rows is None else rows
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
            about={
                "summary": task.summary,
                "paper": task.paper,
                "language_class": task.language_class,
                "notes": list(task.notes),
            },
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
    """What was written into one file; numbers of symbols and depths are of all its rows together.

    nats:  in the language-modelling view minus the sum of their `log_prob`, else None
    """

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
    nats: float | None
    repetition_rate: float | None
    arrow_bytes: int
    format: int = field(default=FORMAT)

    @classmethod
    def read(cls, path: Path) -> "Receipt":
        """The receipt in this file."""
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(content, dict) and content.get("format") != FORMAT:
                raise DataError(f"{path} is of another format. {REGENERATE_HINT}")
            receipt = cls(**_typed(cls, content))
            if not receipt.rows or path.parts[-3:] != Path(receipt.plan.receipt(receipt.index)).parts:
                raise ValueError("it is of another file")
            split_digest(receipt.blocks)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise DataError(f"{path} is damaged ({error}). {REGENERATE_HINT}") from None
        return receipt


def _typed(cls: type[Any], content: Any) -> dict[str, Any]:
    """The arguments for a dataclass of this file, each of its type; numbers from 0 to 2^63."""
    kinds = get_type_hints(cls)
    if set(content) != set(kinds):
        raise ValueError("it has other fields")
    for name, kind in kinds.items():
        if not _is_of(content[name], Plan if kind is Plan else kind):
            raise ValueError(f"{name} is {content[name]!r:.50}")
    return {name: Plan(**content[name]) if kind is Plan else content[name] for name, kind in kinds.items()}


def _is_of(value: Any, kind: Any) -> bool:
    match get_origin(kind), get_args(kind):
        case types.UnionType, kinds:
            return any(_is_of(value, one) for one in kinds)
        case origin, (*_, element) if origin in (list, dict):
            elements = value.values() if isinstance(value, dict) else value
            return isinstance(value, origin) and all(_is_of(one, element) for one in elements)
    if kind is Plan:
        return bool(_typed(Plan, value))
    return type(value) is kind and (kind not in (int, float) or 0 <= value < 1 << 63)


class Totals:
    """What adds up over the blocks of a file."""

    def __init__(self) -> None:
        self.blocks: list[str] = []  # their digests
        self.rows = self.symbols = self.depth = self.longest = self.deepest = self.arrow_bytes = 0
        self.shortest: float = math.inf
        self.nats: float | None = None

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
        self.shortest = min(self.shortest, int(lengths.min()))
        if "log_prob" in batch.schema.names:
            self._add_nats(-float(numbers(batch["log_prob"]).sum()))

    def merge(self, other: "Totals") -> None:
        """Count what another has counted, behind it."""
        self.blocks += other.blocks
        self.rows += other.rows
        self.symbols += other.symbols
        self.depth += other.depth
        self.longest = max(self.longest, other.longest)
        self.deepest = max(self.deepest, other.deepest)
        self.arrow_bytes += other.arrow_bytes
        self.shortest = min(self.shortest, other.shortest)
        if other.nats is not None:
            self._add_nats(other.nats)

    def _add_nats(self, nats: float) -> None:
        self.nats = nats + (self.nats or 0.0)

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
            shortest=int(self.shortest),
            longest=self.longest,
            deepest=self.deepest,
            nats=self.nats,
            repetition_rate=repetition_rate,
            arrow_bytes=self.arrow_bytes,
        )


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole: a reader sees the old content or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
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
    found = list(receipts(out))
    leaks = {}
    for task in {receipt.plan.task for receipt in found}:
        path = leaks_file(out, task)
        if path.exists():
            try:
                leaks[task] = json.loads(path.read_text(encoding="utf-8"))
            except (ValueError, RecursionError) as error:
                raise DataError(f"{path} is damaged ({error}). {REGENERATE_HINT}") from None
    return manifest_of(found, leaks)


def manifest_of(found: Iterable[Receipt], leaks: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of these receipts and leak reports, by task."""
    by_split: dict[tuple[str, str], list[Receipt]] = {}
    for receipt in sorted(found, key=lambda r: (r.plan.task, r.plan.position, r.index)):
        by_split.setdefault((receipt.plan.task, receipt.plan.split), []).append(receipt)
    tasks: dict[str, Any] = {}
    for (task, split), files in by_split.items():
        plan = files[0].plan
        if len(files) == plan.files:
            entry = tasks.setdefault(task, {**_task_entry(plan), "splits": {}})
            entry["splits"][split] = _split_entry(files)
    for task, entry in tasks.items():
        if task in leaks:
            entry["leaks"] = leaks[task]
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
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is damaged ({error}). {REGENERATE_HINT}") from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise DataError(f"{path} is not of format {FORMAT}; generate the data again with this version.")
    wrong = _misshapen(manifest, SHAPE, "")
    if wrong:
        raise DataError(
            f"{path} is damaged: {' '.join(wrong.split())} is wrong or missing. {REGENERATE_HINT}"
        )
    return manifest


class _Path(str):
    """A path that stays below the folder."""


_SHARD = {"file": _Path, "rows": int, "bytes": int, "sha256": str}
_SPLIT = {
    "rows": int, "symbols": int, "digest": str, "asked": int | str, "law": str, "window": str, "distinct": bool,
    "key": str, "repetition_rate": float | None, "bound_nats_per_symbol": float | None, "length": {str: int | float}, "depth": {str: int | float},
    "arrow_bytes": int, "shards": [_SHARD],
}  # fmt: skip
_TASK = {
    "version": str, "view": str, "about": {str: str | list[str]}, "alphabet": [str], "columns": [str], "features": {str: str},
    "splits": {str: _SPLIT},
}  # fmt: skip
SHAPE = {"digest_algorithm": str, "tasks": {str: _TASK}}
"""Of a manifest: of each field its type; of a mapping {str: what each value is}, of a list [what each element is]."""


def _misshapen(found: Any, shape: Any, path: str) -> str | None:
    """The path of a field that has not its shape."""
    deeper: list[tuple[Any, Any, str]] = []
    if isinstance(shape, dict):
        if not isinstance(found, dict):
            return path or "all of it"
        each = shape.get(str)
        deeper = [(found.get(key), each or shape[key], f"{path}/{key}") for key in (found if each else shape)]
    elif isinstance(shape, list):
        if not isinstance(found, list) or not found:
            return path
        deeper = [(element, shape[0], f"{path}/{i}") for i, element in enumerate(found)]
    elif shape is _Path:
        inside = isinstance(found, str) and "\0" not in found and found.startswith("data/")
        return None if inside and ".." not in Path(found).parts else path
    else:
        return None if _is_of(found, shape) else path
    return next(filter(None, (_misshapen(*each) for each in deeper)), None)


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
        "bound_nats_per_symbol": _bound(found),
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


def _bound(found: list[Receipt]) -> float | None:
    """The least cross-entropy that a model can expect, of each symbol and END: nats by (symbols + rows)."""
    nats = [receipt.nats for receipt in found if receipt.nats is not None]
    return sum(nats) / sum(receipt.symbols + receipt.rows for receipt in found) if nats else None
