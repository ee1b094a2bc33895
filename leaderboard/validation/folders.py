"""The files of a submission: those that it names, regular, in bounds, and nothing beside them."""

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from marnn_bench.evaluation.records import ERRORS, RESULT, SAMPLES
from marnn_bench.file_digests import file_digest
from marnn_bench.leaderboard.validation.description import DESCRIPTION, Description
from marnn_bench.leaderboard.validation.limits import (
    ERRORS_BYTES,
    MOST_RESULTS,
    MOST_RUNS,
    RECORD_BYTES,
    RECORD_BYTES_A_RUN,
    SAMPLES_BYTES,
    SAMPLES_BYTES_A_RUN,
)

LEVELS: Final = 3
"""TASK/SPLIT/FILE."""

MOST_FILES: Final = 3 * MOST_RESULTS + 1


def most_bytes(name: str, runs: int = MOST_RUNS) -> int:
    """How large a file of a result of so many runs may be."""
    return {
        RESULT: RECORD_BYTES + runs * RECORD_BYTES_A_RUN,
        SAMPLES: SAMPLES_BYTES + runs * SAMPLES_BYTES_A_RUN,
        ERRORS: ERRORS_BYTES,
    }[name]


def check_tree(folder: Path) -> Mapping[str, int]:
    """The sizes of all files below a folder, by place. ValueError for links, devices, pipes, and too many or too deep."""
    if folder.is_symlink() or not folder.is_dir():
        raise ValueError("it is no folder")
    found: dict[str, int] = {}
    for place, size in _files(folder, "", LEVELS):
        found[place] = size
        if len(found) > MOST_FILES:
            raise ValueError(f"more than {MOST_FILES} files")
    return found


def check_files(folder: Path, description: Description, found: Mapping[str, int]) -> None:
    """ValueError unless the folder holds what its description says, and nothing else."""
    if folder.name != description.slug:
        raise ValueError(f"the folder of {description.name} is called {description.slug}")
    wanted = {f"{place}/{name}" for place in description.results for name in (RESULT, SAMPLES, ERRORS)}
    for what, places in (
        ("is not named in the description", found.keys() - description.files.keys() - {DESCRIPTION}),
        ("is missing", description.files.keys() - found.keys()),
        ("is not named in the description", wanted - description.files.keys()),
    ):
        if places:
            raise ValueError(f"{min(places)!a:.120} {what}")
    for place, digest in description.files.items():
        if found[place] > most_bytes(place.rpartition("/")[2]):
            raise ValueError(f"{place} is too large")
        if file_digest(folder / place) != digest:
            raise ValueError(f"{place} is not the file that {DESCRIPTION} names: its sha256 is another")


def _files(folder: Path, above: str, levels: int) -> Iterator[tuple[str, int]]:
    if not levels:
        raise ValueError(f"{above!a:.120} is too deep")
    with os.scandir(folder) as entries:
        for entry in entries:
            place = f"{above}{entry.name}"
            about = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(about.st_mode):
                yield from _files(folder / entry.name, f"{place}/", levels - 1)
            elif stat.S_ISREG(about.st_mode):
                yield place, about.st_size
            else:
                raise ValueError(f"{place!a:.120} is a link or no regular file")
