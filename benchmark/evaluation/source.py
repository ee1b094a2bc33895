"""What is evaluated: a Python file, a folder that `marnn-bench train` wrote, a file of answers, or a program."""

import ast
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from marnn_bench.errors import DataError, UsageError
from marnn_bench.evaluation.shortcuts import ANSWERS, answers_text, command_text, written
from marnn_bench.file_digests import changed_files

LONGEST_NAME: Final = 100


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

    def changed_files(self, recorded: Mapping[str, str]) -> list[str]:
        """Those of the files that its process once opened, `recorded` with their digests, that are not what they were."""
        return changed_files(self.file.parent, recorded)

    @classmethod
    def find(cls, path: Path, runs: int | None = None, name: str | None = None) -> "ModelSource":
        """The model at a path. All runs of a train folder, one run of a file, unless `runs` says otherwise."""
        if name is not None or path.is_file():
            _require_name(name or path.stem)
        if path.is_file():
            file = written(path.stem, answers_text(path)) if path.suffix in ANSWERS else path
            return cls(name or path.stem, file, None, runs or 1, bool(name))
        if not path.exists():
            raise UsageError(
                f"There is no {path}. Give a Python file, a file of answers ({', '.join(ANSWERS)}), or a folder that "
                "`marnn-bench train` wrote."
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

    @classmethod
    def command(cls, command: str, runs: int | None = None, name: str | None = None) -> "ModelSource":
        """A program that is asked by lines of JSON, as it is typed in the folder where it is to run."""
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--command {command!r}: {error}.") from None
        if not words:
            raise UsageError(
                "--command is empty. Give the program and its options, such as --command './my_model'."
            )
        files = [path for path in map(Path, words) if path.is_file()]
        entry = name or (files[-1] if files else Path(words[0])).stem
        _require_name(entry)
        return cls(entry, written(entry, command_text(words, files)), None, runs or 1, bool(name))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks or suites that it is for: what training.json was trained on, or what the file says by `tasks = ...`."""
        if self.training is not None:
            return (str(self.training["task"]["name"]),) if "task" in self.training else ()
        return declared_tasks(self.file)


def _require_name(name: str) -> None:
    """UsageError unless a result can be called so, in a table and as a folder."""
    if not name.strip(". ") or set(name) & set("/\\") or not name.isprintable() or len(name) > LONGEST_NAME:
        raise UsageError(
            f"An entry cannot be called {name!r:.60}: use letters, digits, spaces, hyphens and dots, with --name."
        )


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
