"""A bound on memory while something is read that may be larger than it says."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

STATUS: Final = Path("/proc/self/status")


@contextmanager
def at_most(more: int) -> Iterator[None]:
    """So many more bytes for this process, then MemoryError. On systems other than Linux nothing is bounded."""
    if sys.platform != "linux" or not STATUS.exists():
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [limit for limit in (soft, _data_bytes() + more) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_bytes() -> int:
    """What of the process's memory counts."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith("VmData:"))
    return 1024 * int(line.split()[1])
