"""Frames: what one side packs, the other unpacks, and damage is noticed."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marnn_bench.evaluation.protocol import (
    HEADER,
    MAX_PAYLOAD_BYTES,
    Failure,
    Frame,
    FrameKind,
    Loaded,
    ModelTask,
    ProtocolError,
    pack,
    pack_failure,
    pack_ids,
    pack_loaded,
    pack_masks,
    pack_task,
    read_frame,
    unpack_failure,
    unpack_ids,
    unpack_loaded,
    unpack_masks,
    unpack_task,
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
        return HEADER.pack(FrameKind.MASKS, MAX_PAYLOAD_BYTES + 1)

    with pytest.raises(ProtocolError):
        read_frame(read)
    assert asked == [HEADER.size]


@given(st.lists(st.integers(-1, 2**63 - 1)))
def test_ids_come_back(ids: list[int]) -> None:
    assert unpack_ids(payload(pack_ids(FrameKind.STEP, np.array(ids, np.int64)))).tolist() == ids


@given(st.lists(st.integers(0, 2**64 - 1)))
def test_masks_come_back(masks: list[int]) -> None:
    assert unpack_masks(payload(pack_masks(np.array(masks, np.uint64)))).tolist() == masks


@pytest.mark.parametrize("unpack", [unpack_ids, unpack_masks])
def test_numbers_of_odd_size_are_damaged(unpack: Callable[[bytes], object]) -> None:
    with pytest.raises(ProtocolError):
        unpack(b"1234567")


symbols = st.lists(st.text(min_size=1)).map(tuple)


@given(st.builds(ModelTask, st.text(), symbols, symbols, st.text(), st.integers(0, 999)))
def test_a_task_comes_back(task: ModelTask) -> None:
    assert unpack_task(payload(pack_task(task))) == task


@given(st.builds(Loaded, st.text(), st.booleans(), st.dictionaries(st.text(), st.text())))
def test_what_was_loaded_comes_back(loaded: Loaded) -> None:
    assert unpack_loaded(payload(pack_loaded(loaded))) == loaded


@given(st.text(), st.text(), st.none() | st.lists(st.integers(0, 1023)))
def test_a_failure_comes_back(what: str, details: str, streams: list[int] | None) -> None:
    failure = unpack_failure(payload(pack_failure(Failure("raised", what, "predict", details, streams))))
    assert (failure.what, failure.details, failure.streams) == (what, details, streams)
