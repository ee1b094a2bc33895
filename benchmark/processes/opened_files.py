"""Which files beside a model its process opens, as they were before it started: what its answers may depend on."""

import os
from collections.abc import Iterator
from importlib.util import source_from_cache
from pathlib import Path
from typing import Final, NamedTuple, Self

from marnn_bench.file_digests import Digests, file_fingerprint
from marnn_bench.processes.inotify import Openings

BYTECODE: Final = "__pycache__"


class _State(NamedTuple):
    """What changes when a file's content does."""

    size: int
    changed: int
    status_changed: int
    inode: int

    @classmethod
    def of(cls, file: Path) -> Self | None:
        """None if it is not there."""
        try:
            found = file.stat()
        except OSError:
            return None
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino)


class OpenedFiles:
    """Watches a model file, which always counts as opened, and the files of its folder, from now on.

    Whoever opens them: the system does not say who it is. Where the system cannot tell, or told too little, all files count as opened. Those that appear later do not count,
    nor does one that is only written, such as a log.
    """

    def __init__(self, model: Path) -> None:
        self._model = model
        self._folder = model.parent
        files = sorted({model, *files_of(self._folder)})
        self._before = {file: _State.of(file) for file in files}
        self._digests: Digests = {}
        self._openings: Openings | None = None
        folders = {parent for file in files for parent in (file.parent, file.parent / BYTECODE)}
        links = [file for file in files if file.is_symlink()]
        try:
            self._openings = Openings([path for path in folders if path.is_dir()], links)
        except (OSError, AttributeError):  # no inotify in this system's C library
            self._openings = None

    @property
    def digests(self) -> Digests:
        """The files opened so far, as they were when the watch began; those that have changed since are left out."""
        for file in self._opened():
            name = str(file.relative_to(self._folder))
            if _State.of(file) != self._before[file]:
                self._digests.pop(name, None)
            elif name not in self._digests:
                digest = file_fingerprint(file)
                if self._openings:
                    self._openings.leave_out_own(file)
                if _State.of(file) == self._before[file]:  # it did not change while it was read
                    self._digests[name] = digest
        return dict(sorted(self._digests.items()))

    def changed(self) -> list[str]:
        """The files that were opened and have changed since the watch began, or are gone."""
        return sorted(
            str(file.relative_to(self._folder))
            for file in self._opened()
            if _State.of(file) != self._before[file] and not self._is_log(file)
        )

    def close(self) -> None:
        """Watch no longer; what was seen remains."""
        if self._openings:
            self._openings.opened()
            self._openings.close()

    def _opened(self) -> set[Path]:
        if self._openings is None:
            return set(self._before)
        opened = self._openings.opened()
        if self._openings.overflowed:
            return set(self._before)
        return {self._model, *map(_source, opened)} & self._before.keys()

    def _is_log(self, file: Path) -> bool:
        return self._openings is not None and file.exists() and self._openings.only_written(file)


def files_of(folder: Path) -> Iterator[Path]:
    """The files that a model in this folder may read.

    Left out are hidden files, __pycache__, virtual environments, and folders that marnn-bench itself writes beside a
    model: results and generated splits.
    """
    for name, folders, files in os.walk(folder):
        here = Path(name)
        folders[:] = sorted(child for child in folders if not _is_left_out(here / child))
        yield from (
            here / file for file in sorted(files) if not file.startswith(".") and (here / file).is_file()
        )


def _source(file: Path) -> Path:
    """The source that a file of bytecode stands for, since Python opens that alone where it is not older."""
    if file.parent.name != BYTECODE:
        return file
    try:
        return Path(source_from_cache(str(file)))
    except ValueError:
        return file


def _is_left_out(folder: Path) -> bool:
    if folder.name.startswith(".") or folder.name == BYTECODE:
        return True
    written_by_us = [(".parts",), ("result.json", "samples.parquet"), (".receipts",), ("pyvenv.cfg",)]
    return any(all((folder / name).exists() for name in names) for names in written_by_us)
