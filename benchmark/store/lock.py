"""One command at a time writes a folder, or a task in it.

The lock is the system's, on a file, and ends with the process. The file says who holds it.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from marnn_bench.errors import UsageError
from marnn_bench.store.manifest import RECEIPTS

CLEARING = "clearing"
"""Held for a moment by a command that removes what a killed one left: nobody's content."""

WAIT = 0.1
"""Seconds between two looks at a lock."""

BINARY = getattr(os, "O_BINARY", 0)

BEYOND = 1 << 30
"""On Windows nobody else can read what is locked: there it is a byte behind the content."""


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

    def acquire(self) -> bool:
        """Lock the file; whether no other process has it."""
        if sys.platform == "win32":
            import msvcrt

            os.lseek(self.file, BEYOND, os.SEEK_SET)
            take, taken = partial(msvcrt.locking, self.file, msvcrt.LK_NBLCK, 1), PermissionError
        else:
            import fcntl

            take, taken = partial(fcntl.flock, self.file, fcntl.LOCK_EX | fcntl.LOCK_NB), BlockingIOError
        try:
            take()
        except taken:
            return False
        return True

    def write(self, content: bytes) -> None:
        """Write who holds it."""
        os.ftruncate(self.file, 0)
        os.lseek(self.file, 0, os.SEEK_SET)
        os.write(self.file, content)

    def read(self) -> str:
        """Who holds it."""
        os.lseek(self.file, 0, os.SEEK_SET)
        return os.read(self.file, 1 << 20).decode(errors="replace")

    def release(self) -> None:
        """Remove the file, if it is still in its place, and unlock it."""
        if sys.platform == "win32":
            os.close(self.file)
            with suppress(OSError):  # whoever has opened it meanwhile keeps it
                self.path.unlink()
        else:
            if self.in_place():
                self.path.unlink()
            os.close(self.file)


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
        lock.release()
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
    while not isinstance(found := _try(path, content), Lock):
        if found:
            on_wait(found)
        time.sleep(WAIT)
    return found


def _try(path: Path, content: bytes) -> Lock | str:
    """The lock, or who holds it; nothing if whoever holds it is just coming or going."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        lock = Lock(path, os.open(path, os.O_RDWR | os.O_CREAT | BINARY, 0o644))
    except FileNotFoundError:  # whoever made the folder has just removed it
        return ""
    kept = False
    try:
        if not lock.acquire():
            return lock.read()
        if not lock.in_place():  # it was given back and removed since
            return ""
        lock.write(content)
        kept = True
        return lock
    finally:
        if not kept:
            os.close(lock.file)
