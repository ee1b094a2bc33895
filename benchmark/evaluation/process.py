"""The evaluator's side of a model's process: start it, ask it within limits, and leave nothing of it behind."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self, cast

import numpy as np

from marnn_bench.evaluation.interfaces import Report
from marnn_bench.evaluation.protocol import (
    EXIT_CONNECTION_LOST,
    Failure,
    Frame,
    FrameKind,
    Ids,
    Loaded,
    Masks,
    ModelTask,
    ProtocolError,
    pack_ids,
    pack_task,
    read_frame,
    unpack_failure,
    unpack_loaded,
    unpack_masks,
)

CHILD: Final = "marnn_bench.evaluation.child"
SECRET_MARKERS: Final = ("TOKEN", "KEY", "SECRET", "PASSWORD")
"""A variable whose name has one of these in it is not passed on."""

POLL_SECONDS: Final = 0.1
"""Seconds between looks at whether the process is still there, while it is silent."""

GRACE_SECONDS: Final = 1.0
"""Seconds that a process has to end when it is no longer needed, before it is killed."""


@dataclass(frozen=True)
class Limits:
    """What a model may use.

    wave_seconds:  for one wave of strings, and for loading
    memory:        bytes of memory that it allocates (Linux)
    """

    wave_seconds: float = 60.0
    memory: int = 8 << 30

    def states(self) -> dict[str, Any]:
        """What a result says about limits: enforced, watched or none."""
        memory = {"value": self.memory, "state": "enforced" if sys.platform == "linux" else "none"}
        return {
            "wave_seconds": {"value": self.wave_seconds, "state": "enforced"},
            "memory_bytes": memory,
            "environment": {"state": "enforced"},
            "network": {"state": "none"},
        }


class ModelProcess:
    """A model file in a process of its own, which starts at once; `with` ends it.

    Failures are raised when they leave every stream without an answer. After one that ended the process, the next
    `reset` starts it again.
    """

    def __init__(self, file: Path, limits: Limits) -> None:
        self._file = file.absolute()
        self._limits = limits
        self._scratch = tempfile.TemporaryDirectory(prefix="marnn-bench-", ignore_cleanup_errors=True)
        self._task: ModelTask | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._deadline = 0.0
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(grace=0.0 if error else GRACE_SECONDS)

    def load(self, task: ModelTask) -> Loaded:
        """Have the model loaded for a task and run."""
        self._task = task
        if self._process is None:
            self._start()
        self._allow_time()
        return unpack_loaded(self._ask(pack_task(task), FrameKind.LOADED))

    def reset(self, n: int) -> None:
        """Begin a wave of n streams; the time for it starts here."""
        if self._process is None and self._task is not None:
            self.load(self._task)
        self._allow_time()
        self._ask(pack_ids(FrameKind.RESET, np.array([n])), FrameKind.READY)

    def step(self, ids: Ids, report: Report) -> Masks:
        """Add a symbol to each stream: the set that each answers, 0 where there is none: [n].

        Failures of single streams are reported as they come; what `report` raises ends the step.
        """
        masks = unpack_masks(self._ask(pack_ids(FrameKind.STEP, ids), FrameKind.MASKS, report))
        columns = len(self._task.columns) if self._task else 0
        if len(masks) != len(ids) or (masks >> np.uint64(columns)).any():
            raise self._protocol_failure("mixed something of its own with its answers")
        return masks

    def close(self, grace: float = GRACE_SECONDS) -> None:
        """End the process and all that it started; it has `grace` seconds to end by itself."""
        self._kill(grace)
        self._scratch.cleanup()

    # -- the process

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", CHILD, str(self._file), str(self._limits.memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=child_environment(os.environ, self._scratch.name),
            start_new_session=True,
        )

    def _kill(self, grace: float = 0.0) -> int | None:
        """End the whole process group; the exit status of the process, if it ended by itself."""
        process, self._process = self._process, None
        if process is None:
            return None
        _input(process).close()
        status = None
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(grace)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _output(process).close()
        return status

    # -- asking it

    def _allow_time(self) -> None:
        self._deadline = time.monotonic() + self._limits.wave_seconds

    def _ask(self, request: bytes, expected: FrameKind, report: Report | None = None) -> bytes:
        """Send a frame; the payload of the frame of the expected kind that answers it."""
        # The process reads a request whole before it goes to work, so that writing one never waits for the model.
        with suppress(BrokenPipeError):
            _input(self._running).write(request)
        while True:
            frame = self._receive()
            if frame.kind is expected:
                return frame.payload
            if frame.kind is not FrameKind.FAILURE:
                raise self._protocol_failure(f"answered {frame.kind.name}, not {expected.name}")
            failure = unpack_failure(frame.payload)
            if failure.streams is None or report is None:
                raise failure
            report(failure)

    def _receive(self) -> Frame:
        try:
            frame = read_frame(self._read)
        except ProtocolError as error:
            raise self._protocol_failure(f"mixed something of its own with its answers: {error}") from None
        if frame is None:
            raise self._exit_failure()
        return frame

    def _read(self, size: int) -> bytes:
        """So many bytes from the process, or fewer if it ended."""
        received = b""
        while len(received) < size:
            self._wait_for_output()
            chunk = os.read(_output(self._running).fileno(), size - len(received))
            if not chunk:
                break
            received += chunk
        return received

    def _wait_for_output(self) -> None:
        """Return when something can be read, the end of all output included."""
        process = self._running
        readable = select.poll()
        readable.register(_output(process), select.POLLIN)
        while not readable.poll(1000 * max(0.0, min(POLL_SECONDS, self._deadline - time.monotonic()))):
            # A process that the model left behind can hold the pipe open when the model itself is gone.
            if process.poll() is not None and not readable.poll(0):
                raise self._exit_failure()
            if time.monotonic() >= self._deadline:
                self._kill()
                raise Failure("time", f"did not answer within {self._limits.wave_seconds:g} s")

    def _protocol_failure(self, what: str) -> Failure:
        """End a process that cannot be talked to."""
        self._kill()
        return Failure("died", what)

    def _exit_failure(self) -> Failure:
        """Why the process ended or closed its output."""
        status = self._kill(GRACE_SECONDS)
        if status is None or status == EXIT_CONNECTION_LOST:
            return Failure("died", "closed file descriptors that it had not opened")
        if status == -signal.SIGKILL:
            return Failure(
                "memory", "was killed (SIGKILL), most likely because the machine ran out of memory"
            )
        if status < 0:
            return Failure("died", f"died of {signal.Signals(-status).name} ({signal.strsignal(-status)})")
        return Failure("died", f"ended its process with exit status {status}")

    @property
    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise ValueError("The process of the model is not running: reset or load it first.")
        return self._process


def child_environment(environment: Mapping[str, str], scratch: str) -> dict[str, str]:
    """What a model's process is told: this environment, without secrets, and a folder for temporary files.

    >>> child_environment({"HOME": "/home/me", "Hf_Token": "hf_x"}, "/tmp/own")
    {'HOME': '/home/me', 'TMPDIR': '/tmp/own'}
    """
    kept = {
        name: value
        for name, value in environment.items()
        if not any(word in name.upper() for word in SECRET_MARKERS)
    }
    return {**kept, "TMPDIR": scratch}


def _input(process: subprocess.Popen[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", process.stdin)


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    return cast("IO[bytes]", process.stdout)
