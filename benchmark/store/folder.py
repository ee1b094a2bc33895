"""What a folder says of itself, compared: manifest, receipts, card, and the files that are there.

A copy from the Hub has no receipts; where there are some, all must be there. It may have what `publish` adds: eval.yaml, and
pictures of tasks, whose bytes nobody vouches for.
"""

import json
import math
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from marnn_bench.errors import DataError
from marnn_bench.store.card import benchmark_file, dataset_card, picture_file
from marnn_bench.store.manifest import (
    RECEIPTS,
    REGENERATE_HINT,
    Receipt,
    build_manifest,
    leaks_file,
    receipts,
)

CARD, MANIFEST, BENCHMARK = "README.md", "manifest.json", "eval.yaml"

NEIGHBOURS = (".git", ".gitattributes", ".cache")
"""What git and the Hub's client keep in a folder that is none of the data."""


def check_description(folder: Path, manifest: dict[str, Any]) -> None:
    """DataError unless manifest, receipts and list of files of a folder belong together, and a card can be made of them."""
    if not manifest["tasks"]:
        raise DataError(f"{folder} holds no finished task. Run `marnn-bench generate` again.")
    if (folder / RECEIPTS).is_dir():
        differs = difference(manifest, build_manifest(folder))
        if differs is not None:
            raise DataError(f"{folder / MANIFEST}: {differs} is not what its receipts say. {REGENERATE_HINT}")
    _check_files(folder, manifest)
    _card(folder, manifest)


def check_card(folder: Path, manifest: dict[str, Any]) -> None:
    """DataError unless the card is that of the manifest and of the files, which are to be sound themselves: it shows rows of them."""
    card = folder / CARD
    if not card.is_file():
        raise DataError(f"{card} is missing. {REGENERATE_HINT}")
    if card.read_bytes() != _card(folder, manifest).encode():
        raise DataError(f"{card} was edited: it is not the card of the manifest. {REGENERATE_HINT}")
    benchmark = folder / BENCHMARK
    if benchmark.exists() and benchmark.read_bytes() != benchmark_file(manifest).encode():
        raise DataError(f"{benchmark} was edited: it is not that of the manifest. Remove it.")


def _card(folder: Path, manifest: dict[str, Any]) -> str:
    try:
        drawn = [task for task in manifest["tasks"] if (folder / picture_file(task)).exists()]
        return dataset_card(manifest, folder, drawn)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, OSError):
        raise DataError(
            f"{folder / MANIFEST} is damaged: no card can be made of it. {REGENERATE_HINT}"
        ) from None


def check_receipts(folder: Path, task: str, found: list[Receipt], leaks: Any) -> None:
    """DataError unless the receipts of a task, where it has some, are these."""
    if not (folder / RECEIPTS).is_dir():
        return
    for receipt in found:
        path = folder / receipt.plan.receipt(receipt.index)
        differs = difference(read_json(path), plain(asdict(receipt)))
        if differs is not None:
            raise DataError(f"{path} was edited: {differs} is not what was written. {REGENERATE_HINT}")
    if leaks is not None and difference(read_json(leaks_file(folder, task)), leaks) is not None:
        raise DataError(f"{leaks_file(folder, task)} was edited. {REGENERATE_HINT}")


def _check_files(folder: Path, manifest: dict[str, Any]) -> None:
    """DataError unless exactly the files that belong to a manifest are there, and none of them is a link."""
    expected = {CARD, MANIFEST}
    for task in manifest["tasks"].values():
        expected |= {shard["file"] for split in task["splits"].values() for shard in split["shards"]}
    if (folder / RECEIPTS).is_dir():
        expected |= {f"{RECEIPTS}/{task}.json" for task in manifest["tasks"]}
        expected |= {receipt.plan.receipt(receipt.index) for receipt in receipts(folder)}
    found = set(_files(folder))
    expected |= found & {BENCHMARK, *map(picture_file, manifest["tasks"])}
    for name in sorted(expected - found):
        raise DataError(f"{folder / name} is missing. {REGENERATE_HINT}")
    for name in sorted(found - expected):
        raise DataError(
            f"{folder / name} does not belong to the manifest. Remove it; or, if a command was stopped, run it again."
        )


def _files(folder: Path) -> Iterator[str]:
    """The names of all files below a folder; DataError for a link."""
    for place, folders, files in os.walk(folder):
        if Path(place) == folder:
            folders[:] = [name for name in folders if name not in NEIGHBOURS]
            files = [name for name in files if name not in NEIGHBOURS]
        for name in (*folders, *files):
            if (Path(place) / name).is_symlink():
                raise DataError(f"{Path(place) / name} is a link; put the file itself there.")
        yield from ((Path(place) / name).relative_to(folder).as_posix() for name in files)


def read_json(path: Path) -> Any:
    """The JSON in a file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError(f"{path} is missing. {REGENERATE_HINT}") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path} is damaged ({error}). {REGENERATE_HINT}") from None


def plain(content: Any) -> Any:
    """What is read back of content that is written as JSON."""
    return json.loads(json.dumps(content))


def difference(found: Any, expected: Any, path: str = "") -> str | None:
    """Where two JSON values differ first, None if nowhere; floating-point numbers may differ in their last bits.

    >>> difference({"rows": [1, 2]}, {"rows": [1, 3]}), difference([0.1 + 0.2], [0.3])
    ('rows.1', None)
    """
    keys: Iterable[Any] = ()
    if isinstance(found, dict) and isinstance(expected, dict):
        keys = [*expected, *(key for key in found if key not in expected)]
    elif isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        found, expected = dict(enumerate(found)), dict(enumerate(expected))
        keys = expected
    elif type(found) is not type(expected) or not _equal(found, expected):
        return path or "all of it"
    for key in keys:
        deeper = difference(found.get(key, _ABSENT), expected.get(key, _ABSENT), f"{path}.{key}".strip("."))
        if deeper is not None:
            return " ".join(deeper.split())
    return None


_ABSENT = object()


def _equal(found: Any, expected: Any) -> bool:
    return bool(
        found == expected or (isinstance(found, float) and math.isclose(found, expected, rel_tol=1e-12))
    )
