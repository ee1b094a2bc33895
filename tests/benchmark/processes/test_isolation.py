"""What an isolated model sees, and what it does not."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from helpers.command_line import marnn
from helpers.model_files import small_data, write_model
from helpers.model_process import DYCK2, ask, processes_in
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import Failure, ModelTask
from marnn_bench.errors import UsageError
from marnn_bench.processes import launch
from marnn_bench.processes.launch import require_isolation
from marnn_bench.processes.limits import Limits

ISOLATED = Limits(isolated=True, timeout=20, memory=1 << 30)


def tell(expression: str, model: Path, hidden: list[Path]) -> Any:
    """What an expression is in an isolated model."""
    source = f"""
        import ctypes, glob, json, os, signal, socket, subprocess
        def attempt(act):
            try:
                return act()
            except OSError as error:
                return type(error).__name__
        def load(task):
            with open("told.json", "w") as out:
                json.dump({expression}, out)
        def predict(prefix):
            return {{"("}}
        """
    file = write_model(model, source)
    with ModelProcess(file, ISOLATED, hidden) as process:
        process.load(ModelTask.of(DYCK2))
        assert ask(process) == [1] * 6
    return json.loads((model / "told.json").read_text())


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    """A folder with something that a model must not see."""
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "deep" / "answers").write_text("secret")
    return tmp_path / "data"


def test_hidden_folders_are_empty(hidden: Path, tmp_path: Path) -> None:
    told = tell(
        f"[os.listdir({str(hidden)!r}), os.path.exists({str(hidden / 'deep' / 'answers')!r})]",
        tmp_path / "model",
        [hidden],
    )
    assert told == [[], False]
    assert (hidden / "deep" / "answers").read_text() == "secret"


def test_a_model_within_a_hidden_folder_sees_its_own(hidden: Path) -> None:
    """And of that not its results, where they are hidden."""
    model = hidden / "model"
    (model / "runs").mkdir(parents=True)
    (model / "runs" / "result").touch()
    told = tell(
        "[sorted(os.listdir('..')), os.path.exists('my_model.py'), os.listdir('runs')]",
        model,
        [hidden, model / "runs"],
    )
    assert told == [["model"], True, []]


ESCAPES = {
    "unmounting": ("ctypes.CDLL(None).umount2({hidden!r}.encode(), 2)", -1),
    "mounting": ("ctypes.CDLL(None).mount(b'/', b'/mnt', b'', 0x1000, None)", -1),
    "a program that unmounts": ("subprocess.run(['umount', {hidden!r}], stderr=subprocess.DEVNULL).returncode > 0", True),
    "namespaces within": ("subprocess.run(['unshare', '-Urm', 'umount', {hidden!r}], stderr=subprocess.DEVNULL).returncode > 0", True),
    "the root of other processes": ("glob.glob('/proc/*/root' + {hidden!r} + '/deep')", []),
    "a way around": ("os.listdir('/proc/self/cwd/../data')", []),
}  # fmt: skip
"""What is tried, and what comes of it."""


@pytest.mark.parametrize("way", ESCAPES)
def test_what_is_hidden_cannot_be_brought_back(way: str, hidden: Path, tmp_path: Path) -> None:
    act, expected = ESCAPES[way]
    told = tell(
        f"[{act.format(hidden=str(hidden))}, os.listdir({str(hidden)!r})]", tmp_path / "model", [hidden]
    )
    assert told == [expected, []]


@pytest.fixture
def server() -> Iterator[int]:
    """The port of a server on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_there_is_no_network(server: int, tmp_path: Path) -> None:
    connect = f"attempt(lambda: socket.create_connection(('127.0.0.1', {server}), 2).fileno())"
    with socket.create_connection(("127.0.0.1", server), 2):
        assert tell(connect, tmp_path / "model", []) == "OSError"


def test_other_processes_are_out_of_sight(tmp_path: Path) -> None:
    told = tell(
        "[sorted(map(int, filter(str.isdigit, os.listdir('/proc')))), os.getpid(), os.getuid()]",
        tmp_path / "model",
        [],
    )
    assert told == [[1, told[1]], told[1], os.getuid()]


def test_all_that_it_started_ends_with_it(tmp_path: Path) -> None:
    act = "[subprocess.Popen(['sleep', '60'], start_new_session=True, env={}).pid, attempt(lambda: os.kill(1, 9))]"
    tell(act, tmp_path / "model", [])
    assert not processes_in(tmp_path / "model")


@pytest.mark.parametrize(
    ("act", "what"),
    [("os.abort()", "died of SIGABRT"), ("os._exit(3)", "ended its process with exit status 3")],
)
def test_its_end_is_told_as_ever(act: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(Failure, match=what):
        tell(act, tmp_path / "model", [])


def test_shared_memory_has_a_limit(tmp_path: Path) -> None:
    told = tell(
        "[os.listdir('/dev/shm'), os.statvfs('/dev/shm').f_blocks * os.statvfs('/dev/shm').f_frsize]",
        tmp_path / "model",
        [],
    )
    assert told == [[], ISOLATED.memory]


def test_a_machine_that_does_not_allow_it_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Within namespaces that allow no further ones."""
    program = (
        "from marnn_bench.processes.launch import require_isolation as r\n"
        "open('/proc/sys/user/max_user_namespaces', 'w').write('0')\nr()"
    )
    inside = ["unshare", "--user", "--map-root-user", sys.executable, "-c", program]
    ended = subprocess.run(inside, capture_output=True, text=True, check=False)
    assert "UsageError: --isolate needs Linux and its namespaces" in ended.stderr
    require_isolation()
    monkeypatch.setattr(launch, "SUPERVISOR", "marnn_bench.no_such_module")
    with pytest.raises(UsageError, match=r"Leave --isolate out\."):
        require_isolation()


def test_the_command_hides_data_cache_and_results_and_says_so_in_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, cache = small_data(tmp_path / "data", "dyck2"), tmp_path / "cache"
    (cache / "x").mkdir(parents=True)
    monkeypatch.setenv("MARNN_CACHE", str(cache))
    places = [str(data), str(cache), str(tmp_path / "out")]
    source = f"""
        import json, os
        def load(task):
            json.dump([os.listdir(place) for place in {places}], open("told.json", "w"))
        def predict_batch(prefixes):
            return [{{"("}}] * len(prefixes)
        """
    file = write_model(tmp_path / "model", source)
    program = ("eval", file, "--task", "dyck2", "--data", data, "--out", tmp_path / "out", "--isolate")
    ended = marnn(*program, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert json.loads((file.parent / "told.json").read_text()) == [[], [], []]
    limits = json.loads((tmp_path / "out" / "result.json").read_text())["protocol"]["limits"]
    assert limits["isolation"] == limits["network"] == {"state": "enforced"}
