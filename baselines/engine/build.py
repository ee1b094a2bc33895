"""C text as a library of this process: compiled once, then loaded from the cache folder.

A library is code that runs, so it is kept in a folder, and in files, that no other user can write to. The name of a file
says what it was made from and what it must hold: one that holds anything else, such as half of itself, is made again.
"""

import ctypes
import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from marnn_bench.baselines.engine.compilers import FLAGS, Compiler, CompilerError, find_compiler
from marnn_bench.generators.kernels.cache import cache_folder

PRIVATE: Final = 0o700
DIGITS: Final = 32
"""Of a digest in a name: 128 bits."""


def compile_library(source: str) -> ctypes.CDLL:
    """The library of this C text, with the best code for this CPU; else as `find_library`."""
    return find_library(source, lambda: source)


def find_library(key: str, source: Callable[[], str]) -> ctypes.CDLL:
    """The library of a C text that is the same whenever the key is, and is asked for only if it is to be compiled.

    It is compiled unless the cache has it by this compiler, with these flags, for this CPU. CompilerError if there is no
    compiler, if it fails, or if the cache folder cannot be used or is not the user's alone.
    """
    compiler, folder = find_compiler(), cache_folder() / "engine"
    key = _digest("\0".join([*compiler.command, *FLAGS, compiler.describe(), key]).encode())
    try:
        _make_private(folder)
        library = next(_whole(folder, key), None) or _compile(compiler, source(), folder, key)
    except OSError as error:
        raise CompilerError(
            f"Compiled code cannot be kept in {folder} ({error.strerror}): set MARNN_CACHE to a folder of your own."
        ) from error
    try:
        return ctypes.CDLL(str(library))
    except OSError as error:
        raise CompilerError(
            f"What {compiler.name} makes cannot be loaded from {folder}: set MARNN_CACHE to another folder, or CC to "
            "another compiler.",
            details=str(error),
        ) from error


def _make_private(folder: Path) -> None:
    if sys.platform == "win32":
        raise CompilerError("The compiled engine serves Linux and macOS. Take --engine reference.")
    folder.mkdir(PRIVATE, parents=True, exist_ok=True)
    if not _is_private(folder.stat()):
        raise CompilerError(
            f"Others can write to {folder}, where compiled code is kept: chmod 700 it if it is yours, or set MARNN_CACHE "
            "to a folder of your own."
        )


def _is_private(found: os.stat_result) -> bool:
    """Whether this user owns it and nobody else may write to it."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _whole(folder: Path, key: str) -> Iterator[Path]:
    """The libraries of this key that are private and hold what their name says."""
    for library in sorted(folder.glob(f"{key}-*.so")):
        if _is_private(library.lstat()) and library.stem == f"{key}-{_digest(library.read_bytes())}":
            yield library


def _compile(compiler: Compiler, source: str, folder: Path, key: str) -> Path:
    """Several processes may make a library at once: each in a folder of its own until it is whole."""
    with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as temporary:
        text, made = Path(temporary, "program.c"), Path(temporary, "program.so")
        text.write_text(source)
        compiler.compile(text, made)
        made.chmod(PRIVATE)
        return made.replace(folder / f"{key}-{_digest(made.read_bytes())}.so")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:DIGITS]
