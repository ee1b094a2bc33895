"""The process of a model: `python -P -m marnn_bench.evaluation.child MODEL_FILE MEMORY_BYTES`.

Serves the frames of `marnn_bench.evaluation.protocol` on copies of its standard input and output; what the model
itself prints goes to standard error. This is no sandbox: it stops accidents.
"""

import ctypes
import importlib.util
import os
import resource
import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, Final

from marnn_bench.evaluation.interfaces import Interface, call, find_interface
from marnn_bench.evaluation.protocol import (
    EXIT_CONNECTION_LOST,
    Failure,
    Frame,
    FrameKind,
    Loaded,
    ModelTask,
    ProtocolError,
    pack,
    pack_failure,
    pack_loaded,
    pack_masks,
    read_frame,
    unpack_ids,
    unpack_task,
)

REPORTED_PACKAGES: Final = ("numpy", "torch", "transformers", "jax", "tensorflow")
"""Packages whose versions can change an answer."""

PR_SET_PDEATHSIG: Final = 1


class ModelServer:
    """Answers frames with the functions of a model file, which is imported when the first frame asks for it."""

    def __init__(self, file: Path, requests: BinaryIO, replies: BinaryIO) -> None:
        self._file = file
        self._requests = requests
        self._replies = replies
        self._module: ModuleType | None = None
        self._interface: Interface

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
            return pack_loaded(self._load(unpack_task(frame.payload)))
        numbers = unpack_ids(frame.payload)
        if frame.kind is FrameKind.RESET:
            self._interface.reset(int(numbers[0]))
            return pack(FrameKind.READY)
        if frame.kind is FrameKind.STEP:
            return pack_masks(self._interface.step(numbers, self._report))
        raise ProtocolError(f"A model is not asked {frame.kind.name}.")

    def _report(self, failure: Failure) -> None:
        self._send(pack_failure(failure))

    def _send(self, frame: bytes) -> None:
        self._replies.write(frame)
        self._replies.flush()

    def _load(self, task: ModelTask) -> Loaded:
        if self._module is None:
            self._module = call("import", import_file, self._file)
        load = getattr(self._module, "load", None)
        if load is not None:
            call("load", load, task)
        self._interface = find_interface(self._module, task)
        versions = {name: getattr(sys.modules.get(name), "__version__", "") for name in REPORTED_PACKAGES}
        return Loaded(self._interface.name, load is not None, {name: v for name, v in versions.items() if v})


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
    """Set the process up and serve until the evaluator closes the connection."""
    file, memory = Path(arguments[0]), int(arguments[1])
    requests, replies = redirect_standard_streams()
    if sys.platform == "linux":
        set_parent_death_signal()
        limit_memory(memory)
    os.chdir(file.parent)
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file)]
    try:
        ModelServer(file, requests, replies).serve()
    except (OSError, ProtocolError):
        return EXIT_CONNECTION_LOST
    return 0


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


def limit_memory(size: int) -> None:
    """Let allocations beyond this many bytes fail."""
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def set_parent_death_signal() -> None:
    """Ask the kernel to kill this process when its parent dies, even within the model's code."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
