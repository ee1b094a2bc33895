"""Running the program as a user does: a real process in a folder of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line of an error; there must be no traceback."""
        assert "Traceback" not in self.err, self.err
        (line,) = [line for line in self.err.splitlines() if line.startswith("Error: ")]
        return line.removeprefix("Error: ")


def marnn(
    *arguments: object, cwd: Path, cache: Path | None = None, timeout: float = 120, **environment: str
) -> Outcome:
    """`marnn-bench ARGUMENTS`, run in `cwd`."""
    settings = {**os.environ, **environment}
    if cache:
        settings["MARNN_CACHE"] = str(cache)
    done = subprocess.run(
        [sys.executable, "-m", "marnn_bench", *map(str, arguments)],
        cwd=cwd, env=settings, capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr)


def succeed(*arguments: object, cwd: Path, **options: object) -> str:
    """What a command prints that must end well."""
    outcome = marnn(*arguments, cwd=cwd, **options)  # type: ignore[arg-type]
    assert outcome.code == 0, outcome.err
    return outcome.out
