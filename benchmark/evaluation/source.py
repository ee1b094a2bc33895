"""What is evaluated: a Python file, or a folder that `marnn-bench train` wrote."""

import ast
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from marnn_bench.errors import DataError, UsageError

MAX_HASHED_BYTES: Final = 1 << 30
"""So many bytes of a folder are read; files beyond are told apart by size and time of change."""


@dataclass(frozen=True)
class ModelSource:
    """A model file and what is known about it.

    name:      what the result calls the model
    renamed:   whether that was chosen by the user
    training:  content of training.json, for a folder that `train` wrote
    runs:      how many trainings are asked
    """

    name: str
    file: Path
    training: dict[str, Any] | None
    runs: int
    renamed: bool = False

    @cached_property
    def folder_sha256(self) -> str:
        """The digest of its folder, as it was when first asked for."""
        return folder_digest(self.file.parent)

    @classmethod
    def find(cls, path: Path, runs: int | None = None, name: str | None = None) -> "ModelSource":
        """The model at a path. All runs of a train folder, one run of a file, unless `runs` says otherwise."""
        if name is not None and (not name.strip(". ") or set(name) & set("/\\\0\n")):
            raise UsageError(
                f"An entry cannot be called {name!r}: use letters, digits, spaces, hyphens and dots."
            )
        if path.is_file():
            return cls(name or path.stem, path, None, runs or 1, bool(name))
        if not path.exists():
            raise UsageError(
                f"There is no {path}. Give a Python file, or a folder that `marnn-bench train` wrote."
            )
        file, record = path / "model.py", path / "training.json"
        if not (file.is_file() and record.is_file()):
            raise UsageError(
                f"{path} has no model.py and training.json: give a Python file, or a folder that `marnn-bench train` wrote."
            )
        try:
            training = json.loads(record.read_bytes())
            model, trained = str(training["model"]), int(training["runs"])
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(f"{record} is damaged ({error!r}). Run `marnn-bench train` again.") from None
        if runs and runs > trained:
            raise UsageError(f"{path} holds {trained} runs, not {runs}. Try --runs {trained}.")
        return cls(name or model, file, training, runs or trained, bool(name))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks or suites that it is for: what training.json was trained on, or what the file says by `tasks = ...`."""
        if self.training is not None:
            return (str(self.training["task"]["name"]),) if "task" in self.training else ()
        return declared_tasks(self.file)


def declared_tasks(file: Path) -> tuple[str, ...]:
    """The names in a model file's `tasks = ("dyck2", ...)` or `tasks = "core"`, read without running the file."""
    try:
        statements = ast.parse(file.read_bytes()).body
    except (SyntaxError, ValueError):
        return ()  # what is wrong with it is said when it is loaded
    for statement in statements:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "tasks" for target in statement.targets
        ):
            try:
                named = ast.literal_eval(statement.value)
            except ValueError:
                named = None
            listed = (named,) if isinstance(named, str) else named
            if not isinstance(listed, tuple | list) or not all(isinstance(name, str) for name in listed):
                raise UsageError(
                    f'{file.name}: `tasks` must be written out, like tasks = ("dyck2", "dyck3") or tasks = "core".'
                )
            return tuple(listed)
    return ()


def file_digest(file: Path) -> str:
    """sha256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def folder_digest(folder: Path) -> str:
    """One sha256 over the names and contents of what a model in this folder may read.

    Left out are hidden files, __pycache__, virtual environments, and folders that marnn-bench itself writes beside a
    model: results and generated splits.
    """
    content, left = hashlib.sha256(), MAX_HASHED_BYTES
    for file in _files(folder):
        size, changed = file.stat().st_size, file.stat().st_mtime_ns
        fingerprint = file_digest(file) if size <= left else str(changed)
        left -= min(size, left)
        content.update(f"{file.relative_to(folder)}\0{size}\0{fingerprint}\0".encode())
    return content.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        here = Path(name)
        folders[:] = sorted(child for child in folders if not _is_left_out(here / child))
        yield from (
            here / file for file in sorted(files) if not file.startswith(".") and (here / file).is_file()
        )


def _is_left_out(folder: Path) -> bool:
    if folder.name.startswith(".") or folder.name == "__pycache__":
        return True
    written_by_us = [(".parts",), ("result.json", "samples.parquet"), (".receipts",), ("pyvenv.cfg",)]
    return any(all((folder / name).exists() for name in names) for names in written_by_us)
