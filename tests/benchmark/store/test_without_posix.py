"""Data on a system like Windows, as far as it can be had here: without what POSIX has, and with a file lock of its kind."""

import subprocess
import sys
from pathlib import Path

from helpers.command_line import succeed

LIKE_WINDOWS = """
import fcntl, importlib, os, sys, types
from marnn_bench.cli import main

for name in ("numba", "pyarrow.parquet", "subprocess", "tabulate", "tqdm"):  # they look at the system when they are imported
    importlib.import_module(name)


def locking(file, mode, size):
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, size, os.lseek(file, 0, os.SEEK_CUR))


sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)
sys.modules |= dict.fromkeys(("fcntl", "grp", "pwd", "resource", "termios"))
for name in ("fork", "getuid", "pread", "pwrite"):
    delattr(os, name)
sys.platform = "win32"
for command in sys.argv[1:]:
    if code := main(command.split(), standalone_mode=False):
        raise SystemExit(code)
if any(name.startswith("marnn_bench.processes") for name in sys.modules):
    raise SystemExit("commands for data import what only POSIX has")
"""


def like_windows(folder: Path, *commands: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LIKE_WINDOWS, *commands]
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_data_are_the_same_bytes(tmp_path: Path) -> None:
    asked = "generate --task dyck2 --task tomita5 --rows 60"
    done = like_windows(tmp_path, f"{asked} --out there", "verify there", "tasks show dyck2")
    assert done.returncode == 0, done.stderr
    succeed(*asked.split(), "--out", "here", cwd=tmp_path)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_models_are_not_evaluated_and_one_line_says_why(tmp_path: Path) -> None:
    done = like_windows(tmp_path, "eval my_model.py --task dyck2")
    assert done.returncode == 2
    assert (
        done.stderr.startswith("Error: Models are evaluated on Linux and macOS")
        and done.stderr.count("\n") == 1
    )
