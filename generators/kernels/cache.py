"""Where things that can be made again are kept: compiled kernels, generated splits."""

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """`$MARNN_CACHE`, else the folder for caches of this user and platform. It may not exist yet."""
    if chosen := os.environ.get("MARNN_CACHE"):
        return Path(chosen)
    return _platform_folder() / "marnn-bench"


def _platform_folder() -> Path:
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~/AppData/Local")).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
