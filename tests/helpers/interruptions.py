"""Processes that end, or whose disk does, at a chosen operation on the files of a folder."""

import errno
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

CHANGES = ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir")
"""What Python reports (PEP 578) before it does that to a file: creating, writing, renaming, removing, and reading too."""

NO_SPACE, READ_ONLY = errno.ENOSPC, errno.EROFS
UNREACHED = 77


def run_interrupted(
    work: Callable[[], object], folder: Path, at: int, error: int | None = None
) -> int | None:
    """Run `work` in a process of its own; at the operation `at` on a file in `folder` it is killed, or gets an error.

    error:  an errno; None for SIGKILL

    How it ended: -9 if it was killed, the errno if that was raised, 0 if it did its work nonetheless, UNREACHED if there
    are no so many operations.
    """
    process = get_context("fork").Process(target=_run, args=(work, str(folder), at, error))
    process.start()
    process.join(60)
    return process.exitcode


def _run(work: Callable[[], object], folder: str, at: int, error: int | None) -> None:
    left = at

    def interrupt(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal left
        if event not in CHANGES or not _concerns(arguments[0], folder):
            return
        left -= 1
        if left == -1:
            if error is None:
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError(error, os.strerror(error), str(arguments[0]))

    sys.addaudithook(interrupt)
    try:
        work()
    except OSError as raised:
        os._exit(raised.errno or 1)
    os._exit(UNREACHED if left >= 0 else 0)


def _concerns(path: object, folder: str) -> bool:
    """Whether a path is in the folder, or is a bare name, as when a whole folder is removed."""
    text = os.fsdecode(path) if isinstance(path, str | bytes | os.PathLike) else ""
    return text.startswith(folder) or (bool(text) and os.sep not in text)
