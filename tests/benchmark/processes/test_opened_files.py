"""What a model's answers may depend on: the files beside it that its process opens, as they were before."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from marnn_bench import file_digests
from marnn_bench.file_digests import changed_files
from marnn_bench.processes import opened_files
from marnn_bench.processes.inotify import Openings
from marnn_bench.processes.opened_files import OpenedFiles, files_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a model and some files."""
    for name in ("model.py", "weights.bin", "notes.txt", "log", "nets/net.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n")
    return tmp_path


@pytest.fixture
def opened(folder: Path) -> Iterator[OpenedFiles]:
    """The watch over it."""
    watch = OpenedFiles(folder / "model.py")
    yield watch
    watch.close()


def run(folder: Path, program: str) -> None:
    """A Python program, in a folder."""
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True)


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


READERS = {
    "open": "open('weights.bin').read()",
    "os.open": "import os; os.open('weights.bin', os.O_RDONLY)",
    "mmap": "import mmap; file = open('weights.bin', 'rb'); mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)[:]",
    "numpy": "import numpy; numpy.memmap('weights.bin', 'u1', 'r')",
    "a program": "import subprocess; subprocess.run(['cat', 'weights.bin'], stdout=subprocess.DEVNULL)",
    "a forked copy": "import os; os.fork() or open('weights.bin'); os.wait",
    "another name of the folder": "import os; open(os.path.realpath('.') + '/nets/../weights.bin')",
}


@pytest.mark.parametrize("reader", READERS)
def test_a_file_that_is_read_in_any_way_counts(reader: str, folder: Path, opened: OpenedFiles) -> None:
    run(folder, READERS[reader] + "\nimport time; time.sleep(0.1)")
    names = ["model.py", "weights.bin"]
    assert opened.digests == {name: sha256(folder / name) for name in names} and not opened.changed()


def test_weights_in_safetensors_and_parquet_count(folder: Path) -> None:
    """Both are read by compiled code, which Python's audit events do not tell of."""
    save_file({"w": np.ones(3)}, folder / "w.safetensors")
    run(
        folder,
        "import pyarrow as pa, pyarrow.parquet as pq; pq.write_table(pa.table({'x': [1]}), 'x.parquet')",
    )
    watch = OpenedFiles(folder / "model.py")
    run(folder, "from safetensors.numpy import load_file; load_file('w.safetensors')")
    run(folder, "import pyarrow.parquet as pq; pq.read_table('x.parquet')")
    assert [*watch.digests] == ["model.py", "w.safetensors", "x.parquet"]


def test_a_link_counts_with_the_content_that_it_leads_to(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    target = tmp_path_factory.mktemp("elsewhere") / "large.bin"
    target.write_text("1")
    (folder / "link.bin").symlink_to(target)
    watch = OpenedFiles(folder / "model.py")
    run(folder, "open('link.bin').read()")
    recorded = watch.digests
    assert recorded["link.bin"] == sha256(target)
    target.write_text("2")
    assert changed_files(folder, recorded) == watch.changed() == ["link.bin"]


def test_a_module_counts_though_only_its_bytecode_is_opened(folder: Path) -> None:
    run(folder, "import nets.net")
    watch = OpenedFiles(folder / "model.py")
    run(folder, "import nets.net")
    assert [*watch.digests] == ["model.py", "nets/net.py"]


def test_what_appears_later_does_not_count(folder: Path, opened: OpenedFiles) -> None:
    run(folder, "open('new.log', 'w').write('x'); open('new.log').read(); import nets.net")
    assert [*opened.digests] == ["model.py", "nets/net.py"] and not opened.changed()


@pytest.mark.parametrize("first", ["", "open('log', 'a').close()"])
def test_a_log_that_was_there_does_not_count_once_it_grows(
    first: str, folder: Path, opened: OpenedFiles
) -> None:
    """Even if it was looked at between its being opened and written."""
    run(folder, first)
    assert ("log" in opened.digests) == bool(first)
    run(folder, "print('a line', file=open('log', 'a'))")
    assert [*opened.digests] == ["model.py"] and not opened.changed()


def test_a_file_opened_late_counts_as_it_was_before(folder: Path, opened: OpenedFiles) -> None:
    assert [*opened.digests] == ["model.py"]
    run(folder, "open('notes.txt').read()")
    assert opened.digests["notes.txt"] == sha256(folder / "notes.txt")


CHANGES: dict[str, Callable[[Path], object]] = {
    "rewritten": lambda file: file.write_text("other content"),
    "of the same size": lambda file: file.write_text(file.read_text().upper()),
    "replaced": lambda file: (file.parent / "notes.txt").replace(file),
    "gone": lambda file: file.unlink(),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("when", ["before it is opened", "before it is looked at", "later"])
def test_a_file_that_changes_meanwhile_is_named(
    change: str, when: str, folder: Path, opened: OpenedFiles
) -> None:
    weights, read = (
        folder / "weights.bin",
        "import os; os.path.exists('weights.bin') and open('weights.bin').read()",
    )
    if when == "before it is opened":
        weights.read_text()
        CHANGES[change](weights)
        run(folder, read)
    elif when == "before it is looked at":
        run(folder, read)
        CHANGES[change](weights)
    else:
        run(folder, read)
        assert "weights.bin" in opened.digests
        CHANGES[change](weights)
    assert opened.changed() == ["weights.bin"] and "weights.bin" not in opened.digests


def test_of_recorded_files_those_that_changed_are_named(folder: Path) -> None:
    names = ("model.py", "weights.bin", "nets/net.py")
    recorded = {name: sha256(folder / name) for name in names}
    (folder / "weights.bin").write_text("other")
    (folder / "nets" / "net.py").unlink()
    (folder / "notes.txt").write_text("other")
    os.utime(folder / "model.py", (0, 0))
    assert changed_files(folder, recorded) == ["weights.bin", "nets/net.py"]


# -- where the system cannot tell


def test_without_inotify_all_files_count(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> Openings:
        raise OSError("no space left for watches")

    monkeypatch.setattr(opened_files, "Openings", refuse)
    watch = OpenedFiles(folder / "model.py")
    assert [*watch.digests] == ["log", "model.py", "nets/net.py", "notes.txt", "weights.bin"]


def test_more_openings_than_the_system_remembers_make_all_files_count(
    folder: Path, opened: OpenedFiles
) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    run(folder, f"for _ in range({most}): open('notes.txt').close()")
    assert "weights.bin" in opened.digests


# -- what of a folder is looked at


def test_what_no_model_reads_is_left_out(folder: Path) -> None:
    before = list(files_of(folder))
    results = (
        "runs/mine/result.json",
        "runs/mine/samples.parquet",
        "runs/other/.parts/key",
        "data/.receipts/x",
    )
    for name in (".git/HEAD", "__pycache__/model.pyc", "venv/pyvenv.cfg", ".hidden", *results):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    (folder / "link").symlink_to("nowhere")
    assert list(files_of(folder)) == before
    shutil.move(folder / ".hidden", folder / "seen")
    assert {*files_of(folder)} == {*before, folder / "seen"}


def test_large_files_are_told_apart_by_size_and_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_digests, "MAX_HASHED_BYTES", 4)
    weights = folder / "weights.bin"

    def fingerprint(content: str, time: int) -> str:
        weights.write_text(content)
        os.utime(weights, (time, time))
        return file_digests.file_fingerprint(weights)

    assert fingerprint("12345", 1) == fingerprint("54321", 1)
    assert len({fingerprint("12345", 1), fingerprint("123456", 1), fingerprint("12345", 2)}) == 3
    assert fingerprint("1234", 1) != fingerprint("4321", 1)
