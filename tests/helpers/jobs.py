"""Work for several processes that says by files how far it is."""

import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from marnn_bench.leaderboard.reproduce.workers import each_done

LONG = 60.0


def wait_for(what: Callable[[], object]) -> None:
    """Until it holds; the test fails if that takes a minute."""
    last = time.monotonic() + LONG
    while not what():
        assert time.monotonic() < last, "it never came about"
        time.sleep(0.02)


def processes_in(folder: Path) -> list[int]:
    """The processes that work in a folder or below it."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):  # it is gone, or another user's
            if place.readlink().is_relative_to(folder):
                found.append(int(place.parent.name))
    return found


def keep_at_interrupt(folder: Path) -> None:
    """Wait for Ctrl-C, then for a while: a second Ctrl-C would end that."""
    begun = folder / "begun"
    begun.mkdir(parents=True)
    (begun / str(os.getpid())).touch()
    try:
        time.sleep(LONG)
    except KeyboardInterrupt:
        time.sleep(0.5)
        (folder / "kept").touch()
        raise


def name(folder: Path) -> int:
    """Leave the number of the process, and give it."""
    folder.mkdir()
    (folder / str(os.getpid())).touch()
    return os.getpid()


def die(folder: Path) -> None:
    """End as a process does whose memory was refused."""
    os.kill(os.getpid(), 9)


if __name__ == "__main__":
    for done, _ in each_done(keep_at_interrupt, [Path(folder) for folder in sys.argv[1:]], 2):
        raise AssertionError(f"{done} was done")
