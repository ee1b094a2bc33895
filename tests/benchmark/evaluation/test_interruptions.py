"""Evaluations that are killed, meet a full disk or each other: the same command then ends with the same result."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from helpers.command_line import marnn, succeed
from helpers.evaluations import WatchedModel
from helpers.interruptions import NO_SPACE, READ_ONLY, UNREACHED, run_interrupted
from helpers.model_files import small_data, write_model
from helpers.paths import MODELS
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.errors import ModelError
from marnn_bench.evaluation.answering import Evaluation
from marnn_bench.evaluation.evaluator import evaluate
from marnn_bench.evaluation.records import read_record
from marnn_bench.evaluation.results import Policy, ResultFolder
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.examples import Examples
from marnn_bench.store.read import read_split
from marnn_bench.store.write import generate
from marnn_bench.tasks.registry import find_task

Asked = tuple[Examples, Examples]

TIMES = {"created_at", "wall_s", "integrity"}
"""What differs between two evaluations of the same."""


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small splits of dyck2."""
    return small_data(tmp_path_factory.mktemp("data"), "dyck2")


@pytest.fixture(scope="session")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Asked:
    """Forty strings of dyck2, and its train split."""
    folder = tmp_path_factory.mktemp("few")
    generate(find_task("dyck2").with_splits({"train": 60, "test": 40}), folder)
    return read_split(folder, "dyck2", "test"), read_split(folder, "dyck2", "train")


def contents(out: Path) -> dict[str, Any]:
    """Every file in a folder: its bytes, or result.json without times."""
    found: dict[str, Any] = {
        str(file.relative_to(out)): file.read_bytes() for file in out.rglob("*") if file.is_file()
    }
    if "result.json" in found:
        record = json.loads(found["result.json"])
        found["result.json"] = {name: value for name, value in record.items() if name not in TIMES}
    return found


# -- at every operation on a file


def evaluate_runs(
    out: Path, asked: Asked, name: str = "mine", other: Policy = "refuse", *, fails: bool = False
) -> None:
    """Evaluate two runs of a model in this process, or find that done, as the command does.

    fails:  the model raises in its second run, which ends the evaluation
    """
    sets = [{"("}, {"(", "["}]
    state = SimpleNamespace(run=0)

    def load(task: ModelTask) -> None:
        state.run = task.run
        if fails and task.run == 1:
            sets.pop()

    model = SimpleNamespace(load=load, predict=lambda prefix: sets[state.run])
    evaluation = Evaluation(ModelSource(name, MODELS / "openers.py", None, 2, renamed=True), *asked)
    folder = ResultFolder(out, evaluation.key(), other)
    if folder.state() == "complete" and other != "replace":
        folder.read()
    else:
        with suppress(ModelError):
            evaluate(WatchedModel(model), evaluation, folder)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "fails", "error"),
    [
        pytest.param("refuse", False, None, id="killed"),
        pytest.param("refuse", False, NO_SPACE, id="disk full"),
        pytest.param("refuse", False, READ_ONLY, id="read-only"),
        pytest.param("refuse", True, None, id="killed as the model fails"),
        pytest.param("move", False, None, id="killed as it moves"),
        pytest.param("replace", False, None, id="killed as it replaces"),
    ],
)
def test_an_evaluation_may_end_at_any_operation_on_a_file(
    other: Policy, fails: bool, error: int | None, asked: Asked, tmp_path: Path
) -> None:
    """In a new folder, or in that of another result, which is moved as a whole or replaced."""
    evaluate_runs(tmp_path / "mine", asked)
    evaluate_runs(tmp_path / "older", asked, "older")
    mine, older = contents(tmp_path / "mine"), contents(tmp_path / "older")
    for at in count():
        place = tmp_path / str(at)
        place.mkdir()
        out = place / "r"
        if other != "refuse":
            shutil.copytree(tmp_path / "older", out)
            (out / "notes.txt").write_text("of mine")
        again = partial(evaluate_runs, out, asked, "mine", other)
        ended = run_interrupted(partial(again, fails=fails), place, at, error)
        if ended == UNREACHED:
            break
        assert ended in (error or -signal.SIGKILL, 0)
        if (out / "result.json").exists():
            read_record(out)
            assert contents(out).items() >= (mine if is_called(out, "mine") else older).items()
        again()
        left = contents(out)
        assert left.pop("notes.txt", b"of mine") == b"of mine"
        assert left == mine
        if other == "move":
            moved = contents(place / "r.1")
            moved.pop(".lock", None)  # if it was killed right behind the move
            assert moved == {**older, "notes.txt": b"of mine"}
    assert at > 15


def is_called(out: Path, name: str) -> bool:
    return bool(json.loads((out / "result.json").read_text())["model"]["name"] == name)


# -- the command


def command(model: Path, data: Path, out: str = "r") -> list[object]:
    return ["eval", model, "--task", "dyck2", "--data", data, "--out", out]


def start(arguments: Sequence[object], cwd: Path, prologue: str = "") -> subprocess.Popen[str]:
    """The command in a process of its own, after a few lines of Python."""
    program = [sys.executable, "-c", f"{prologue}\nfrom marnn_bench.cli import main\nmain()"]
    return subprocess.Popen(
        [*program, *map(str, arguments)], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def paced(tmp_path: Path) -> Path:
    """A model that waits in its second wave while a file `slow` is there, and tells who it is."""
    return write_model(
        tmp_path / "model",
        """
        import os, time
        from zlib import crc32
        print(os.getpid(), file=open("../pid", "w"))
        def predict_batch(prefixes):
            while len(prefixes[0]) == 1 and len(prefixes) < 77 and os.path.exists("../slow"):
                time.sleep(0.01)
            return [{s for s in "()[]" if crc32((" ".join(p) + s).encode()) % 2} for p in prefixes]
        """,
    )


def wait_for_part(out: Path, process: subprocess.Popen[str]) -> None:
    while not (out / ".parts" / "00000-00000.arrow").exists():
        assert process.poll() is None
        time.sleep(0.01)


@pytest.mark.parametrize("signal_sent", [signal.SIGKILL, signal.SIGINT])
def test_an_evaluation_that_is_killed_continues(
    paced: Path, data: Path, tmp_path: Path, signal_sent: int
) -> None:
    (tmp_path / "whole").mkdir()
    succeed(*command(paced, data), cwd=tmp_path / "whole")
    (tmp_path / "slow").touch()
    begun = start(command(paced, data), tmp_path)
    wait_for_part(tmp_path / "r", begun)
    begun.send_signal(signal_sent)
    _, err = begun.communicate(timeout=20)
    assert begun.returncode == (130 if signal_sent == signal.SIGINT else -9)
    assert "Traceback" not in err
    model = int((tmp_path / "pid").read_text())
    for _ in range(100):
        if not Path(f"/proc/{model}").exists():
            break
        time.sleep(0.05)
    else:
        pytest.fail("the process of the model outlived the evaluator")
    assert not (tmp_path / "r" / "result.json").exists()

    (tmp_path / "slow").unlink()
    succeed(*command(paced, data), cwd=tmp_path)
    assert contents(tmp_path / "r") == contents(tmp_path / "whole" / "r")
    assert not (tmp_path / "r" / ".parts").exists()


PHASES = {
    "before the first part": ("os.rename", "/.parts/part"),
    "between joining and commit": ("open", "/.parts/result.json"),
    "before the mark": ("os.rename", "/.parts/result.json"),
    "while parts are removed": ("os.rmdir", ".parts"),
}


@pytest.mark.parametrize("phase", PHASES)
def test_the_command_is_killed_in_any_phase_and_continues(phase: str, data: Path, tmp_path: Path) -> None:
    event, path = PHASES[phase]
    prologue = f"""
import os, sys
def kill(event, arguments):
    if event == {event!r} and str(arguments[0]).endswith({path!r}):
        os.kill(os.getpid(), 9)
sys.addaudithook(kill)"""
    for place in ("model", "whole", "killed"):
        (tmp_path / place).mkdir()
    model = shutil.copy(MODELS / "openers.py", tmp_path / "model")  # where no other test opens files
    killed = start(command(model, data), tmp_path / "killed", prologue)
    killed.communicate(timeout=60)
    assert killed.returncode == -9
    for place in ("whole", "killed"):
        succeed(*command(model, data), cwd=tmp_path / place)
    assert contents(tmp_path / "killed" / "r") == contents(tmp_path / "whole" / "r")


def test_a_full_disk_gives_exit_code_4_and_the_rest_can_follow(data: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk."""
    program = command(MODELS / "hashing_step.py", data)
    limit = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"""
    full = start(program, tmp_path, limit)
    _, err = full.communicate(timeout=60)
    assert full.returncode == 4, err
    assert "disk is full" in err and "Traceback" not in err
    assert "result.json" not in contents(tmp_path / "r")
    succeed(*program, cwd=tmp_path)


def test_the_second_command_is_told_which_process_writes_the_folder(
    paced: Path, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "slow").touch()
    first = start(command(paced, data), tmp_path)
    wait_for_part(tmp_path / "r", first)
    for model in (MODELS / "openers.py", paced):
        second = marnn(*command(model, data), "--overwrite", cwd=tmp_path)
        assert second.code == 2
        assert second.error.startswith(f"r is being written by process {first.pid} on ")
        assert second.error.endswith("Wait for its end, or choose another --out.")
    (tmp_path / "slow").unlink()
    first.communicate(timeout=60)
    assert first.returncode == 0
    alone = tmp_path / "alone"
    alone.mkdir()
    succeed(*command(paced, data), cwd=alone)
    assert contents(tmp_path / "r") == contents(alone / "r")


def test_of_commands_that_start_at_once_one_writes_the_result(data: Path, tmp_path: Path) -> None:
    names = ("openers", "hashing_step")
    folders = [
        shutil.copytree(MODELS, tmp_path / name) for name in names
    ]  # what is opened there is no other's
    models = [folder / f"{name}.py" for folder, name in zip(folders, names, strict=True)] * 2
    started = [start(command(model, data), tmp_path) for model in models]
    said = [process.communicate(timeout=120)[1] for process in started]
    codes = [process.returncode for process in started]
    assert set(codes) <= {0, 2} and 0 in codes, said
    for code, err in zip(codes, said, strict=True):
        assert code == 0 or re.search("is being written by|holds (the|this) result", err), err
    (written,) = {model for model, code in zip(models, codes, strict=True) if code == 0}
    (tmp_path / "alone").mkdir()
    succeed(*command(written, data), cwd=tmp_path / "alone")
    assert contents(tmp_path / "r") == contents(tmp_path / "alone" / "r")


def test_a_folder_that_is_deleted_under_it_ends_it_in_one_line(
    paced: Path, data: Path, tmp_path: Path
) -> None:
    (tmp_path / "slow").touch()
    begun = start(command(paced, data), tmp_path)
    wait_for_part(tmp_path / "r", begun)
    shutil.rmtree(tmp_path / "r")
    (tmp_path / "slow").unlink()
    _, err = begun.communicate(timeout=60)
    assert begun.returncode == 2 and "Traceback" not in err
    assert "Error: r was removed while it was being written. Give the same command again." in err
    assert not (tmp_path / "r").exists()
