"""Folders that are generated into: added to, replaced, resumed, by one job or several; nothing is lost."""

import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from helpers.command_line import marnn, succeed
from helpers.small_data import digests, small
from marnn_bench.errors import DataError
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.verify import verify
from marnn_bench.store.write import generate


@pytest.fixture
def data(tmp_path: Path) -> Path:
    generate(small("dyck3"), tmp_path / "d")
    return tmp_path / "d"


def test_a_second_generate_adds_a_task_and_repeats_nothing(data: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*.parquet")}
    generate(small("dyck2"), data)
    generate(small("dyck3"), data)
    assert {task for task, _ in digests(data)} == {"dyck2", "dyck3"}
    assert all(path.stat().st_mtime_ns == then for path, then in before.items())


def test_other_rows_are_refused_and_overwrite_replaces_that_task_alone(data: Path) -> None:
    generate(small("dyck2"), data)
    before = digests(data)
    refused = marnn("generate", "--task", "dyck3", "--rows", "50", "--out", data, cwd=data.parent)
    assert (refused.code, digests(data)) == (2, before)
    assert "--overwrite" in refused.error
    succeed("generate", "--task", "dyck3", "--rows", "50", "--out", data, "--overwrite", cwd=data.parent)
    after = digests(data)
    assert read_manifest(data)["tasks"]["dyck3"]["splits"]["train"]["rows"] == 50
    assert {key: value for key, value in after.items() if key[0] == "dyck2"} == {
        key: value for key, value in before.items() if key[0] == "dyck2"
    }
    assert sorted(p.name for p in data.iterdir()) == [".receipts", "README.md", "data", "manifest.json"]
    list(verify(data))


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    outcome = marnn("generate", "--task", "dyck2", "--out", ".", cwd=tmp_path)
    assert (outcome.code, outcome.error) == (2, ". holds other files; choose a new or empty folder.")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = marnn("generate", "--task", "dyck2", "--out", "file/below", cwd=tmp_path)
    assert (outcome.code, outcome.error) == (
        2,
        "Not a directory: file/below/.receipts. Choose another folder or file.",
    )
    outcome = marnn("generate", "--task", "dyck2", "--rows", "5", "--out", "/proc/marnn", cwd=tmp_path)
    assert outcome.code == 2
    assert "/proc/marnn" in outcome.error


def test_a_full_disk_ends_with_4_and_keeps_what_was_there(data: Path) -> None:
    """The largest file allowed stands for the disk: 64 kB, then every write fails."""
    before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    program = "import sys; from marnn_bench.cli import main; main(sys.argv[1:])"

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536))

    done = subprocess.run(
        [sys.executable, "-c", program, "generate", "--task", "dyck2", "--rows", "50000", "--out", str(data)],
        preexec_fn=limit, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 4, done.stderr
    assert "Free some space" in done.stderr
    assert "Traceback" not in done.stderr
    assert {path: path.read_bytes() for path in data.rglob("*") if path.is_file()} == before


def test_overwrite_repairs_a_damaged_file_and_a_damaged_receipt(data: Path) -> None:
    before = digests(data)
    path = data / "data/dyck3/test-00000-of-00001.parquet"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    next((data / ".receipts/dyck3").iterdir()).write_text("{")
    generate(small("dyck3"), data, overwrite=True)
    list(verify(data))
    assert digests(data) == before
    assert sorted(p.name for p in data.iterdir()) == [".receipts", "README.md", "data", "manifest.json"]


def test_a_run_that_was_stopped_before_its_first_file_goes_on(tmp_path: Path) -> None:
    command = ["generate", "--task", "dyck2", "--rows", "3000000", "--out", "d"]
    process = subprocess.Popen([sys.executable, "-m", "marnn_bench", *command], cwd=tmp_path)
    while not list(tmp_path.rglob("*.part")):
        time.sleep(0.01)
        assert process.poll() is None
    process.kill()
    process.wait()
    succeed("generate", "--task", "dyck2", "--rows", "50", "--out", "d", cwd=tmp_path)
    list(verify(tmp_path / "d"))


def test_jobs_that_run_at_once_lose_nothing(tmp_path: Path) -> None:
    """Four tasks and one of them twice, in a new folder, then all of them again with --overwrite."""
    tasks = ["dyck1", "dyck2", "dyck3", "hom-palindrome", "dyck2"]
    for extra in ([], ["--overwrite"]):
        chosen = tasks if not extra else tasks[:4]
        jobs = [
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "marnn_bench",
                    "generate",
                    "--task",
                    t,
                    "--rows",
                    "300",
                    "--out",
                    "d",
                    *extra,
                ],
                cwd=tmp_path,
            )
            for t in chosen
        ]
        assert [job.wait() for job in jobs] == [0] * len(chosen)
        assert {task for task, _ in digests(tmp_path / "d")} == set(tasks)
        list(verify(tmp_path / "d"))


def test_of_two_commands_with_other_rows_one_wins_and_the_other_says_so(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "marnn_bench", "generate", "--task", "dyck2", "--out", "d", "--rows"]
    jobs = [
        subprocess.Popen([*command, rows], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        for rows in ("150000", "150001")
    ]
    errors = [job.communicate()[1] for job in jobs]
    assert sorted(job.returncode for job in jobs) == [0, 2]
    (refusal,) = [error for job, error in zip(jobs, errors, strict=True) if job.returncode]
    assert "with other rows, windows, law" in refusal
    assert "Traceback" not in refusal
    assert len({v.rows for v in verify(tmp_path / "d")}) == 1


def test_the_next_command_clears_what_a_killed_one_left(data: Path) -> None:
    """Of an --overwrite that was killed; what another command is writing right now stays."""
    command = ["generate", "--task", "dyck3", "--rows", "3000000", "--overwrite", "--out", str(data)]
    process = subprocess.Popen([sys.executable, "-m", "marnn_bench", *command])
    while not list(data.glob(".replacing-dyck3-*/data/dyck3/.*.part")):
        time.sleep(0.01)
        assert process.poll() is None
    generate(small("dyck2"), data)
    assert list(data.glob(".replacing-*"))
    process.kill()
    process.wait()
    with pytest.raises(DataError, match="does not belong to the manifest"):
        list(verify(data))
    generate(small("dyck2"), data)
    assert not list(data.glob(".replacing-*"))
    list(verify(data))


def test_half_a_file_of_a_killed_command_is_cleared(data: Path) -> None:
    (data / "data/dyck3/.train-00000-of-00001.parquet.part").write_text("")
    (data / "data/dyck3/train-00001-of-00002.parquet").write_text("")
    generate(small("dyck3"), data)
    list(verify(data))


def test_a_path_outside_ascii_works_in_every_locale(tmp_path: Path) -> None:
    """Python reads and writes ASCII there, and pyarrow encodes paths as UTF-8."""
    folder = tmp_path / "größe 数据"
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0"}
    for task in ("dyck2", "shuffle2"):
        succeed("generate", "--task", task, "--rows", "50", "--out", folder, cwd=tmp_path, **plain)
    succeed("verify", folder, cwd=tmp_path, **plain)
    assert len(list(verify(folder))) == 4


def test_a_damaged_cache_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from marnn_bench.store.cache import cached_data

    monkeypatch.setenv("MARNN_CACHE", str(tmp_path))
    folder = cached_data(small("dyck2"))
    (path,) = folder.rglob("test-*.parquet")
    path.write_bytes(path.read_bytes()[:100])
    assert cached_data(small("dyck2")) == folder
    list(verify(folder))
