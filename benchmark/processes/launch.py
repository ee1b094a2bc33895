"""Start a program under supervision, look after it, and end it with all that it started."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Final, cast

from marnn_bench.errors import UsageError
from marnn_bench.processes.supervisor import ENDED_BY_SIGNAL, Specification
from marnn_bench.processes.tree import descendants, takes_more, with_variable

SUPERVISOR: Final = "marnn_bench.processes.supervisor"

LOOKS: Final = 3
"""So many times in a row nothing is found before nothing is left."""

LOOK_SECONDS: Final = 0.01

ENDING_SECONDS: Final = 2.0
"""Seconds that a supervisor has to end everything, before that is done without it."""


class Supervised:
    """A program that runs under a supervisor; it reads from `requests` and writes to `replies`."""

    def __init__(self, specification: Specification, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._supervisor = subprocess.Popen(
            [sys.executable, "-P", "-m", SUPERVISOR, json.dumps(specification._asdict())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=dict(environment),
            start_new_session=True,
        )
        self.requests = cast("IO[bytes]", self._supervisor.stdin)
        self.replies = cast("IO[bytes]", self._supervisor.stdout)
        os.set_blocking(self.requests.fileno(), False)

    def runs(self) -> bool:
        """Whether it has not ended."""
        return self._supervisor.poll() is None

    def takes_more(self, memory: int) -> bool:
        """Whether the program and all that it started take more than so many bytes (Linux)."""
        return takes_more(descendants(self._supervisor.pid), memory)

    def end(self, grace: float = 0.0) -> int | None:
        """End all; what `returncode` of subprocess would be if it ended by itself within so many seconds."""
        self.requests.close()
        status = self._wait(grace)
        if status is None:
            self._supervisor.terminate()
            if self._wait(ENDING_SECONDS) is None:
                for process in [*descendants(self._supervisor.pid), self._supervisor.pid]:
                    _kill(process)
                self._supervisor.wait()
        self.replies.close()
        if self._supervisor.returncode < 0:
            self._end_orphans()
        if status is not None and ENDED_BY_SIGNAL < status < ENDED_BY_SIGNAL + signal.NSIG:
            return ENDED_BY_SIGNAL - status
        return status

    def _wait(self, seconds: float) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self._supervisor.wait(seconds)
        return None

    def _end_orphans(self) -> None:
        """End what the supervisor can no longer end, known by the temporary folder that it alone was given."""
        variable, looks_left = f"TMPDIR={self._environment['TMPDIR']}", LOOKS
        while looks_left:  # one that becomes another program at this moment has no variables for an instant
            orphans = with_variable(variable)
            for process in orphans:
                _kill(process)
            looks_left = LOOKS if orphans else looks_left - 1
            time.sleep(LOOK_SECONDS)


def require_isolation() -> None:
    """Raise UsageError where a program cannot be isolated."""
    nothing = Specification(None, [], 1 << 30, isolated=True)
    probe = [sys.executable, "-P", "-m", SUPERVISOR, json.dumps(nothing._asdict())]
    ended = subprocess.run(probe, capture_output=True, text=True, check=False)
    if ended.returncode:
        reason = (ended.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UsageError(
            "--isolate needs Linux and its namespaces for users, mounts, networks and processes, which this machine "
            f"does not allow ({reason}). Leave --isolate out."
        )


def _kill(process: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, signal.SIGKILL)
