"""Hidden splits: strings that the public generator draws with a secret key, committed to before anybody answers.

FOLDER/commitment.json    sha256 of the key, and of each split what it is and its content digest, labels included
FOLDER/inputs/TASK.parquet  the strings without labels
FOLDER/answers.json       sha256 of submission.json of all that had answered when the key was shown
FOLDER/key                the key, once it is shown: whoever has it draws the same strings and sees that nothing was changed

The language of every task is public, so that a person could label the inputs. What a hidden split proves is that nothing
was trained or chosen on it before its inputs were released.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from marnn_bench.errors import DataError, UsageError
from marnn_bench.examples import Examples, RecognitionExamples, SetExamples, TransductionExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.leaderboard.validation.limits import DESCRIPTION_BYTES, MIB
from marnn_bench.leaderboard.validation.strict_json import parse
from marnn_bench.rescoring.stored import StoredAnswers
from marnn_bench.scoring.metrics import Record
from marnn_bench.scoring.runs import score_runs, scorer_of
from marnn_bench.store.arrow import open_file
from marnn_bench.store.cache import cached_data
from marnn_bench.store.columns import read_strings
from marnn_bench.store.content import contents
from marnn_bench.store.manifest import write_text
from marnn_bench.store.read import examples_of, read_train
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import LanguageModelling, NextSymbol, Recognition, Synchronous, Transduce

COMMITMENT: Final = "commitment.json"
KEY: Final = "key"
INPUTS: Final = "inputs"
ANSWERS: Final = "answers.json"
SCHEMA_VERSION: Final = 1
KEY_BYTES: Final = range(32, 65)
INPUT_BYTES: Final = 64 * MIB


class NothingToHide(UsageError):
    """A task has no strings that a key could choose, or its strings are their own answers."""


@dataclass(frozen=True)
class Committed:
    """One hidden split: what it is, and the content digest of its rows with their labels."""

    version: str
    split: str
    rows: int
    law: str
    window: str
    digest: str


@dataclass(frozen=True, eq=False)
class Hidden:
    """Hidden splits of some tasks.

    answers:  sha256 of what had answered when the key was shown, by the names of the submissions' folders
    key:      None until it is shown, or given
    """

    folder: Path
    tasks: Mapping[str, Committed]
    key_sha256: str
    answers: Mapping[str, str] = field(default_factory=dict)
    key: bytes | None = None

    @property
    def name(self) -> str:
        """That of the folder."""
        return self.folder.resolve().name

    def committed(self, task: str) -> Committed:
        """What was committed to of a task. UsageError if nothing was."""
        if task not in self.tasks:
            raise UsageError(f"{self.folder} has no hidden split of {task}; it has {', '.join(self.tasks)}.")
        return self.tasks[task]

    def examples(self, name: str) -> Examples:
        """The split of a task: drawn and labelled by the key, if it is known, else its inputs, labelled by the language.

        DataError if what the key draws is not what was committed to, or not what was released.
        """
        committed, task = self.committed(name), find_task(name)
        if committed.version.split(".")[0] != task.version.split(".")[0]:
            raise UsageError(
                f"{self.folder}: {name} is of version {committed.version}, here is {task.version}."
            )
        released = self._inputs(task)
        if self.key is None:
            return labelled(task, committed.split, released, committed.digest)
        drawn = draw(task, self.key)
        if drawn.digest != committed.digest:
            raise DataError(f"{self.folder}: the key draws another {name} than was committed to.")
        same = (
            np.array_equal(drawn.strings.ids, released.ids),
            np.array_equal(drawn.strings.offsets, released.offsets),
        )
        if not all(same):
            raise DataError(f"{self.folder}: the inputs of {name} are not those that the key draws.")
        return drawn

    def _inputs(self, task: Task) -> Strings:
        path = self.folder / INPUTS / f"{task.name}.parquet"
        try:
            if path.stat().st_size > INPUT_BYTES:
                raise ValueError("it is too large")
            with open_file(path) as file:
                return read_strings(task, pq.ParquetFile(file).read(), str(path))
        except (OSError, ValueError, pa.ArrowException) as error:
            raise DataError(f"{path} cannot be read ({error!s:.100}).") from None


def hidden_task(task: Task, key: bytes) -> Task:
    """The task with its default split drawn by a secret key; the other splits stay as they are."""
    name = task.default_split
    return replace(task, splits={**task.splits, name: replace(task.split(name), secret=key)})


def draw(task: Task, key: bytes) -> Examples:
    """The hidden split of a task, labelled. NothingToHide for a split that has every string."""
    secret, name = hidden_task(task, key), task.default_split
    if isinstance(task.view, LanguageModelling):
        raise NothingToHide(f"{task.name}: the string itself is the answer, so that it cannot be hidden.")
    content, public = contents(secret)[name], contents(task)[name]
    table = pa.Table.from_batches([piece.batch for piece in content.labelled(0, len(content))])
    digest = content.digest()
    if digest == public.digest():
        raise NothingToHide(
            f"{task.name} {name} has every string of its window: nothing is left to be hidden."
        )
    return examples_of(secret, name, table, digest, task.name)


def labelled(task: Task, split: str, strings: Strings, digest: str) -> Examples:
    """Strings with the answers that their language gives; of negatives nobody says how they were made."""
    match task.view:
        case NextSymbol() | Synchronous():
            return SetExamples(task, split, strings, task.view.answers(task.language, strings), digest)
        case Transduce():
            return TransductionExamples(
                task, split, strings, task.view.targets(task.language, strings), digest
            )
        case Recognition():
            members = task.language.accepts(strings)
            unknown = (~members).astype(np.uint8)
            return RecognitionExamples(
                task, split, strings, members, unknown, unknown.astype(np.int64), digest
            )
    raise UsageError(f"{task.name} has no hidden split.")


def commit(out: Path, tasks: Sequence[Task], key: bytes, left_out: Callable[[str], None]) -> Hidden:
    """Write the commitment and the inputs of the hidden splits of these tasks. UsageError if the folder is there.

    left_out:  told of each task that cannot be hidden
    """
    if out.exists():
        raise UsageError(f"{out} exists: what was committed to is never changed. Choose another --out.")
    found: dict[str, Committed] = {}
    drawn: dict[str, Examples] = {}
    for task in tasks:
        try:
            drawn[task.name] = draw(task, key)
        except NothingToHide as error:
            left_out(str(error))
    if not drawn:
        raise UsageError("None of these tasks can be hidden. Choose others with --task.")
    (out / INPUTS).mkdir(parents=True)
    for task in (task for task in tasks if task.name in drawn):
        examples, split = drawn[task.name], task.split(task.default_split)
        law = task.law(task.default_split).spec
        found[task.name] = Committed(
            task.version, task.default_split, len(examples), law, str(split.window), examples.digest
        )
        inputs = pa.table({"input": pa.array(examples.strings.texts(task.language.alphabet), pa.string())})
        with open_file(out / INPUTS / f"{task.name}.parquet", "wb") as file:
            pq.write_table(inputs, file, compression="zstd")
    hidden = Hidden(out, found, hashlib.sha256(key).hexdigest(), key=key)
    record = {
        "schema_version": SCHEMA_VERSION,
        "key_sha256": hidden.key_sha256,
        "tasks": {name: asdict(committed) for name, committed in found.items()},
    }
    write_text(out / COMMITMENT, json.dumps(record, indent=1) + "\n")
    return hidden


def read_hidden(folder: Path, key_file: Path | None = None) -> Hidden:
    """The hidden splits in a folder, with their key if it is given or shown. DataError if that is another key."""
    path = folder / COMMITMENT
    if not path.is_file():
        raise UsageError(f"{folder} has no {COMMITMENT}. `marnn-bench leaderboard commit-hidden` writes it.")
    try:
        record: Any = parse(path.read_bytes()[:DESCRIPTION_BYTES], 10_000)
        tasks = {name: Committed(**committed) for name, committed in record["tasks"].items()}
        digest = record["key_sha256"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path} is damaged ({error!s:.100}).") from None
    shown = key_file or (folder / KEY if (folder / KEY).is_file() else None)
    key = read_key(shown) if shown else None
    if key is not None and hashlib.sha256(key).hexdigest() != digest:
        raise DataError(f"{shown} is not the key that {path} commits to.")
    return Hidden(folder, tasks, digest, _answers(folder / ANSWERS), key)


def show_key(hidden: Hidden, answers: Mapping[str, str]) -> None:
    """Write who has answered, then the key, after which answers prove nothing. UsageError if it is shown already."""
    if hidden.key is None:
        raise ValueError("The key is not known.")
    if (hidden.folder / KEY).exists():
        raise UsageError(f"{hidden.folder / KEY} is shown already.")
    write_text(hidden.folder / ANSWERS, json.dumps(answers, indent=1, sort_keys=True) + "\n")
    (hidden.folder / KEY).write_bytes(hidden.key)


def _answers(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    try:
        return {str(name): str(digest) for name, digest in parse(path.read_bytes(), 100_000).items()}
    except (ValueError, AttributeError) as error:
        raise DataError(f"{path} is damaged ({error!s:.100}).") from None


def read_key(path: Path) -> bytes:
    """A secret key. UsageError unless it has 32 to 64 bytes."""
    key = path.read_bytes() if path.is_file() and path.stat().st_size in KEY_BYTES else b""
    if not key:
        raise UsageError(
            f"{path} is no file of {KEY_BYTES.start} to {KEY_BYTES.stop - 1} bytes. Make one: "
            f"`head -c {KEY_BYTES.start} /dev/urandom > FILE`."
        )
    return key


def score_hidden(folder: Path, record: Record, hidden: Hidden) -> Record:
    """The record of answers to a hidden split, with every figure as it follows from the samples."""
    task = find_task(record["task"]["name"])
    examples = hidden.examples(task.name)
    if record["task"]["digest"] != examples.digest:
        raise DataError(f"{folder} answers other strings than {hidden.name} has.")
    stored = StoredAnswers(folder, examples, scorer_of(examples))
    train = read_train(cached_data(task), task)
    scores = score_runs(examples, train, stored.runs(len(record["runs"])))
    found = {**scores, "errors": {**record["errors"], "rows": stored.lost}}
    return {**record, **json.loads(json.dumps(found))}
