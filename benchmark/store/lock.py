"""One command at a time writes a task into a folder.

The lock is the system's, on a file beside the task's receipts, and ends with the process. The file says what is being
written: who wants the same waits, who wants something else is told so.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from marnn_bench.errors import UsageError
from marnn_bench.store.manifest import RECEIPTS

CLEARING = "clearing"
"""Held for a moment by a command that removes what a killed one left: nobody's content."""

WAIT = 0.1
"""Seconds between two looks at a lock."""


@contextmanager
def writing(out: Path, task: str, content: str) -> Iterator[None]:
    """Hold a task of a folder while `content` is written; UsageError if another command writes other content."""
    path = out / RECEIPTS / f"{task}.lock"
    made = [folder for folder in (path.parent, out) if not folder.exists()]
    file = _acquire(path, content.encode())
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(file)
        for folder in made:
            with suppress(OSError):  # it holds something, as it should
                folder.rmdir()


def _acquire(path: Path, content: bytes) -> int:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:  # whoever made the folder has just removed it
            continue
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if path.exists() and os.path.samestat(os.fstat(file), path.stat()):
                os.ftruncate(file, 0)
                os.pwrite(file, content, 0)
                return file
        except BlockingIOError:
            held = os.pread(file, 1 << 20, 0)
            if held not in (b"", CLEARING.encode(), content):
                os.close(file)
                raise UsageError(
                    f"Another command is writing {path.stem} into {path.parents[1]} with other rows, windows, law "
                    "or version. Wait for its end, or choose another folder."
                ) from None
            time.sleep(WAIT)
        except FileNotFoundError:
            pass  # the lock was given back and its file removed since
        os.close(file)
