r"""Any program as a model: a line of JSON for each question, and one for each answer.

The program reads lines from its standard input and answers each with a line, written through at once:

    {"load": {"name": "dyck1", "alphabet": ["(", ")"], "columns": ["(", ")"], "view": "next-symbol", "run": 0, "answer": "sets"}}
                        {"answers": "masks"}      what its answers are: masks, columns, numbers or scores
    {"reset": 3}        [1, 1, 1]                 three strings begin: answers about the empty prefix, or null
    {"step": [0, 0, 1]} [3, 3, 0]                 the next symbol of each, as its place in the alphabet

masks:    a number a string, in which bit k is set if column k can come (at most 53 columns)
columns:  the place of the column that comes, -1 if it cannot say
numbers:  the probability that the string so far is a member; masks, there, are of what can come next, bit by symbol, END last
scores:   a score for each column; instead of a line, the answer to `reset` and `step` is n x columns numbers of 8 bytes
          (IEEE 754, little-endian, row after row), to `reset` nothing but the line null if it has none

Behind the end of a string 0 is sent, and what is answered is ignored. What the program prints to standard error is shown.
"""

import json
import re
import subprocess
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from marnn_bench.asking.protocol import TIE, Failure, ModelTask

KINDS: Final = ("masks", "columns", "numbers", "scores")

NULL: Final = b"null"

INTEGERS: Final = re.compile(rb"\s*\[[-\d, ]*\]\s*")

SHOWN: Final = 60
"""So many characters of an answer are shown where it is none."""


class Command:
    """A program that is asked by lines of JSON.

    In a model file:

        load = Command.of("./my_model", "--fast")
    """

    def __init__(self, arguments: Sequence[str], task: ModelTask, folder: Path | None = None) -> None:
        self._columns = len(task.columns)
        self._kind = ""
        try:
            self._process = subprocess.Popen(
                arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
            )
        except OSError as error:
            raise Failure("usage", f"{arguments[0]} cannot be started: {error.strerror}.") from None
        said = self._ask({"load": task._asdict()}, "load")
        self._kind = said.get("answers", "") if isinstance(said, dict) else ""
        if self._kind not in KINDS:
            raise _wrong(json.dumps(said), f'{{"answers": KIND}}, KIND being {", ".join(KINDS)}', "load")
        if task.answer == "membership" and self._kind == "masks":  # of what can come next, END last
            self._columns = len(task.alphabet) + 1

    @classmethod
    def of(cls, *arguments: str, folder: str | Path | None = None) -> Callable[[ModelTask], Self]:
        """The `load` of a model file for a program and what it is started with.

        folder:  where it runs; by default that of the model file
        """
        return lambda task: cls(arguments, task, None if folder is None else Path(folder))

    def reset(self, n: int) -> NDArray[Any] | None:
        """Begin n strings: what is answered about the empty prefix, if anything is."""
        self._send({"reset": n})
        if self._kind == "scores":
            head = self._read(len(NULL))
            if head == NULL:
                self._process.stdout.readline()  # type: ignore[union-attr]
                return None
            return self._numbers(head, n)
        said = self._line("reset")
        return None if said is None else self._rows(said, n, "reset")

    def step(self, ids: NDArray[np.int64]) -> NDArray[Any]:
        """Scores after these symbols: [n, columns]."""
        self._write(b'{"step": [%b]}\n' % _listed(ids))
        if self._kind == "scores":
            return self._numbers(b"", len(ids))
        line = self._readline()
        said = _integers(line, len(ids))
        return self._rows(_parsed(line, "step") if said is None else said, len(ids), "step")

    def _ask(self, question: dict[str, Any], function: str) -> Any:
        self._send(question)
        return self._line(function)

    def _send(self, question: dict[str, Any]) -> None:
        self._write(json.dumps(question).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        stdin = self._process.stdin
        try:
            stdin.write(line)  # type: ignore[union-attr]
            stdin.flush()  # type: ignore[union-attr]
        except OSError:
            raise self._ended() from None

    def _line(self, function: str) -> Any:
        return _parsed(self._readline(), function)

    def _readline(self) -> bytes:
        line = self._process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            raise self._ended()
        return line

    def _read(self, size: int) -> bytes:
        data = self._process.stdout.read(size)  # type: ignore[union-attr]
        if len(data) < size:
            raise self._ended()
        return data

    def _numbers(self, head: bytes, n: int) -> NDArray[Any]:
        """The scores whose first bytes are there: [n, columns]."""
        data = head + self._read(8 * n * self._columns - len(head))
        scores: NDArray[Any] = np.frombuffer(data, "<f8").reshape(n, self._columns)
        return scores

    def _rows(self, said: Any, n: int, function: str) -> NDArray[Any]:
        """An answer of n numbers as scores: [n, columns]."""
        try:
            values = np.array(said)
        except ValueError:
            values = np.array(None)
        wanted = "iuf" if self._kind == "numbers" else "iu"
        if values.shape != (n,) or values.dtype.kind not in wanted:
            raise _wrong(
                json.dumps(said), f"{n} {'numbers' if self._kind == 'numbers' else 'integers'}", function
            )
        if self._kind == "numbers":
            return values.astype(np.float64)[:, None]
        lowest, highest = (0, (1 << self._columns) - 1) if self._kind == "masks" else (TIE, self._columns - 1)
        if values.min(initial=0) < lowest or values.max(initial=0) > highest:
            raise _wrong(str(values.tolist()), f"{self._kind} from {lowest} to {highest}", function)
        places = np.arange(self._columns)
        if self._kind == "masks":
            return np.asarray(values[:, None] >> places & 1, np.float64)
        return np.asarray(values[:, None] == places, np.float64)

    def _ended(self) -> Failure:
        status = self._process.wait()
        return Failure("died", f"ended its process with exit status {status}", "the command")


def _parsed(line: bytes, function: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise _wrong(line.decode(errors="replace"), "a line of JSON", function) from None


def _listed(ids: NDArray[np.int64]) -> bytes:
    """Integers with commas between them, twenty times as fast as JSON is written if they have one digit each."""
    if ids.max(initial=0) > 9:
        return ", ".join(map(str, ids.tolist())).encode()
    text = np.full((len(ids), 2), ord(","), np.uint8)
    text[:, 0] = ids + ord("0")
    return text.tobytes()[:-1]


def _integers(line: bytes, n: int) -> NDArray[np.int64] | None:
    """A list of n integers, read five times as fast as JSON is; None if it is something else."""
    if not INTEGERS.fullmatch(line):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of what ends within a number
        values = np.fromstring(line.strip()[1:-1], np.int64, sep=",")
    return values if len(values) == n else None


def _wrong(said: str, expected: str, function: str) -> Failure:
    shown = said.strip() if len(said) <= SHOWN else f"{said[:SHOWN]}…"
    return Failure("answer", f"answered `{shown}`, not {expected}", function)
