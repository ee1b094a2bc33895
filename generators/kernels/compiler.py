"""What every kernel goes through."""

import functools
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba
from numba.core import config

from marnn_bench.generators.kernels.cache import cache_folder

F = TypeVar("F", bound=Callable[..., object])

_SETTING = threading.Lock()
"""Of numba's folder, which is one for all threads; two may import kernels at once."""


def kernel(function: F) -> F:
    """Compile a function with numba: without the GIL, without fastmath, cached where a folder is writable.

    numba's own cache looks at the file of a kernel alone, so that an edit of a helper in another file would go
    unseen; ours lies in a folder named by the content of all kernel files.
    """
    folder = _folder()
    if folder is None:
        return cast(F, numba.njit(function, nogil=True))
    with _SETTING:
        saved = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            return cast(F, numba.njit(function, nogil=True, cache=True))
        finally:
            config.CACHE_DIR = saved


def inlined(function: F) -> F:
    """Like `kernel`, for a helper that is written into each of its callers (a call costs more than a random word)."""
    return cast(F, numba.njit(function, nogil=True, inline="always"))


@functools.cache
def _folder() -> Path | None:
    """Where compiled kernels are kept, or nothing if that place cannot be written to."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    content = hashlib.sha256()
    for source in sources:
        content.update(source.name.encode() + b"\0" + source.read_bytes() + b"\0")
    folder = cache_folder() / "kernels" / content.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder if os.access(folder, os.R_OK | os.X_OK) else None
    except OSError:
        return None
