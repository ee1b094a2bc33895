"""The evaluator's side of a model's process: start it, ask it within limits, and leave nothing of it behind."""

import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

import numpy as np

from marnn_bench.asking.interfaces import Pending, Progress, Report, ignore
from marnn_bench.asking.protocol import (
    EXIT_CONNECTION_LOST,
    IDLE,
    OF_PROBABILITIES,
    Answers,
    Failure,
    Frame,
    FrameKind,
    Loaded,
    ModelTask,
    ProtocolError,
    Requests,
    pack_number,
    pack_requests,
    pack_tasks,
    read_frame,
    unpack_answers,
    unpack_failure,
    unpack_loaded,
    unpack_number,
)
from marnn_bench.processes.environment import model_environment
from marnn_bench.processes.launch import Supervised, require_isolation
from marnn_bench.processes.limits import Limits
from marnn_bench.processes.opened_files import OpenedFiles
from marnn_bench.processes.scratch import ScratchFolder
from marnn_bench.processes.supervisor import Specification

CHILD: Final = "marnn_bench.asking.child"

POLL_SECONDS: Final = 0.1
"""Seconds between looks at whether the process is still there, and at its memory."""

GRACE_SECONDS: Final = 1.0
"""Seconds that a process has to end when it is no longer needed, before it is killed."""

PIPE_BYTES: Final = 1 << 16
"""What a pipe holds."""

MAX_SHOWN: Final = 2_000
"""Characters of what a model says of a failure; its traceback is not among them."""

FOREIGN: Final = "mixed something of its own with its answers"

T = TypeVar("T")


class ModelProcess:
    """A model file in a process of its own, which starts at once; `with` ends it.

    Failures are raised when they leave every stream without an answer. After one that ended the process, the next
    `reset` starts it again.
    """

    def __init__(self, file: Path, limits: Limits, hidden: Sequence[Path] = ()) -> None:
        """`hidden`: folders that an isolated process does not see; UsageError if isolation is not possible here."""
        if limits.isolated:
            require_isolation()
        self._file = file.absolute()
        self._limits = limits
        self._hidden = hidden
        self._scratch = ScratchFolder()
        self._tasks: tuple[ModelTask, ...] = ()
        self._loaded: Loaded
        self._process: Supervised | None = None
        self._deadline = self._next_look = 0.0
        self._answered, self._answering_seconds = 0, 0.0
        self.opened = OpenedFiles(self._file)
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(grace=0.0 if error else GRACE_SECONDS)

    def load(self, *tasks: ModelTask) -> Loaded:
        """Have the model loaded for a run of a task, or for several that are asked at once: the streams of each in turn."""
        self._tasks, answer = tasks, tasks[0].answer
        if self._coming:  # answers that nobody waits for any more
            self._end()
        if self._process is None:
            self._start()
        self._loaded = self._unpack(unpack_loaded, self._ask(pack_tasks(tasks), FrameKind.LOADED))
        if self._loaded.answer not in (answer, OF_PROBABILITIES.get(answer)):
            raise self._protocol_failure(FOREIGN)
        return self._loaded

    def reset(self, n: int) -> None:
        """Begin a wave of n streams of each run."""
        if self._process is None and self._tasks:
            self.load(*self._tasks)
        self._ask(pack_number(FrameKind.RESET, n), FrameKind.READY)

    def step(self, requests: Requests, report: Report, progress: Progress = ignore) -> Answers:
        """Add a symbol to each stream: what each answers, anything where nothing is wanted: [n] or [n, columns].

        Failures of single streams are reported as they come; what `report` raises ends the step.
        """
        return self.begin(requests)(report, progress)

    def begin(self, requests: Requests, half: int = 0) -> Pending:
        """Ask a half of the runs as `step` does, with the answers still to come; both may be on their way."""
        started = time.monotonic()
        self._send(pack_requests(requests, half))
        self._coming += 1

        def answers(report: Report, progress: Progress) -> Answers:
            columns = len(self._tasks[0].columns) if self._tasks else 0
            payload = self._reply(FrameKind.ANSWERS, _Reporter(requests, report, progress))
            answers = self._unpack(
                lambda content: unpack_answers(content, self._loaded.answer, len(requests), columns), payload
            )
            self._answered += int(np.count_nonzero(requests > IDLE))
            self._answering_seconds += time.monotonic() - started
            return answers

        return answers

    def close(self, grace: float = GRACE_SECONDS) -> None:
        """End the process and all that it started; it has `grace` seconds to end by itself."""
        self._end(grace)
        self.opened.close()
        self._scratch.remove()

    # -- the process

    def _start(self) -> None:
        kept = [self._file.parent, Path(sys.prefix), Path(sys.base_prefix), *map(Path, sys.path)]
        specification = Specification(
            CHILD,
            [str(self._file)],
            self._limits.memory,
            self._limits.isolated,
            tuple(str(path.absolute()) for path in self._hidden),
            tuple(str(path.absolute()) for path in kept),
        )
        own = str(self._scratch.path)
        environment = model_environment(os.environ, own, self._limits.threads, self._limits.passed)
        self._process = Supervised(specification, environment)
        self._received = b""
        self._coming = 0
        self._events = select.poll()
        self._events.register(self._process.replies, select.POLLIN)

    def _end(self, grace: float = 0.0) -> int | None:
        """End the process and all that it started; its exit status, if it ended by itself."""
        process, self._process = self._process, None
        return process.end(grace) if process else None

    # -- asking it

    def _ask(self, request: bytes, expected: FrameKind, reporter: "_Reporter | None" = None) -> bytes:
        """Send a frame; the payload of the frame of the expected kind that answers it."""
        self._send(request)
        self._coming += 1
        return self._reply(expected, reporter)

    def _reply(self, expected: FrameKind, reporter: "_Reporter | None" = None) -> bytes:
        """The payload of the frame of the expected kind that answers the first question that is not answered yet."""
        while True:
            frame = self._receive()
            if frame.kind is expected:
                self._answered_one()
                return frame.payload
            if frame.kind is FrameKind.PROGRESS and reporter:
                reporter.progress(self._unpack(unpack_number, frame.payload))
                continue
            if frame.kind is not FrameKind.FAILURE:
                raise self._protocol_failure(f"answered {frame.kind.name}, not {expected.name}")
            failure = _shortened(self._unpack(unpack_failure, frame.payload))
            if failure.streams is None:
                self._answered_one()
                raise failure
            if reporter is None or not reporter.accepts(failure):
                raise self._protocol_failure(FOREIGN)
            try:
                reporter.report(failure)
            except BaseException:
                self._end()  # its answers to the other streams are on their way
                raise

    def _answered_one(self) -> None:
        """The model can go to work on the next question, if there is one."""
        self._coming -= 1
        self._deadline = time.monotonic() + self._limits.timeout

    def _unpack(self, unpack: Callable[[bytes], T], payload: bytes) -> T:
        """What a payload says."""
        try:
            return unpack(payload)
        except Exception:  # noqa: BLE001 (a model that writes frames itself can write anything)
            raise self._protocol_failure(FOREIGN) from None

    def _send(self, request: bytes) -> None:
        """Write a request. The process reads it whole before it goes to work, unless the model keeps it from that."""
        pipe, rest = self._running.requests.fileno(), memoryview(request)
        if not self._coming:
            self._deadline = time.monotonic() + self._limits.timeout
            if self._received or self._readable(0.0):
                raise self._unasked_failure()
        with suppress(BrokenPipeError):
            while rest:
                try:
                    rest = rest[os.write(pipe, rest) :]
                except BlockingIOError:
                    self._look(time.monotonic())
                    replies = self._running.replies.fileno()
                    readable, _, _ = select.select([replies] * bool(self._coming), [pipe], [], POLL_SECONDS)
                    if readable:  # it may wait until these are taken
                        self._received += os.read(replies, PIPE_BYTES)

    def _receive(self) -> Frame:
        try:
            frame = read_frame(self._read)
        except ProtocolError as error:
            raise self._protocol_failure(f"{FOREIGN}: {str(error).rstrip('.')}") from None
        if frame is None:
            raise self._exit_failure()
        return frame

    def _read(self, size: int) -> bytes:
        """So many bytes from the process, or fewer if it ended. What came with them is kept for the next frame."""
        while len(self._received) < size:
            self._wait_for_output()
            chunk = os.read(self._running.replies.fileno(), PIPE_BYTES)
            if not chunk:
                break
            self._received += chunk
        read, self._received = self._received[:size], self._received[size:]
        return read

    def _wait_for_output(self) -> None:
        """Return when something can be read, the end of all output included."""
        while True:
            self._look(now := time.monotonic())
            if self._readable(max(0.0, min(POLL_SECONDS, self._deadline - now))):
                return
            # A process that the model left behind can hold the pipe open when the model itself is gone.
            if not self._running.runs() and not self._readable(0.0):
                raise self._exit_failure()

    def _readable(self, seconds: float) -> bool:
        return bool(self._events.poll(1000 * seconds))

    def _look(self, now: float) -> None:
        """Whether it keeps within its limits; it is ended if not."""
        if now >= self._deadline:
            self._end()
            raise self._time_failure()
        if now < self._next_look:
            return
        self._next_look = now + POLL_SECONDS
        if self._running.takes_more(self._limits.memory):
            self._end()
            raise Failure(
                "memory",
                f"took more than {self._limits.memory / 2**30:.3g} GiB of memory in all its processes",
            )

    # -- how it failed

    def _time_failure(self) -> Failure:
        rate = self._answered / self._answering_seconds if self._answered else 0.0
        so_far = f"; it gave {rate:,.0f} answers a second so far" if rate else ""
        failure = Failure("time", f"did not answer within {self._limits.timeout:g} s{so_far}")
        failure.hint = f"Allow more with --timeout {3 * self._limits.timeout:g}."
        return failure

    def _protocol_failure(self, what: str) -> Failure:
        """End a process that cannot be talked to."""
        self._end()
        return Failure("died", what)

    def _unasked_failure(self) -> Failure:
        """Why there is something to be read before anything was asked: its end, or words of its own."""
        try:
            self._receive()
        except Failure as failure:
            return failure
        return self._protocol_failure(FOREIGN)

    def _exit_failure(self) -> Failure:
        """Why the process ended or closed its output."""
        status = self._end(GRACE_SECONDS)
        if status is None or status == EXIT_CONNECTION_LOST:
            return Failure("died", "closed file descriptors that it had not opened")
        if status == -signal.SIGKILL:
            return Failure(
                "memory", "was killed (SIGKILL), most likely because the machine ran out of memory"
            )
        if status < 0:
            return Failure("died", f"died of {_signal_name(-status)}")
        return Failure("died", f"ended its process with exit status {status}")

    @property
    def _running(self) -> Supervised:
        if self._process is None:
            raise ValueError("The process of the model is not running: reset or load it first.")
        return self._process


class _Reporter:
    """Passes on failures of single streams: of those that are asked, and of each one once."""

    def __init__(self, requests: Requests, report: Report, progress: Progress) -> None:
        self.report = report
        self.progress = progress
        self._requests = requests
        self._failed: set[int] = set()

    def accepts(self, failure: Failure) -> bool:
        """Whether these streams can have failed; a model may write such frames itself."""
        streams = failure.streams or []
        asked = set(np.flatnonzero(self._requests != IDLE).tolist()) - self._failed
        self._failed.update(streams)
        return bool(streams) and len(set(streams)) == len(streams) and asked.issuperset(streams)


def _shortened(failure: Failure) -> Failure:
    failure.what, failure.function = failure.what[:MAX_SHOWN], failure.function[:MAX_SHOWN]
    return failure


def _signal_name(number: int) -> str:
    try:
        return f"{signal.Signals(number).name} ({signal.strsignal(number)})"
    except ValueError:
        return f"signal {number}"
