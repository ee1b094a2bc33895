"""Work in several processes, which end with this one, and keep what they are at when this one is interrupted."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import active_children, get_context, parent_process
from types import FrameType
from typing import TypeVar

from marnn_bench.errors import LimitError

T = TypeVar("T")
R = TypeVar("R")


def each_done(work: Callable[[T], R], items: Sequence[T], jobs: int) -> Iterator[tuple[T, R]]:
    """Do the work of all items, `jobs` at a time, and give each with its result when it is done.

    After an error or Ctrl-C nothing more is begun, and what is under way gets one Ctrl-C. LimitError if a process dies.
    """
    if jobs == 1:
        for item in items:
            yield item, work(item)
        return
    # No forks: torch's threads do not survive them.
    with ProcessPoolExecutor(min(jobs, len(items)), get_context("spawn"), _begin) as pool:
        try:
            with _held_back():
                futures = {pool.submit(_interruptible, work, item): item for item in items}
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException as error:
            pool.shutdown(wait=False, cancel_futures=True)
            for pid in filter(None, (process.pid for process in active_children())):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGINT)
            if isinstance(error, BrokenProcessPool):
                raise LimitError(
                    "A process that trained was killed, most likely since memory ran out. The same command continues; "
                    "with --jobs 1 it takes less."
                ) from None
            raise


@contextmanager
def _held_back() -> Iterator[None]:
    """Ctrl-C waits until this is over; in a process that is started meanwhile, until that wants it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Noting:
    """What Ctrl-C does to a process between two works: the next one is not begun."""

    def __init__(self) -> None:
        self.interrupted = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.interrupted = True


def _begin() -> None:
    """A process begins, beyond the terminal's Ctrl-C, since its parent passes that on, and ends when its parent does."""
    os.setpgrp()
    signal.signal(signal.SIGINT, _Noting())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := parent_process():
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)


def _interruptible(work: Callable[[T], R], item: T) -> R:
    noting = signal.signal(signal.SIGINT, signal.default_int_handler)
    assert isinstance(noting, _Noting)
    try:
        if noting.interrupted:
            raise KeyboardInterrupt
        return work(item)
    except KeyboardInterrupt:
        noting.interrupted = True
        raise
    finally:
        signal.signal(signal.SIGINT, noting)
