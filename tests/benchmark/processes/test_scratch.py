"""Folders for temporary files do not outlive those who made them by long."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from marnn_bench.processes.scratch import ScratchFolder

PROGRAM = """
import time
from marnn_bench.processes.scratch import ScratchFolder
folder = ScratchFolder()
(folder.path / "file").write_text("x")
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def start() -> tuple[subprocess.Popen[str], Path]:
    """A program with a scratch folder."""
    maker = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    assert maker.stdout
    return maker, Path(maker.stdout.readline().strip())


def test_the_folder_of_a_killed_program_is_removed_by_the_next_and_that_of_a_living_one_is_not(
    temporary: Path,
) -> None:
    killed, abandoned = start()
    living, kept = start()
    own = ScratchFolder()
    try:
        assert (abandoned / "file").exists() and (kept / "file").exists()
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        assert abandoned.exists()
        next_one = ScratchFolder()
        assert not abandoned.exists() and (kept / "file").exists() and own.path.exists()
        next_one.remove()
    finally:
        living.kill()
        living.communicate()
        own.remove()
    assert [*temporary.iterdir()] == [kept]


def test_what_is_called_alike_but_is_no_folder_stays(temporary: Path) -> None:
    """A link could lead to a folder that is nobody's to remove."""
    (temporary / "target").mkdir()
    (temporary / "target" / "file").touch()
    (temporary / "marnn-bench-model-link").symlink_to(temporary / "target")
    (temporary / "marnn-bench-model-file").touch()
    ScratchFolder().remove()
    names = {path.name for path in temporary.iterdir()}
    assert names == {"target", "marnn-bench-model-link", "marnn-bench-model-file"}
    assert (temporary / "target" / "file").exists()
