"""What the evaluator and the process of a model say to each other: length-prefixed binary frames.

A frame is its kind (1 byte), the size of its payload (4 bytes, little-endian), and the payload.

    to the model      LOAD      JSON: the task and the run (`ModelTask`), of each run that is to be asked
                      RESET     i64: how many streams of each run begin
                      STEP      i64: which half of the runs is asked (`halves`); then of each stream, those of the first
                                run first, i32[2]: the next symbol, NONE for none, and 1 if its answer is wanted
    to the evaluator  LOADED    JSON: what was found (`Loaded`)
                      READY     nothing
                      ANSWERS   by `Loaded.answer`, of a stream whose answer is not wanted or missing anything at all
                                sets            u64[n]           masks over the task's columns
                                choices         i64[n]           a column, TIE if none has the highest score alone
                                scores          f64[n, columns]
                                distributions   f64[n, columns]  probabilities
                                membership      f64[n]           a probability
                      FAILURE   JSON: a `Failure`; after one of single streams the ANSWERS still come
                      PROGRESS  i64: how many of the answers there are by now; after it the ANSWERS still come

A first STEP of NONE alone asks about the empty prefix. While one half is asked the other may be, too: STEPs are
answered in order.
"""

import json
import struct
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from marnn_bench.answer_kinds import AnswerKind

if TYPE_CHECKING:
    from marnn_bench.examples import Examples
    from marnn_bench.task import Task

HEADER: Final = struct.Struct("<BI")
MAX_PAYLOAD_BYTES: Final = 1 << 26
"""Bytes of the largest payload; a header that announces more is damaged."""

NONE: Final = -1
TIE: Final = -1
EXIT_CONNECTION_LOST: Final = 74
"""Exit status of a model's process that lost its connection to the evaluator."""

Ids = NDArray[np.int32]
Wanted = NDArray[np.bool_]
Answers = NDArray[Any]
"""[n] or [n, columns], as ANSWERS says."""

T = TypeVar("T")

Requests = NDArray[np.int64]
"""What a STEP says, a word for each stream: the symbol in its lower half, 1 in the upper if the answer is wanted: [n]."""

IDLE: Final = np.int64(0xFFFFFFFF)
"""The request of a stream that is over: no symbol, no answer."""

OF_PROBABILITIES: Final[dict[AnswerKind, AnswerKind]] = {"sets": "distributions", "scores": "distributions"}
"""What is read from the answers of a model whose scores are probabilities, instead of what the task asks."""

FailureKind = Literal["usage", "interface", "raised", "answer", "died", "time", "memory"]


class ProtocolError(Exception):
    """Bytes that are no frame."""


class FrameKind(IntEnum):
    """What a frame says."""

    LOAD = 1
    RESET = 2
    STEP = 3
    LOADED = 4
    READY = 5
    ANSWERS = 6
    FAILURE = 7
    PROGRESS = 8


KINDS: Final = {int(kind): kind for kind in FrameKind}


class Frame(NamedTuple):
    """One message."""

    kind: FrameKind
    payload: bytes


class ModelTask(NamedTuple):
    """What a model's `load` is told.

    alphabet: what prefixes are made of, in the order of their ids
    columns:  what an answer has one score for, in order: the symbols that can be answered, END last where it can be
    run:      which of its trainings is asked, counted from 0
    answer:   what is read from an answer
    """

    name: str
    alphabet: tuple[str, ...]
    columns: tuple[str, ...]
    view: str
    run: int
    answer: AnswerKind = "sets"

    @classmethod
    def of(cls, task: "Task", run: int = 0) -> "ModelTask":
        """What a model is told of a task."""
        return cls(task.name, task.symbols, task.columns, task.view.name, run, task.view.answer)

    def train(self) -> "Examples":
        """The train split of the task, made anew: strings with their right answers, for a model that fits itself.

        Of an endless one its beginning. Whatever data is evaluated, a model is never told a test split.

        >>> rows = ModelTask("dyck1", ("(", ")"), ("(", ")"), "next-symbol", 0).train()
        >>> len(rows), rows[3]["input"], rows[3]["answers"]
        (5000, '( ( ) )', ['(/)', '(/)', '(/)', '('])
        """
        from marnn_bench.store.read import made_train

        return made_train(self.name)


class Loaded(NamedTuple):
    """What was found in a model file.

    interface:  step, predict_batch, predict or accepts
    answer:     what is read from its answers
    loads:      whether it has `load`, so that its runs can differ
    apart:      whether that gives an object for each run, so that several can be asked at once
    packages:   versions of the packages that it computes with
    """

    interface: str
    answer: AnswerKind
    loads: bool
    packages: dict[str, str]
    apart: bool = False


class Failure(Exception):
    """Something that a model did wrong.

    kind:      what sort of thing it is; time and memory are limits
    what:      the rest of a sentence about the model, or about a function of its file
    function:  that function, if it is one of the model's
    details:   the traceback, where there is one
    streams:   the streams that it leaves without an answer; None for all of them
    hint:      what to do about it, where more can be said than its kind says
    """

    def __init__(
        self,
        kind: FailureKind,
        what: str,
        function: str = "",
        details: str = "",
        streams: list[int] | None = None,
    ) -> None:
        super().__init__(f"{function} {what}".strip())
        self.kind: FailureKind = kind
        self.what = what
        self.function = function
        self.details = details
        self.streams = streams
        self.hint = ""


def pack(kind: FrameKind, payload: bytes = b"") -> bytes:
    """A frame as bytes."""
    if len(payload) > MAX_PAYLOAD_BYTES:
        raise ProtocolError(
            f"A payload of {len(payload):,} bytes is over the limit of {MAX_PAYLOAD_BYTES:,}."
        )
    return HEADER.pack(kind, len(payload)) + payload


def read_frame(read: Callable[[int], bytes]) -> Frame | None:
    """The next frame, or None where the bytes end.

    `read(n)` gives n bytes, or fewer where they end.

    >>> import io
    >>> read_frame(io.BytesIO(pack(FrameKind.RESET, b"12345678")).read)
    Frame(kind=<FrameKind.RESET: 2>, payload=b'12345678')
    """
    header = read(HEADER.size)
    if not header:
        return None
    if len(header) < HEADER.size:
        raise ProtocolError("The bytes end within the header of a frame.")
    number, size = HEADER.unpack(header)
    kind = KINDS.get(number)
    if kind is None or size > MAX_PAYLOAD_BYTES:
        raise ProtocolError(f"Kind {number}, {size:,} bytes: no frame begins like this.")
    payload = read(size) if size else b""
    if len(payload) < size:
        raise ProtocolError(f"The bytes end {size - len(payload):,} before their frame.")
    return Frame(kind, payload)


def pack_number(kind: FrameKind, number: int) -> bytes:
    """A frame of one number."""
    return pack(kind, np.array([number], "<i8").tobytes())


def unpack_number(payload: bytes) -> int:
    """The number in such a frame."""
    return int(_unpack(payload, "<i8")[0])


def make_requests(symbols: NDArray[np.integer], wanted: Wanted) -> Requests:
    """The requests of these symbols, NONE for none, and of which answers are wanted, both [...].

    >>> make_requests(np.array([2, NONE]), np.array([True, False])) == np.array([1 << 32 | 2, IDLE])
    array([ True,  True])
    """
    return symbols.astype(np.int64) & IDLE | wanted.astype(np.int64) << 32


def split_requests(requests: Requests) -> tuple[Ids, Wanted]:
    """The symbols of some requests, NONE for none, and which answers are wanted: [n], [n]."""
    return requests.astype(np.int32), requests > IDLE


def halves(runs: Sequence[T]) -> list[Sequence[T]]:
    """The two halves of several runs, which are asked in turn; one run as it is.

    >>> halves("abc"), halves("a")
    (['ab', 'c'], ['a'])
    """
    middle = -(-len(runs) // 2)
    return [half for half in (runs[:middle], runs[middle:]) if half]


def pack_requests(requests: Requests, half: int = 0) -> bytes:
    """A frame of requests to a half of the runs: [n]."""
    return pack(FrameKind.STEP, half.to_bytes(8, "little") + requests.astype("<i8", copy=False).tobytes())


def unpack_requests(payload: bytes) -> tuple[int, Requests]:
    """Which half is asked by such a frame, and its requests: [n]."""
    numbers = _unpack(payload, "<i8")
    return int(numbers[0]), numbers[1:]


def dtype_of(answer: AnswerKind) -> np.dtype[Any]:
    """The numbers that answers are sent as."""
    return np.dtype({"sets": "<u8", "choices": "<i8"}.get(answer, "<f8"))


def pack_answers(answers: Answers) -> bytes:
    """A frame of answers: [n] or [n, columns]."""
    return pack(FrameKind.ANSWERS, answers.astype(answers.dtype.newbyteorder("<"), copy=False).tobytes())


def unpack_answers(payload: bytes, answer: AnswerKind, n: int, columns: int) -> Answers:
    """The answers of n streams in such a frame; ProtocolError unless they can be answers of this kind."""
    values = _unpack(payload, dtype_of(answer).str)
    by_column = answer in ("scores", "distributions")
    if len(values) != n * (columns if by_column else 1):
        raise ProtocolError(f"{len(payload):,} bytes are not the answers of {n:,} streams.")
    if answer == "sets":
        sound = not int(values.max(initial=0)) >> columns
    elif answer == "choices":
        sound = int(values.min(initial=0)) >= TIE and int(values.max(initial=0)) < columns
    else:
        sound = not np.isnan(values).any()
    if not sound:
        raise ProtocolError(f"Some {answer} are none over {columns} columns.")
    return values.reshape(n, columns) if by_column else values


def _unpack(payload: bytes, dtype: str) -> NDArray[Any]:
    if not payload or len(payload) % 8:
        raise ProtocolError(f"{len(payload)} bytes are no row of 8-byte numbers.")
    return np.frombuffer(payload, dtype)


def pack_tasks(tasks: Sequence[ModelTask]) -> bytes:
    """The frame that asks for a model to be loaded for these runs."""
    return pack(FrameKind.LOAD, json.dumps([task._asdict() for task in tasks]).encode())


def unpack_tasks(payload: bytes) -> list[ModelTask]:
    """The runs of such a frame."""
    return [
        ModelTask(**{**data, "alphabet": tuple(data["alphabet"]), "columns": tuple(data["columns"])})
        for data in json.loads(payload)
    ]


def pack_loaded(loaded: Loaded) -> bytes:
    """The frame that says what was loaded."""
    return pack(FrameKind.LOADED, json.dumps(loaded._asdict()).encode())


def unpack_loaded(payload: bytes) -> Loaded:
    """What such a frame says. ProtocolError, ValueError or TypeError if that is nothing."""
    loaded = Loaded(**json.loads(payload))
    _require(
        isinstance(loaded.interface, str), isinstance(loaded.loads, bool), isinstance(loaded.packages, dict)
    )
    _require(isinstance(loaded.apart, bool))
    _require(*(isinstance(version, str) for version in loaded.packages.values()))
    return loaded


def pack_failure(failure: Failure) -> bytes:
    """The frame of a failure."""
    data = {name: getattr(failure, name) for name in ("kind", "what", "function", "details", "streams")}
    return pack(FrameKind.FAILURE, json.dumps(data).encode())


def unpack_failure(payload: bytes) -> Failure:
    """The failure of such a frame. ProtocolError, ValueError or TypeError if it is none."""
    failure = Failure(**json.loads(payload))
    _require(failure.kind in get_args(FailureKind))
    _require(*(isinstance(text, str) for text in (failure.what, failure.function, failure.details)))
    _require(failure.streams is None or isinstance(failure.streams, list))
    _require(*(type(stream) is int for stream in failure.streams or []))
    return failure


def _require(*facts: bool) -> None:
    if not all(facts):
        raise ProtocolError("A field of a frame has the wrong type.")
