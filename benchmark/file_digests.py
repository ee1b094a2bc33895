"""What tells a file from another: its sha256, or of a large one what the file system says of it."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

MAX_HASHED_BYTES: Final = 1 << 30
"""Files that are larger are told apart by size and time of change."""

Digests = dict[str, str]
"""Paths relative to a folder -> sha256; of large files, size and time of change."""


def file_digest(file: Path) -> str:
    """sha256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def file_fingerprint(file: Path) -> str:
    """sha256 of a file; of a large one, its size and the time of its last change."""
    found = file.stat()
    if found.st_size > MAX_HASHED_BYTES:
        return f"{found.st_size} bytes of {found.st_mtime_ns} ns"
    return file_digest(file)


def changed_files(folder: Path, recorded: Mapping[str, str]) -> list[str]:
    """Those of the recorded files that are not now what they were."""
    return [name for name, digest in recorded.items() if _fingerprint(folder / name) != digest]


def _fingerprint(file: Path) -> str | None:
    try:
        return file_fingerprint(file)
    except OSError:
        return None
