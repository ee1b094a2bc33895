"""The process between the evaluator and a model: `python -P -m marnn_bench.processes.supervisor SPECIFICATION`.

It starts the model's process, passes on what that prints, and adopts whatever it leaves behind; when the model has
ended, or the evaluator, it ends all of them and itself. It imports little, so that the model starts soon.
"""

import codecs
import json
import os
import resource
import select
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Final, NamedTuple

from marnn_bench.processes import linux
from marnn_bench.processes.namespaces import enter_namespaces, hide_folders
from marnn_bench.processes.tree import children
from marnn_bench.visible import visible

ENDED_BY_SIGNAL: Final = 128
"""The exit status for an end by signal n is this + n, as shells have it."""

READ_BYTES: Final = 1 << 16
LAYOUT: Final = "\n\r\t"
"""Control characters that what a model prints may have."""


class Specification(NamedTuple):
    """What to start.

    module:     its `main(arguments)` is called; nothing where there is none
    memory:     bytes that each process may allocate
    isolated:   whether in namespaces of its own, in which
    hidden:     these folders are empty
    kept:       but these are there, wherever they lie
    """

    module: str | None
    arguments: list[str]
    memory: int
    isolated: bool = False
    hidden: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


def main(arguments: list[str]) -> int:
    """Start what is specified, in a process of its own, and see to its end; its exit status."""
    specification = Specification(**json.loads(arguments[0]))
    on_linux = sys.platform == "linux"
    if on_linux:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGTERM)
    if specification.isolated:
        enter_namespaces()
        if first := os.fork():
            release_standard_streams()
            return Supervisor(first).run()
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        hidden, kept = (map(Path, paths) for paths in (specification.hidden, specification.kept))
        hide_folders(hidden, kept, specification.memory)
    if on_linux:
        linux.prctl(linux.PR_SET_CHILD_SUBREAPER, 1)
    printed, to_print = os.pipe()
    if model := os.fork():
        os.close(to_print)
        release_standard_streams()
        return Supervisor(model, Printed(printed)).run()
    os.setsid()
    os.close(printed)
    os.dup2(to_print, sys.stderr.fileno())
    os.close(to_print)
    if on_linux:
        linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_DATA, (specification.memory, specification.memory))
    if specification.module is None:
        return 0
    run: Callable[[list[str]], int] = import_module(specification.module).main
    return run(specification.arguments)


def release_standard_streams() -> None:
    """Leave standard input and output to the model alone, so that their ends are seen."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)


class Printed:
    """What comes out of a pipe, passed on to standard error as text."""

    def __init__(self, pipe: int) -> None:
        os.set_blocking(pipe, False)
        self.pipe = pipe
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def pass_on(self) -> bool:
        """Print what can be read at once; False where there is nothing, or no more."""
        try:
            chunk = os.read(self.pipe, READ_BYTES)
        except BlockingIOError:
            return False
        text = visible(self._decoder.decode(chunk, final=not chunk), LAYOUT)
        with suppress(OSError):  # nobody reads it any more
            sys.stderr.buffer.write(text.encode())
            sys.stderr.buffer.flush()
        return bool(chunk)


class Supervisor:
    """Waits for a child, and passes on what is printed, until it ends or SIGTERM comes."""

    def __init__(self, child: int, printed: Printed | None = None) -> None:
        self._child = child
        self._printed = printed
        self._status: int | None = None
        self._signals, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM):
            signal.signal(number, lambda *_: None)  # so that it is told in the pipe

    def run(self) -> int:
        """Wait, then end everything; the exit status of the child."""
        events = select.poll()
        events.register(self._signals, select.POLLIN)
        if self._printed:
            events.register(self._printed.pipe, select.POLLIN)
        while (status := self._reaped()) is None:
            for descriptor, _ in events.poll():
                if descriptor == self._signals:
                    self._obey()
                elif self._printed and not self._printed.pass_on():
                    events.unregister(descriptor)
        self._end_all()
        while self._printed and self._printed.pass_on():
            pass
        code = os.waitstatus_to_exitcode(status)
        return code if code >= 0 else ENDED_BY_SIGNAL - code

    def _obey(self) -> None:
        if signal.SIGTERM in os.read(self._signals, READ_BYTES):
            os.kill(self._child, signal.SIGKILL)

    def _reaped(self) -> int | None:
        """Wait for all children that have ended; the status of the one that matters, if it is among them."""
        status = None
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._child:
                    status = ended[1]
        return status

    def _end_all(self) -> None:
        """End what the child left in its group, then all else: what those have started comes to this process."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child, signal.SIGKILL)
        with suppress(ChildProcessError):
            while left := children(os.getpid()):
                for process in left:
                    with suppress(ProcessLookupError, PermissionError):
                        os.kill(process, signal.SIGKILL)
                os.waitpid(-1, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
