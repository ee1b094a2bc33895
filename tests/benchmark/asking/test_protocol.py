"""Frames: what one side packs, the other unpacks, and damage is noticed."""

import io
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marnn_bench.answer_kinds import AnswerKind
from marnn_bench.asking.protocol import (
    HEADER,
    IDLE,
    MAX_PAYLOAD_BYTES,
    NONE,
    TIE,
    Failure,
    Frame,
    FrameKind,
    Loaded,
    ModelTask,
    ProtocolError,
    dtype_of,
    make_requests,
    pack,
    pack_answers,
    pack_failure,
    pack_loaded,
    pack_number,
    pack_requests,
    pack_tasks,
    read_frame,
    split_requests,
    unpack_answers,
    unpack_failure,
    unpack_loaded,
    unpack_number,
    unpack_requests,
    unpack_tasks,
)

frames = st.builds(Frame, st.sampled_from(FrameKind), st.binary(max_size=200))


def payload(frame: bytes) -> bytes:
    """The payload of a packed frame, read back."""
    found = read_frame(io.BytesIO(frame).read)
    assert found is not None
    return found.payload


@given(st.lists(frames))
def test_frames_end_to_end_are_read_one_by_one(sent: list[Frame]) -> None:
    stream = io.BytesIO(b"".join(pack(*frame) for frame in sent))
    received = []
    while frame := read_frame(stream.read):
        received.append(frame)
    assert received == sent


@given(frames, st.data())
def test_a_frame_that_is_cut_off_is_damaged(frame: Frame, data: st.DataObject) -> None:
    packed = pack(*frame)
    cut = data.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(ProtocolError):
        read_frame(io.BytesIO(packed[:cut]).read)


@given(st.integers(0, 255).filter(lambda kind: kind not in list(FrameKind)))
def test_bytes_of_no_kind_are_damaged(kind: int) -> None:
    with pytest.raises(ProtocolError):
        read_frame(io.BytesIO(HEADER.pack(kind, 0)).read)


def test_a_size_beyond_the_limit_is_damaged_before_it_is_read() -> None:
    asked: list[int] = []

    def read(size: int) -> bytes:
        asked.append(size)
        return HEADER.pack(FrameKind.ANSWERS, MAX_PAYLOAD_BYTES + 1)

    with pytest.raises(ProtocolError):
        read_frame(read)
    assert asked == [HEADER.size]


@given(st.lists(st.tuples(st.integers(NONE, 2**31 - 2), st.booleans()), min_size=1))
def test_requests_come_back(asked: list[tuple[int, bool]]) -> None:
    symbols, wanted = map(np.array, zip(*asked, strict=True))
    requests = make_requests(symbols, wanted)
    assert ((requests == IDLE) == ((symbols == NONE) & ~wanted)).all()
    for half in (0, 1):
        which, came = unpack_requests(payload(pack_requests(requests, half)))
        found = [part.tolist() for part in split_requests(came)]
        assert (which, found) == (half, [symbols.tolist(), wanted.tolist()])


@given(st.integers(0, 2**63 - 1))
def test_a_number_of_streams_comes_back(n: int) -> None:
    assert unpack_number(payload(pack_number(FrameKind.RESET, n))) == n


SOUND: dict[AnswerKind, tuple[list, list]] = {
    "sets": ([0, 7, 5], [8, 2**64 - 1]),
    "choices": ([TIE, 0, 2], [3, TIE - 1]),
    "scores": ([[0.5, -2.0, float("inf")]], [[0.0, float("nan"), 0.0]]),
    "distributions": ([[0.5, 0.25, 0.25]], [[float("nan")] * 3]),
    "membership": ([0.0, 1.0, 0.3], [float("nan")]),
}
"""By kind: answers over three columns, and some that cannot be."""


@pytest.mark.parametrize("kind", get_args(AnswerKind))
def test_answers_of_every_kind_come_back_and_impossible_ones_are_damage(kind: AnswerKind) -> None:
    sound, impossible = (np.array(answers, dtype_of(kind)) for answers in SOUND[kind])
    sent = payload(pack_answers(sound))
    np.testing.assert_array_equal(unpack_answers(sent, kind, len(sound), 3), sound)
    for one in impossible:
        with pytest.raises(ProtocolError, match="none over 3 columns"):
            unpack_answers(payload(pack_answers(one[None])), kind, 1, 3)
    for n in (len(sound) - 1, len(sound) + 1):
        with pytest.raises(ProtocolError, match="are not the answers of"):
            unpack_answers(sent, kind, n, 3)


def test_numbers_of_odd_size_are_damaged() -> None:
    for content in (b"1234567", b""):
        with pytest.raises(ProtocolError, match="no row of 8-byte numbers"):
            unpack_requests(content)


symbols = st.lists(st.text(min_size=1)).map(tuple)
kinds = st.sampled_from(get_args(AnswerKind))


tasks = st.builds(ModelTask, st.text(), symbols, symbols, st.text(), st.integers(0, 999), kinds)


@given(st.lists(tasks))
def test_tasks_come_back(asked: list[ModelTask]) -> None:
    assert unpack_tasks(payload(pack_tasks(asked))) == asked


@given(st.builds(Loaded, st.text(), kinds, st.booleans(), st.dictionaries(st.text(), st.text())))
def test_what_was_loaded_comes_back(loaded: Loaded) -> None:
    assert unpack_loaded(payload(pack_loaded(loaded))) == loaded


@given(st.text(), st.text(), st.none() | st.lists(st.integers(0, 1023)))
def test_a_failure_comes_back(what: str, details: str, streams: list[int] | None) -> None:
    failure = unpack_failure(payload(pack_failure(Failure("raised", what, "predict", details, streams))))
    assert (failure.what, failure.details, failure.streams) == (what, details, streams)
