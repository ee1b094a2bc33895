"""Models that write frames themselves: what is no frame, not the one that is due, or no possible content, is a failure."""

from pathlib import Path

import pytest

from helpers.containment import assert_contained
from helpers.model_files import write_model
from marnn_bench.asking.process import ModelProcess

FOREIGN = "mixed something of its own with its answers"

LOADED, READY, ANSWERS, FAILURE = 4, 5, 6, 7

WRITTEN = {
    "nothing": b"",
    "a part of a header": b"\x06\x00",
    "an unknown kind": b"\xff" * 5,
    "a huge frame": b"\x06\xff\xff\xff\xff",
    "a large frame that ends early": b"\x06\x00\x00\x00\x02" + bytes(1000),
    "a request": b"\x03\x00\x00\x00\x00",
    **{f"kind {kind} with {what}": bytes([kind]) + len(payload).to_bytes(4, "little") + payload
       for kind in (LOADED, READY, ANSWERS, FAILURE)
       for what, payload in {
           "nothing": b"",
           "7 bytes": b"1234567",
           "what is no JSON": b"{" * 8,
           "deep JSON": b"[" * 100_000,
           "what is no UTF-8": b"\xff" * 16,
           "null": b"null",
           "a list": b"[1, 2, 3]",
           "other names": b'{"x": 1}',
           "texts that are none": b'{"kind": 1, "what": 2, "function": 3, "details": 4, "streams": 5}',
           "an unknown failure": b'{"kind": "x", "what": "x"}',
           "a number without end": b'{"kind": "died", "what": 1e999}',
           "streams that are not asked": b'{"kind": "answer", "what": "x", "streams": [99]}',
           "negative streams": b'{"kind": "answer", "what": "x", "streams": [-1]}',
           "streams that are none": b'{"kind": "answer", "what": "x", "streams": [[]]}',
           "a stream twice": b'{"kind": "answer", "what": "x", "streams": [0, 0]}',
           "no streams": b'{"kind": "answer", "what": "x", "streams": []}',
           "packages that are none": b'{"interface": "step", "answer": "sets", "loads": true, "packages": [1]}',
           "versions that are none": b'{"interface": "step", "answer": "sets", "loads": true, "packages": {"numpy": {}}}',
           "another kind of answers": b'{"interface": "step", "answer": "x", "loads": true, "packages": {}}',
           "all symbols": b"\xff" * 16,
       }.items()},
}  # fmt: skip
"""What is written -> the bytes, to every descriptor."""

ASKED = """
import os
written = {written!r}
def write():
    for fd in range(3, 16):
        try:
            os.write(fd, written)
        except OSError:
            pass
def predict(prefix):
    len(prefix) == 2 and write()
    return {{"("}}
"""


@pytest.mark.parametrize("what", WRITTEN)
def test_frames_of_its_own_harm_only_the_model(what: str, tmp_path: Path, sound: ModelProcess) -> None:
    file = write_model(tmp_path / "model", ASKED.format(written=WRITTEN[what]))
    found = assert_contained(file, sound)
    assert found == [1] * 6 if what == "nothing" else str(found) != "[1, 1, 1, 1, 1, 1]"


@pytest.mark.parametrize(
    "what", ["an unknown kind", "a huge frame", "kind 7 with deep JSON", "kind 7 with negative streams"]
)
def test_the_failure_says_so(what: str, tmp_path: Path, sound: ModelProcess) -> None:
    file = write_model(tmp_path / "model", ASKED.format(written=WRITTEN[what]))
    assert FOREIGN in str(assert_contained(file, sound))


FLOODS = {
    "answers twice": "2 * (b'\\x06' + (16).to_bytes(4, 'little') + bytes(16))",
    "is ready before it is asked": "b'\\x05' + bytes(4)",
    "fails without end": "b'\\x07' + (48).to_bytes(4, 'little') + b'{\"kind\": \"answer\", \"what\": \"x\", \"streams\": [0]}'",
}  # fmt: skip


@pytest.mark.parametrize("what", FLOODS)
def test_a_flood_of_frames_ends(what: str, tmp_path: Path, sound: ModelProcess) -> None:
    """Without a word to the evaluator's requests, which are never read."""
    source = f"""
        import os
        frame = {FLOODS[what]}
        def predict(prefix):
            while True:
                for fd in range(3, 16):
                    try:
                        os.write(fd, frame)
                    except OSError:
                        pass
        """
    assert isinstance(assert_contained(write_model(tmp_path / "model", source), sound), str)
