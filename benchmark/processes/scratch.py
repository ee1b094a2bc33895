"""Folders for temporary files that are removed with the process that made them, if need be by the next one."""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "marnn-bench-model-"


class ScratchFolder:
    """A folder for temporary files, locked as long as its maker lives; those of dead makers are removed first."""

    def __init__(self) -> None:
        remove_abandoned(Path(tempfile.gettempdir()))
        # It gets the name by which others find it when it is locked already.
        unlocked = Path(tempfile.mkdtemp(prefix=".marnn-bench-new-"))
        self._lock = os.open(unlocked, os.O_RDONLY)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.path = unlocked.with_name(PREFIX + unlocked.name.rpartition("-")[2])
        unlocked.rename(self.path)

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_abandoned(folder: Path) -> None:
    """Remove the scratch folders of this user whose makers are gone."""
    for path in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another's, or removed by another in this moment
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if os.fstat(lock).st_uid == os.getuid():
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)
