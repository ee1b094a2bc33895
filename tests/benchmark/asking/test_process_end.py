"""Nothing of a model's process is left when it has ended, however it ended."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.model_process import answers, failure, is_alive

Write = Callable[[str], Path]


@pytest.fixture
def leaving(write: Write) -> Iterator[tuple[Path, Callable[[], int]]]:
    """A model that leaves a process behind, and who that is."""
    file = write(
        """
        import os, subprocess
        def load(task):
            left = subprocess.Popen(["sleep", "60"])
            print(left.pid, file=open("left", "w"))
        def predict(prefix):
            if os.path.exists("die"):
                os._exit(1)
            return {"("}
        """
    )
    yield file, lambda: int((file.parent / "left").read_text())


def test_what_a_model_leaves_behind_ends_with_it(leaving: tuple[Path, Callable[[], int]]) -> None:
    file, left = leaving
    assert answers(file) == [1] * 6
    assert not is_alive(left())
    (file.parent / "die").touch()
    assert failure(file).kind == "died"
    assert not is_alive(left())


def test_the_end_is_noticed_though_a_copy_of_the_model_holds_its_pipe(write: Write) -> None:
    """A process made by C's fork, which Python is not told of."""
    file = write(
        """
        import ctypes, os, time
        def predict(prefix):
            if ctypes.CDLL(None).fork() == 0:
                time.sleep(60)
            os._exit(5)
        """
    )
    started = time.monotonic()
    assert failure(file).what == "ended its process with exit status 5"
    assert time.monotonic() - started < 10


def test_what_a_model_does_at_its_end_is_done(write: Write) -> None:
    """Its threads end first, then what it registered is called, and what it printed comes out."""
    file = write(
        """
        import atexit, threading, time
        log = open("log", "w")
        atexit.register(log.close)
        atexit.register(log.write, "end")
        def load(task):
            threading.Thread(target=lambda: (time.sleep(0.2), log.write("thread "))).start()
        def predict(prefix):
            return {"("}
        """
    )
    assert answers(file) == [1] * 6
    assert (file.parent / "log").read_text() == "thread end"


def test_a_process_ends_though_its_model_has_threads_that_do_not(write: Write) -> None:
    file = write(
        """
        import os, threading, time
        threading.Thread(target=time.sleep, args=(60,)).start()
        print(os.getpid(), file=open("me", "w"))
        def predict(prefix): return {"("}
        """
    )
    assert answers(file) == [1] * 6
    assert not is_alive(int((file.parent / "me").read_text()))


def test_an_interrupt_kills_at_once(write: Write) -> None:
    file = write(
        "import os, time\nprint(os.getpid(), file=open('me', 'w'))\ndef predict(prefix): time.sleep(60)"
    )
    me = file.parent / "me"

    def interrupt() -> None:
        while not (me.exists() and me.read_text()):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        answers(file)
    assert not is_alive(int(me.read_text()))
