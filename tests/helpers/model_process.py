"""Asking a model file two strings in a process of its own, and what is left of that."""

import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import Failure, ModelTask
from marnn_bench.asking.scripts import MASKS
from marnn_bench.asking.waves import OnFailure, Script, WaveFailure, ask_after_each, run_wave
from marnn_bench.generators.strings import Strings
from marnn_bench.processes.limits import Limits
from marnn_bench.tasks.registry import find_task

DYCK2 = find_task("dyck2")
STRINGS = Strings.from_texts(DYCK2.language.alphabet, ["( [ ] )", "[ ]"])
OPENERS = 0b101


def fail(failed: WaveFailure) -> None:
    """For models that must not fail."""
    raise failed.failure


def ask(model: ModelProcess, strings: Strings = STRINGS, on_failure: OnFailure = fail) -> list[int | None]:
    """What a model that is loaded answers after the symbols of some strings, None for no answer."""
    found = run_wave(model, Script(ask_after_each(strings), MASKS), on_failure)
    return [
        mask if came else None
        for mask, came in zip(found.predicted.tolist(), found.answered.tolist(), strict=True)
    ]


def answers(file: Path, limits: Limits | None = None) -> list[int | None]:
    """The same, of a model file."""
    with ModelProcess(file, limits or Limits()) as model:
        model.load(ModelTask.of(DYCK2))
        return ask(model)


def failure(file: Path, limits: Limits | None = None) -> Failure:
    """How a model fails on them."""
    with pytest.raises(Failure) as failed:
        answers(file, limits)
    return failed.value


def processes_in(folder: Path) -> list[int]:
    """The processes that work in a folder, also if it is gone, or were started with its name; all that are alive."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            place = str((process / "cwd").readlink())
            if str(folder) in place or os.fsencode(folder) in (process / "cmdline").read_bytes():
                found.append(int(process.name))
    return found


def is_alive(process: int) -> bool:
    """Whether a process runs, soon."""
    for _ in range(50):
        with suppress(OSError):
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                time.sleep(0.02)
                continue
        return False
    return True
