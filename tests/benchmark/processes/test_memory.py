"""The memory of a model is that of all its processes, shared memory included."""

import mmap
import os
from pathlib import Path

import pytest

from helpers.model_files import write_model
from helpers.model_process import answers, failure, processes_in
from marnn_bench.processes.limits import Limits
from marnn_bench.processes.tree import takes_more

MIB = 1 << 20

TAKERS = {
    "shared memory": "hold = mmap.mmap(-1, 600 << 20)\nfill(hold)",
    "a file in /dev/shm": "file = tempfile.TemporaryFile(dir='/dev/shm')\nfile.truncate(600 << 20)\n"
    "hold = mmap.mmap(file.fileno(), 600 << 20)\nfill(hold)",
    "three processes": "for _ in range(3):\n    if not os.fork():\n        hold = numpy.ones(200 << 17)\n        time.sleep(60)",
    "a process that is none of its own": "if not os.fork():\n    os.setsid()\n    if os.fork(): os._exit(0)\n"
    "    hold = mmap.mmap(-1, 600 << 20)\n    fill(hold)\n    time.sleep(60)",
}

SETUP = """
import mmap, numpy, os, tempfile, time
def fill(memory): numpy.frombuffer(memory, 'u1')[:] = 1
"""

WAIT = "\ndef predict(prefix):\n    time.sleep({seconds})\n    return {{'('}}"


@pytest.mark.parametrize("taker", TAKERS)
def test_a_model_that_takes_too_much_in_any_way_is_ended(taker: str, tmp_path: Path) -> None:
    file = write_model(tmp_path / "model", SETUP + TAKERS[taker] + WAIT.format(seconds=60))
    failed = failure(file, Limits(memory=512 * MIB, timeout=20))
    assert (failed.kind, failed.what) == ("memory", "took more than 0.5 GiB of memory in all its processes")
    assert not processes_in(file.parent)


def test_what_processes_share_counts_once(tmp_path: Path) -> None:
    source = (
        SETUP
        + "hold = mmap.mmap(-1, 300 << 20)\nfill(hold)\nfor _ in range(3):\n    if not os.fork():\n        fill(hold)\n        time.sleep(60)"
    )
    file = write_model(tmp_path / "model", source + WAIT.format(seconds=0.3))
    assert answers(file, Limits(memory=600 * MIB)) == [1] * 6


def test_a_map_that_is_not_filled_takes_nothing() -> None:
    base = next(size for size in range(0, 1 << 40, 16 * MIB) if not takes_more([os.getpid()], size))
    with mmap.mmap(-1, 512 * MIB) as memory:
        assert not takes_more([os.getpid()], base + 64 * MIB)
        memory[:] = b"1" * len(memory)
        assert takes_more([os.getpid()], base + 448 * MIB)
        assert not takes_more([os.getpid()], base + 576 * MIB)
    assert not takes_more([os.getpid()], base + 64 * MIB)
