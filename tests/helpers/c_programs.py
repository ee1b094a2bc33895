"""C text compiled for a test, past the cache of the engine."""

import ctypes
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from helpers.paths import ROOT
from marnn_bench.baselines.engine.compilers import FLAGS

CODEGEN = ROOT / "baselines" / "engine" / "codegen"


def compilers() -> dict[str, list[str]]:
    """The C compilers of this machine, by name."""
    found = {name: [path] for name in ("gcc", "clang") if (path := shutil.which(name))}
    return found | ({"zig": [sys.executable, "-m", "ziglang", "cc"]} if find_spec("ziglang") else {})


def compiled(compiler: list[str], text: str, folder: Path, *flags: str) -> tuple[ctypes.CDLL, str]:
    """A library of this text, and what the compiler said."""
    source, library = folder / "text.c", folder / "text.so"
    source.write_text(text)
    command = [*compiler, *FLAGS, *flags, "-shared", str(source), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return ctypes.CDLL(str(library)), done.stderr


def address(array: NDArray[np.generic]) -> ctypes.c_void_p:
    """An array as a C function takes it."""
    assert array.flags.c_contiguous
    return ctypes.c_void_p(array.ctypes.data)
