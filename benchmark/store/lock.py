"""One command at a time writes a folder, or a task in it.

The lock is the system's, on a file, and ends with the process. The file says who holds it.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from marnn_bench.errors import UsageError
from marnn_bench.store.manifest import RECEIPTS

CLEARING = "clearing"
"""Held for a moment by a command that removes what a killed one left: nobody's content."""

WAIT = 0.1
"""Seconds between two looks at a lock."""


@dataclass(frozen=True)
class Lock:
    """A file that this process holds."""

    path: Path
    file: int

    def in_place(self) -> bool:
        """Whether the file is still where it was made, so that whoever comes next finds it."""
        try:
            return os.path.samestat(os.fstat(self.file), self.path.stat())
        except (FileNotFoundError, NotADirectoryError):
            return False


@contextmanager
def held(path: Path, content: str, on_wait: Callable[[str], None]) -> Iterator[Lock]:
    """Hold a file, with the folders that it needs; what is empty of these goes afterwards.

    While another process holds it, `on_wait` is told the content of that process: it raises, or returns to wait.
    """
    made = [folder for folder in path.parents if not folder.exists()]
    lock = _acquire(path, content.encode(), on_wait)
    try:
        yield lock
    finally:
        if lock.in_place():
            path.unlink()
        os.close(lock.file)
        for folder in made:
            with suppress(OSError):  # it holds something, as it should
                folder.rmdir()


@contextmanager
def writing(out: Path, task: str, content: str) -> Iterator[None]:
    """Hold a task of a folder while `content` is written; UsageError if another command writes other content.

    Who wants the same waits.
    """

    def refuse(other: str) -> None:
        if other not in (CLEARING, content):
            raise UsageError(
                f"Another command is writing {task} into {out} with other rows, windows, law or version. "
                "Wait for its end, or choose another folder."
            )

    with held(out / RECEIPTS / f"{task}.lock", content, refuse):
        yield


def _acquire(path: Path, content: bytes, on_wait: Callable[[str], None]) -> Lock:
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = Lock(path, os.open(path, os.O_RDWR | os.O_CREAT, 0o644))
        except FileNotFoundError:  # whoever made the folder has just removed it
            continue
        try:
            fcntl.flock(lock.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if lock.in_place():
                os.ftruncate(lock.file, 0)
                os.pwrite(lock.file, content, 0)
                return lock
            os.close(lock.file)  # it was given back and removed since
        except BlockingIOError:
            other = os.pread(lock.file, 1 << 20, 0).decode(errors="replace")
            os.close(lock.file)
            if other:  # not of one who is about to say who it is
                on_wait(other)
            time.sleep(WAIT)
        except BaseException:
            os.close(lock.file)
            raise
