"""Trainings that can be stopped: their state, kept now and then and at Ctrl-C, from which they go on to the same bits."""

import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, Protocol

import torch
from safetensors import SafetensorError

from marnn_bench.baselines.ongoing import OngoingTraining
from marnn_bench.baselines.training.checkpoint import load_tensors, save_tensors
from marnn_bench.baselines.training.loop import one_thread

STATE: Final = "state.safetensors"

EVERY_SECONDS: Final = 30.0
"""Between two states that are kept, of which each replaces the one before."""

SECONDS: Final = "seconds"
"""The tensor of a state that holds how long it took so far."""


class Progress(Protocol):
    """Something that is told how many more strings were learned from."""

    def update(self, more: int, /) -> object:
        """So many more."""


Watch = Callable[[int], AbstractContextManager[Progress]]
"""Called with the number of strings that are still to come."""


def finish(
    training: OngoingTraining,
    path: Path,
    key: Mapping[str, Any],
    watch: Watch,
    tell: Callable[[str], object],
    every: float = EVERY_SECONDS,
) -> float:
    """Do all updates that are left: the seconds that they took, with those of earlier commands.

    path:  where the state is kept, and where one may lie already
    key:   all that the training depends on; a state with another key is not used

    At Ctrl-C the state after the update that is under way is kept, then KeyboardInterrupt is raised.
    """
    key = json.loads(json.dumps(key))  # as it is read
    began = time.monotonic() - _restore(training, path, key, tell)
    due = time.monotonic() + every
    with watch(training.strings_left) as progress, one_thread(), noted_interrupt() as interrupted:
        while training.done < training.total:
            progress.update(training.update())
            if interrupted() or time.monotonic() >= due:
                _keep(training, path, key, time.monotonic() - began)
                due = time.monotonic() + every
            if interrupted():
                break
    return time.monotonic() - began


@contextmanager
def noted_interrupt() -> Iterator[Callable[[], bool]]:
    """Ctrl-C is noted, and raised at the end; a second one is raised at once.

    Raised wherever it happens, it could leave an update half done. Only the main thread is told of it, and only it may
    change that.
    """
    noted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal noted
        noted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    try:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, note)
    except ValueError:  # not the main thread
        pass
    try:
        yield lambda: noted
    finally:
        if signal.getsignal(signal.SIGINT) is note:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if noted:
        raise KeyboardInterrupt


def _keep(training: OngoingTraining, path: Path, key: Mapping[str, Any], seconds: float) -> None:
    """Write the state as a whole: whoever reads it sees the one before or this one."""
    temporary = path.with_name(f"{path.name}.new")
    tensors = {**training.state(), SECONDS: torch.tensor(seconds, dtype=torch.float64)}
    with temporary.open("wb") as file:
        file.write(save_tensors(key, tensors))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _restore(
    training: OngoingTraining, path: Path, key: Mapping[str, Any], tell: Callable[[str], object]
) -> float:
    """Go on from the state at `path`, if it is of this training: the seconds that this took; else 0."""
    try:
        found, state = load_tensors(path)
    except FileNotFoundError:
        return 0.0
    except (SafetensorError, TypeError, KeyError, ValueError) as error:
        tell(f"{path} is damaged ({error}) and not used: the training begins anew.")
        return 0.0
    if found != key:
        tell(f"{path} is the state of another training and not used: this one begins anew.")
        return 0.0
    training.restore(state)
    tell(f"Continued after {training.done:,} of {training.total:,} {training.unit}.")
    return float(state[SECONDS])
