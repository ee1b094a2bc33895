"""A process and all that descend from it, by Linux's /proc: which they are, and the memory that they take."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

PROC: Final = Path("/proc")

HELD: Final = ("RssAnon", "RssShmem", "VmSwap")
"""Of /proc/PID/status: memory that is no file's on disk. What processes share is counted in each."""

SHARED_OUT: Final = ("Pss_Anon", "Pss_Shmem", "SwapPss")
"""Of /proc/PID/smaps_rollup: the same, with what n processes share counted as an n-th in each."""


def children(process: int) -> list[int]:
    """The processes that this one started, or adopted, and that were not waited for."""
    found: list[int] = []
    with suppress(OSError):
        for thread in (PROC / str(process) / "task").iterdir():
            with suppress(OSError):
                found += map(int, (thread / "children").read_text().split())
    return found


def descendants(process: int) -> list[int]:
    """Its children, theirs, and so on."""
    found = children(process)
    for descendant in found:  # grows while it is read
        found += children(descendant)
    return found


def takes_more(processes: Iterable[int], size: int) -> bool:
    """Whether these together take more than so many bytes of memory, shared memory included."""
    processes = list(processes)
    if sum(_kilobytes(process, "status", HELD) for process in processes) << 10 <= size:
        return False
    # The exact answer is dear: the kernel walks all their pages.
    return sum(_kilobytes(process, "smaps_rollup", SHARED_OUT) for process in processes) << 10 > size


def _kilobytes(process: int, file: str, names: tuple[str, ...]) -> int:
    try:
        lines = (PROC / str(process) / file).read_text().splitlines()
    except OSError:  # it has ended
        return 0
    fields = (line.partition(":") for line in lines)
    return sum(int(value.split()[0]) for name, _, value in fields if name in names)


def with_variable(entry: str) -> list[int]:
    """The processes that were started with NAME=VALUE in their environment."""
    wanted, found = os.fsencode(entry), []
    for folder in PROC.glob("[0-9]*"):
        with suppress(OSError):
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return found
