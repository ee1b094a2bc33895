"""A training that is killed or interrupted, wherever, goes on and ends in the same bytes as one that was left alone."""

import json
import os
import pickle
import signal
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from helpers.command_line import marnn, succeed
from helpers.examples import first_rows
from helpers.interruptions import run_interrupted
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.training.data import train_rows
from marnn_bench.baselines.training.experiment import Experiment
from marnn_bench.baselines.training.folder import CHECKPOINT, CURVES, MODEL, PARTIAL, TRAINING, new_folder
from marnn_bench.baselines.training.loop import Training
from marnn_bench.baselines.training.state import STATE, finish, noted_interrupt
from marnn_bench.errors import UsageError
from marnn_bench.tasks.registry import find_task

TASK = find_task("dyck2")
ROWS = 7


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A cache for this file alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MARNN_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def experiment(seed: int = 0) -> Experiment:
    """With noise, a temperature, Adam's moments, and a last batch that is smaller."""
    begun = Experiment.from_paper(find_baseline("baby-ntm-gumbel"), TASK, runs=2, seed=seed)
    return begun.with_overrides(epochs=2, batch=3)


def train_keeping_every_state(out: Path) -> list[str]:
    """Train into a folder: what was told."""
    told: list[str] = []
    with new_folder(out) as folder:
        nobody = _Interrupter(0)
        experiment().train(
            *train_rows(TASK, rows=ROWS), folder, lambda left: nullcontext(nobody), told.append, every=0
        )
    return told


class _Interrupter:
    """Ctrl-C in the midst of the updates of this number, counted from 1."""

    def __init__(self, *updates: int) -> None:
        self._updates, self._done = updates, 0

    def update(self, more: int) -> None:
        self._done += 1
        if self._done in self._updates:
            os.kill(os.getpid(), signal.SIGINT)


def content(out: Path) -> dict[str, object]:
    """All files, but for the seconds that the training took."""
    assert {path.name for path in out.iterdir()} == {MODEL, CHECKPOINT, CURVES, TRAINING}
    training = json.loads((out / TRAINING).read_text())
    del training["wall_s"]
    return {TRAINING: training} | {name: (out / name).read_bytes() for name in (MODEL, CHECKPOINT, CURVES)}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory) -> dict[str, object]:
    out = tmp_path_factory.mktemp("undisturbed")
    experiment().train_into(out, rows=ROWS)
    return content(out)


def test_a_killed_training_ends_in_the_same_bytes(tmp_path, undisturbed):
    """Killed at every third operation on its files, from the first to the last; most of these had a state to go on from."""
    train_rows(TASK, rows=ROWS)  # which is in the cache from here on
    continued = []
    for at in range(0, 300, 3):
        out = tmp_path / str(at)
        ended = run_interrupted(lambda out=out: train_keeping_every_state(out), tmp_path, at)
        if ended == -signal.SIGKILL:
            assert not (out / TRAINING).exists() or content_but_partial(out) == undisturbed
        if not (out / TRAINING).exists():
            continued += train_keeping_every_state(out)
            assert content(out) == undisturbed
        if ended != -signal.SIGKILL:
            break
    else:
        pytest.fail("the training was killed every time")
    assert len({*continued}) > 3
    assert all(line.startswith("Continued after ") for line in continued)


def content_but_partial(out: Path) -> dict[str, object]:
    """What is there when it was killed after the last file came to its place."""
    for left in (out / PARTIAL, out / ".lock"):
        if left.is_dir():
            left.rmdir()
        left.unlink(missing_ok=True)
    return content(out)


@pytest.mark.parametrize("interrupted", [1, 2, 5, 6])
def test_ctrl_c_waits_for_the_end_of_an_update(tmp_path, undisturbed, interrupted):
    told: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        experiment().train_into(
            tmp_path, rows=ROWS, watch=lambda left: nullcontext(_Interrupter(interrupted))
        )
    assert {path.name for path in tmp_path.iterdir()} == {PARTIAL}
    left = []

    @contextmanager
    def watch(strings):
        left.append(strings)
        yield _Interrupter()

    experiment().train_into(tmp_path, rows=ROWS, watch=watch, tell=told.append)
    assert told == [f"Continued after {interrupted} of 6 updates."]
    assert left == [[14, 11, 8, 7, 4, 1, 0][interrupted]]
    assert content(tmp_path) == undisturbed


def test_a_second_ctrl_c_does_not_wait():
    with pytest.raises(KeyboardInterrupt), noted_interrupt() as noted:
        os.kill(os.getpid(), signal.SIGINT)
        assert noted()
        os.kill(os.getpid(), signal.SIGINT)
        pytest.fail("it waited")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("engine, runs, epochs", [("reference", 2, 1), ("compiled", 64, 40)])
def test_the_command_goes_on_after_ctrl_c(tmp_path, engine, runs, epochs):
    """A real process, interrupted once it says how far it is."""
    arguments = ["train", "stack-rnn", "--task", "dyck2", "--rows", "1500", "--engine", engine]
    arguments += ["--epochs", str(epochs), "--runs", str(runs)]
    begun = subprocess.Popen(
        [sys.executable, "-m", "marnn_bench", *arguments, "--out", "mine"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    line = next(line for line in begun.stderr if line.startswith("stack-rnn on dyck2: "))
    begun.send_signal(signal.SIGINT)
    printed, said = begun.communicate(timeout=60)
    assert " strings, " in line
    assert " left" in line
    assert (begun.returncode, printed) == (130, "")
    assert "The same command continues where it stopped.\nInterrupted.\n" in said
    going_on = marnn(*arguments, "--out", "mine", cwd=tmp_path)
    assert going_on.code == 0
    assert "Continued after " in going_on.err
    succeed(*arguments, "--out", "other", cwd=tmp_path)
    assert content(tmp_path / "mine") == content(tmp_path / "other")


class Touch:
    """What creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self):
        return Path.touch, (self._path,)


def edited(state: bytes) -> bytes:
    """Another number, in a file that is as well-formed as before."""
    return state[:-1] + bytes([state[-1] ^ 1])


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda state: state[:-9], "is damaged"),
        (edited, "is damaged (its content is not what was written)"),
        (lambda state: b"", "is damaged"),
        (lambda state: pickle.dumps(Touch(Path("unpickled"))), "is damaged"),
    ],
)
def test_a_damaged_state_is_not_used(tmp_path, undisturbed, monkeypatch, edit, reason):
    monkeypatch.chdir(tmp_path)
    out, told = tmp_path / "mine", []
    with pytest.raises(KeyboardInterrupt):
        experiment().train_into(out, rows=ROWS, watch=lambda left: nullcontext(_Interrupter(4)))
    state = out / PARTIAL / STATE
    state.write_bytes(edit(state.read_bytes()))
    experiment().train_into(out, rows=ROWS, tell=told.append)
    (line,) = told
    assert line.startswith(f"{state} {reason}")
    assert line.endswith("not used: the training begins anew.")
    assert content(out) == undisturbed
    assert not Path("unpickled").exists()


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"runs": 3},
        {"recipe": replace(experiment().recipe, learning_rate=0.02)},
        {"sizes": replace(experiment().sizes, hidden=9)},
    ],
)
def test_the_state_of_another_training_is_not_used(tmp_path, undisturbed, change):
    other, told = replace(experiment(), **change), []
    with pytest.raises(KeyboardInterrupt):
        other.train_into(tmp_path, rows=ROWS, watch=lambda left: nullcontext(_Interrupter(4)))
    experiment().train_into(tmp_path, rows=ROWS, tell=told.append)
    assert told == [
        f"{tmp_path / PARTIAL / STATE} is the state of another training and not used: this one begins anew."
    ]
    assert content(tmp_path) == undisturbed


def test_a_complete_training_is_left_as_it_is_and_another_refused(tmp_path, undisturbed):
    experiment().train_into(tmp_path, rows=ROWS)
    before, told = (tmp_path / TRAINING).stat().st_mtime_ns, []
    assert experiment().train_into(tmp_path, rows=ROWS, tell=told.append)["runs"] == 2
    assert told == [f"{tmp_path} holds this training already; --overwrite trains again."]
    assert (tmp_path / TRAINING).stat().st_mtime_ns == before
    with pytest.raises(UsageError, match="is not empty"):
        experiment(seed=1).train_into(tmp_path, rows=ROWS)
    assert content(tmp_path) == undisturbed


def test_one_training_writes_a_folder_at_a_time(tmp_path):
    with (
        new_folder(tmp_path),
        pytest.raises(UsageError, match=rf"is being written by process {os.getpid()} on"),
        new_folder(tmp_path),
    ):
        pytest.fail("two trainings write one folder")


def test_states_are_seldom(tmp_path):
    """None within the time between two, so that nothing is written between."""
    training = Training(
        find_baseline("rnn").cell(TASK), experiment().recipe, first_rows("dyck2", 5), range(1)
    )
    finish(training, tmp_path / STATE, {}, lambda left: nullcontext(_Interrupter()), pytest.fail)
    assert [*tmp_path.iterdir()] == []
    assert torch.isfinite(training.result().losses).all()
