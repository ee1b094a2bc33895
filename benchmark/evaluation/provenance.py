"""What a result was made with: the package, its commit, the machine, the versions of what computed."""

import platform
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from marnn_bench import __version__


def harness(model_packages: dict[str, str]) -> dict[str, Any]:
    """The entry `harness` of a result; `model_packages` are the versions that the model's process reports."""
    return {
        "name": "marnn-bench",
        "version": __version__,
        "git": commit(Path(__file__).resolve().parents[2]),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {"numpy": np.__version__, "pyarrow": pa.__version__, **model_packages},
    }


def commit(repository: Path) -> dict[str, Any] | None:
    """The commit that is checked out, and whether files differ from it; None if this is no repository of git."""
    if not (repository / ".git").exists():
        return None
    command = ["git", "-C", str(repository), "status", "--porcelain=v2", "--branch", "--untracked-files=no"]
    try:
        lines = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=5
        ).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return None
    found = next((line.split()[-1] for line in lines if line.startswith("# branch.oid ")), "(initial)")
    dirty = any(not line.startswith("#") for line in lines)
    return None if found == "(initial)" else {"commit": found, "dirty": dirty}
