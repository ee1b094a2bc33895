"""What the evaluator and the process of a model say to each other: length-prefixed binary frames.

A frame is its kind (1 byte), the size of its payload (4 bytes, little-endian), and the payload.

    to the model      LOAD      JSON: the task and the run (`ModelTask`)
                      RESET     i64: how many streams begin
                      STEP      i64[n]: the next symbol of each stream, FINISHED for a stream that is over
    to the evaluator  LOADED    JSON: what was found (`Loaded`)
                      READY     nothing
                      MASKS     u64[n]: the set that each stream answers; 0 where there is no answer
                      FAILURE   JSON: a `Failure`; after one of single streams the MASKS still come
"""

import json
import struct
from collections.abc import Callable
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from marnn_bench.task import Task

HEADER: Final = struct.Struct("<BI")
MAX_PAYLOAD_BYTES: Final = 1 << 26
"""Bytes of the largest payload; a header that announces more is damaged."""

FINISHED: Final = -1
EXIT_CONNECTION_LOST: Final = 74
"""Exit status of a model's process that lost its connection to the evaluator."""

Ids = NDArray[np.int64]
Masks = NDArray[np.uint64]
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
    MASKS = 6
    FAILURE = 7


class Frame(NamedTuple):
    """One message."""

    kind: FrameKind
    payload: bytes


class ModelTask(NamedTuple):
    """What a model's `load` is told.

    columns:  what an answer has one score for, in order: the symbols that can be answered, END last where it can be
    run:      which of its trainings is asked, counted from 0
    """

    name: str
    alphabet: tuple[str, ...]
    columns: tuple[str, ...]
    view: str
    run: int

    @classmethod
    def of(cls, task: "Task", run: int = 0) -> "ModelTask":
        """What a model is told of a task."""
        return cls(task.name, tuple(task.language.alphabet), task.columns, task.view.name, run)


class Loaded(NamedTuple):
    """What was found in a model file.

    interface:  step, predict_batch or predict
    loads:      whether it has `load`, so that its runs can differ
    packages:   versions of the packages that it computes with
    """

    interface: str
    loads: bool
    packages: dict[str, str]


class Failure(Exception):
    """Something that a model did wrong.

    kind:      what sort of thing it is; time and memory are limits
    what:      the rest of a sentence about the model, or about a function of its file
    function:  that function, if it is one of the model's
    details:   the traceback, where there is one
    streams:   the streams that it leaves without an answer; None for all of them
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
    if number not in FrameKind.__members__.values() or size > MAX_PAYLOAD_BYTES:
        raise ProtocolError(f"Kind {number}, {size:,} bytes: no frame begins like this.")
    payload = read(size) if size else b""
    if len(payload) < size:
        raise ProtocolError(f"The bytes end {size - len(payload):,} before their frame.")
    return Frame(FrameKind(number), payload)


def pack_ids(kind: FrameKind, ids: Ids) -> bytes:
    """A frame of symbol ids, or of one number: [n]."""
    return pack(kind, ids.astype("<i8", copy=False).tobytes())


def unpack_ids(payload: bytes) -> Ids:
    """The numbers of such a frame: [n]."""
    return _unpack(payload, "<i8").astype(np.int64, copy=False)


def pack_masks(masks: Masks) -> bytes:
    """A frame of answers: [n]."""
    return pack(FrameKind.MASKS, masks.astype("<u8", copy=False).tobytes())


def unpack_masks(payload: bytes) -> Masks:
    """The masks of such a frame: [n]."""
    return _unpack(payload, "<u8").astype(np.uint64, copy=False)


def _unpack(payload: bytes, dtype: str) -> NDArray[Any]:
    if len(payload) % 8:
        raise ProtocolError(f"{len(payload)} bytes are no row of 8-byte numbers.")
    return np.frombuffer(payload, dtype)


def pack_task(task: ModelTask) -> bytes:
    """The frame that asks for a model to be loaded."""
    return pack(FrameKind.LOAD, json.dumps(task._asdict()).encode())


def unpack_task(payload: bytes) -> ModelTask:
    """The task of such a frame."""
    data = json.loads(payload)
    return ModelTask(**{**data, "alphabet": tuple(data["alphabet"]), "columns": tuple(data["columns"])})


def pack_loaded(loaded: Loaded) -> bytes:
    """The frame that says what was loaded."""
    return pack(FrameKind.LOADED, json.dumps(loaded._asdict()).encode())


def unpack_loaded(payload: bytes) -> Loaded:
    """What such a frame says."""
    return Loaded(**json.loads(payload))


def pack_failure(failure: Failure) -> bytes:
    """The frame of a failure."""
    data = {name: getattr(failure, name) for name in ("kind", "what", "function", "details", "streams")}
    return pack(FrameKind.FAILURE, json.dumps(data).encode())


def unpack_failure(payload: bytes) -> Failure:
    """The failure of such a frame."""
    return Failure(**json.loads(payload))
