"""The process of a model, which `marnn_bench.processes.supervisor` starts.

Serves the frames of `marnn_bench.asking.protocol` on copies of its standard input and output; what the model
itself prints goes to standard error. This is no sandbox: it stops accidents.
"""

import atexit
import importlib.util
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, Final, NoReturn

from marnn_bench.asking.interfaces import Interface, answer_requests, call
from marnn_bench.asking.loading import load_runs
from marnn_bench.asking.protocol import (
    EXIT_CONNECTION_LOST,
    Failure,
    Frame,
    FrameKind,
    Loaded,
    ModelTask,
    ProtocolError,
    pack,
    pack_answers,
    pack_failure,
    pack_loaded,
    pack_number,
    read_frame,
    unpack_number,
    unpack_requests,
    unpack_tasks,
)

REPORTED_PACKAGES: Final = ("numpy", "torch", "transformers", "jax", "tensorflow")
"""Packages whose versions can change an answer."""


WORD_SECONDS: Final = 0.5
"""Seconds between two words about the progress of a round of answers."""


class ModelServer:
    """Answers frames with the functions of a model file, which is imported when the first frame asks for it."""

    def __init__(self, file: Path, requests: BinaryIO, replies: BinaryIO) -> None:
        self._file = file
        self._requests = requests
        self._replies = replies
        self._module: ModuleType | None = None
        self._halves: list[Interface]
        self._next_word = 0.0

    def serve(self) -> None:
        """Answer until the requests end."""
        while frame := read_frame(self._requests.read):
            try:
                self._send(self._answer(frame))
            except Failure as failure:
                self._report(failure)
            except MemoryError:
                self._report(Failure("memory", "ran out of memory"))

    def _answer(self, frame: Frame) -> bytes:
        if frame.kind is FrameKind.LOAD:
            return pack_loaded(self._load(unpack_tasks(frame.payload)))
        if frame.kind is FrameKind.RESET:
            for half in self._halves:
                half.reset(unpack_number(frame.payload))
            return pack(FrameKind.READY)
        if frame.kind is FrameKind.STEP:
            self._next_word = time.monotonic() + WORD_SECONDS
            number, requests = unpack_requests(frame.payload)
            return pack_answers(answer_requests(self._halves[number], requests, self._report))
        raise ProtocolError(f"A model is not asked {frame.kind.name}.")

    def _report(self, failure: Failure) -> None:
        self._send(pack_failure(failure))

    def _tell(self, answers: int) -> None:
        """Say how far a slow model is, twice a second."""
        if (now := time.monotonic()) >= self._next_word:
            self._next_word = now + WORD_SECONDS
            self._send(pack_number(FrameKind.PROGRESS, answers))

    def _send(self, frame: bytes) -> None:
        self._replies.write(frame)
        self._replies.flush()

    def _load(self, tasks: list[ModelTask]) -> Loaded:
        if self._module is None:
            self._module = call("import", import_file, self._file)
        self._halves, loaded = load_runs(self._module, tasks)
        for half in self._halves:
            half.progress = self._tell
        versions = {name: getattr(sys.modules.get(name), "__version__", "") for name in REPORTED_PACKAGES}
        packages = {name: version for name, version in versions.items() if version}
        return loaded._replace(packages=packages)


def import_file(file: Path) -> ModuleType:
    """The module that a file defines, under the file's own name unless another module has it."""
    taken = file.stem in sys.modules or file.stem in sys.stdlib_module_names
    spec = importlib.util.spec_from_file_location("model_file" if taken else file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main(arguments: list[str]) -> int:
    """Serve a model file until the evaluator closes the connection."""
    file = Path(arguments[0])
    requests, replies = redirect_standard_streams()
    os.chdir(file.parent)
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    try:
        ModelServer(file, requests, replies).serve()
    except (OSError, ProtocolError):
        return EXIT_CONNECTION_LOST
    leave()


def leave() -> NoReturn:
    """End as a program does, without taking every module apart first, which takes torch a second."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # whatever the model has put there
            stream.flush()
    os._exit(0)


def redirect_standard_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output for the protocol; the model gets an empty input, and standard error to print to."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]

    def release() -> None:
        nothing = os.open(os.devnull, os.O_RDWR)
        for connection in (requests, replies):
            os.dup2(nothing, connection, inheritable=False)
        os.close(nothing)

    os.register_at_fork(after_in_child=release)  # a forked copy of the model must not answer in its place
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")
