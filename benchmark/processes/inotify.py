"""Linux's word on which files are opened: inotify."""

import os
import struct
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from marnn_bench.processes import linux

IN_CLOSE_WRITE: Final = 0x8
IN_CLOSE_NOWRITE: Final = 0x10
IN_OPEN: Final = 0x20
IN_Q_OVERFLOW: Final = 0x4000
IN_ISDIR: Final = 0x4000_0000

EVENT: Final = struct.Struct("iIII")
"""Watch, kind, cookie, size of the name that follows."""

READ_BYTES: Final = 1 << 16


class Openings:
    """Counts how often each file was opened, and how it was closed.

    Raises OSError where there is no inotify, or no more of it for this user.
    """

    def __init__(self, folders: Iterable[Path], links: Iterable[Path]) -> None:
        self.overflowed = False
        self._counts: Counter[tuple[Path, int]] = Counter()
        self._descriptor = linux.inotify_init()
        try:
            # Opening a link is an event of the file that it leads to, which the folder of the link does not see.
            self._watched = {self._watch(path): path for path in (*folders, *links)}
        except OSError:
            self.close()
            raise

    def _watch(self, path: Path) -> int:
        kinds = IN_OPEN | IN_CLOSE_WRITE | IN_CLOSE_NOWRITE
        return linux.inotify_add_watch(self._descriptor, str(path), kinds)

    def opened(self) -> set[Path]:
        """The files that were opened so far."""
        self._read()
        return {path for path, kind in self._counts if kind == IN_OPEN}

    def only_written(self, path: Path) -> bool:
        """Whether a file that has changed was opened for writing alone, as a log is."""
        counts = self._counts
        writers = counts[path, IN_CLOSE_WRITE]
        return not counts[path, IN_CLOSE_NOWRITE] and writers in (0, counts[path, IN_OPEN])

    def leave_out_own(self, path: Path) -> None:
        """Do not count that this program itself has just opened, read and closed a file."""
        self._read()
        for kind in (IN_OPEN, IN_CLOSE_NOWRITE):
            self._counts[path, kind] -= 1

    def close(self) -> None:
        """Watch no longer."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _read(self) -> None:
        with suppress(BlockingIOError):
            while self._descriptor >= 0:
                self._count(os.read(self._descriptor, READ_BYTES))

    def _count(self, events: bytes) -> None:
        at = 0
        while at < len(events):
            watch, kind, _, size = EVENT.unpack_from(events, at)
            name = events[at + EVENT.size : at + EVENT.size + size].rstrip(b"\0")
            at += EVENT.size + size
            if kind & IN_Q_OVERFLOW:
                self.overflowed = True
            elif watch in self._watched and not kind & IN_ISDIR:
                path = self._watched[watch]
                self._counts[path / os.fsdecode(name) if name else path, kind] += 1
