"""That whatever a model does, the evaluator ends it in time, with all that it started, and others answer as before."""

import time
from pathlib import Path

from helpers.model_process import answers, ask, processes_in
from marnn_bench.asking.failures import model_error
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import Failure
from marnn_bench.processes.limits import Limits

LIMITS = Limits(timeout=1.0, memory=1 << 30)
SECONDS = 8.0
"""Within so many a hostile model has ended, on a machine with much else to do."""


def outcome(file: Path) -> list[int | None] | str:
    """What a hostile model answers, or the line that is shown instead."""
    try:
        return answers(file, LIMITS)
    except Failure as failed:
        return str(model_error(failed, file.name, ""))


def assert_contained(file: Path, sound: ModelProcess) -> list[int | None] | str:
    """Its outcome, which comes in time; nothing of it is left, and a sound model answers as before."""
    before, started = ask(sound), time.monotonic()
    found = outcome(file)
    assert time.monotonic() - started < SECONDS
    assert not processes_in(file.parent)
    assert ask(sound) == before
    if isinstance(found, str):
        assert found.isprintable() and len(found) < 5000
    else:
        assert len(found) == 6 and all(mask is not None and 0 <= mask < 16 for mask in found)
    return found
