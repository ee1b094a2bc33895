"""Work in several processes: side by side, interrupted once, never left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers import jobs
from helpers.jobs import LONG, wait_for
from helpers.paths import ROOT
from marnn_bench.errors import LimitError, UsageError
from marnn_bench.leaderboard.reproduce.workers import each_done


def is_running(pid: int) -> bool:
    """Whether there is a process of this number that is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@contextmanager
def three_works(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Three works in two processes, both at theirs, in a group of processes as a terminal has it."""
    names = [str(folder / name) for name in "abc"]
    process = subprocess.Popen(
        [sys.executable, "-m", "helpers.jobs", *names],
        cwd=ROOT / "tests", start_new_session=True, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_for(lambda: len(workers(folder)) == 2)
        yield process
    finally:
        process.kill()
        process.communicate()


def workers(folder: Path) -> list[int]:
    """The processes that have begun a work."""
    return [int(file.name) for file in folder.glob("*/begun/*")]


def test_every_item_is_done_once_in_as_many_processes_as_asked(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(5)]
    done = dict(each_done(jobs.name, folders, 2))
    assert {folder: {int(file.name) for file in folder.iterdir()} for folder in folders} == {
        folder: {pid} for folder, pid in done.items()
    }
    pids = [file.name for folder in folders for file in folder.iterdir()]
    assert len(pids) == 5
    assert len({*pids}) <= 2
    assert str(os.getpid()) not in pids


def test_one_job_is_done_in_this_process_and_in_order(tmp_path: Path) -> None:
    folders = [tmp_path / str(number) for number in range(3)]
    assert [*each_done(jobs.name, folders, 1)] == [(folder, os.getpid()) for folder in folders]
    assert {file.name for folder in folders for file in folder.iterdir()} == {str(os.getpid())}


def test_an_error_is_raised_as_it_is(tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        [*each_done(os.mkdir, [tmp_path], 2)]
    with pytest.raises(UsageError, match="no folder"):
        [*each_done(refuse, [tmp_path], 1)]


def refuse(folder: Path) -> None:
    raise UsageError("no folder")


def test_a_process_that_is_killed_is_an_error_of_memory(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="was killed, most likely since memory ran out"):
        [*each_done(jobs.die, [tmp_path], 2)]


@pytest.mark.parametrize("of_terminal", [True, False])
def test_ctrl_c_reaches_every_work_under_way_once_and_begins_no_other(
    tmp_path: Path, of_terminal: bool
) -> None:
    """From a terminal, which tells the whole group, and from `kill -INT`, which tells one process."""
    with three_works(tmp_path) as process:
        begun = {file.parent.parent for file in tmp_path.glob("*/begun/*")}
        pids = workers(tmp_path)
        (os.killpg if of_terminal else os.kill)(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=LONG)
        assert process.returncode == -signal.SIGINT
        assert said.rstrip().endswith("KeyboardInterrupt")
        assert {file.parent for file in tmp_path.glob("*/kept")} == begun
        assert len({*tmp_path.iterdir()}) == 2
        assert not any(map(is_running, pids))


def test_no_process_outlives_the_one_that_began_it(tmp_path: Path) -> None:
    with three_works(tmp_path) as process:
        pids = workers(tmp_path)
        assert all(map(is_running, pids))
        process.kill()
        wait_for(lambda: not any(map(is_running, pids)))
