"""`marnn-bench eval` as it is typed: what it prints and how it ends."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from helpers.command_line import marnn, succeed
from helpers.model_files import samples, small_data, write_model, write_trained
from helpers.paths import MODELS

Write = Callable[[str], Path]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small splits of dyck2."""
    return small_data(tmp_path_factory.mktemp("data"), "dyck2")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a model file into a folder of its own."""
    return partial(write_model, tmp_path / "model")


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """The folder of three trained runs."""
    return write_trained(tmp_path / "trained")


def test_eval_prints_a_table_of_80_columns_and_what_to_type_next(data: Path, tmp_path: Path) -> None:
    out = marnn(
        "eval", MODELS / "bracket_stack.py", "--task", "dyck2", "--data", data, "--out", "r", cwd=tmp_path
    )
    assert out.code == 0, out.err
    assert max(map(len, out.out.splitlines())) <= 80
    for part in (
        "dyck2 1.0, test: 1,100 strings of 52-100 symbols",
        "1.0000  [0.9965, 1.0000]",
        "best constant set",
        "100",
    ):
        assert part in out.out
    assert "Next:\n  marnn-bench leaderboard show r\n" in out.err
    again = marnn(
        "eval", MODELS / "bracket_stack.py", "--task", "dyck2", "--data", data, "--out", "r", cwd=tmp_path
    )
    assert again.code == 0 and again.out == out.out and "was evaluated before" in again.err


def test_eval_of_many_runs_prints_their_spread(trained: Path, data: Path, tmp_path: Path) -> None:
    out = succeed("eval", trained, "--task", "dyck2", "--data", data, "--out", "r", cwd=tmp_path)
    assert max(map(len, out.splitlines())) <= 80
    for part in (
        "3 runs",
        "best run",
        "median",
        "mean",
        "worst run",
        "solved (>= 0.99): 1 of 3 runs, 0.33 [0.06, 0.79]",
    ):
        assert part in out


def test_eval_as_json_prints_the_result(data: Path, tmp_path: Path) -> None:
    arguments = ("--task", "dyck2", "--data", data, "--out", "r", "--format", "json")
    printed = succeed("eval", MODELS / "openers.py", *arguments, cwd=tmp_path)
    assert json.loads(printed) == json.loads((tmp_path / "r" / "result.json").read_text())


def test_eval_imports_no_compiler_and_no_second_statistics(data: Path, tmp_path: Path) -> None:
    arguments = ["eval", str(MODELS / "openers.py"), "--task", "dyck2", "--data", str(data), "--out", "r"]
    program = f"from marnn_bench.cli import main; main({arguments}, standalone_mode=False); import sys; print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert {"numba", "scipy", "torch", "nltk"}.isdisjoint(ended.stdout.splitlines()[-1].split())


def test_eval_generates_data_that_is_not_given(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    printed = succeed(
        "eval",
        MODELS / "mirror_stack.py",
        "--task",
        "string-reversal",
        "--out",
        "r",
        cwd=tmp_path,
        cache=cache,
    )
    assert "5,000 strings of 52-100 symbols" in printed and list((cache / "data").iterdir())


def test_a_result_tells_the_law_and_window_of_the_data(tmp_path: Path) -> None:
    program = ("--task", "dyck2", "--rows", "60", "--law", "uniform", "--window", "test=10:12", "--out", "d")
    succeed("generate", *program, cwd=tmp_path)
    succeed("eval", MODELS / "openers.py", "--task", "dyck2", "--data", "d", "--out", "r", cwd=tmp_path)
    task = json.loads((tmp_path / "r" / "result.json").read_text())["task"]
    assert (task["law"], task["window"], task["rows"]) == ("uniform", "10:12", 60)


@pytest.mark.parametrize(
    ("source", "code", "line"),
    [
        ("x = 1", 3, "my_model.py defines none of predict, predict_batch, reset + step. See `marnn-bench check --help`."),
        ("def predict(prefix): 1 / 0", 3, "my_model.py: predict raised ZeroDivisionError: division by zero, at test row 0, after `"),
        ("def predict(prefix): return {'x'}", 3, "my_model.py: predict answered the unknown symbol 'x'; there are `( ) [ ]`"),
        ("def predict(prefix): return [float('nan')] * 4", 3, "my_model.py: predict answered NaN, at test row 0"),
        ("def predict(prefix): return [0.0]", 3, "my_model.py: predict answered 1 scores, not 4"),
        ("import os\ndef predict(prefix): os._exit(0)", 3, "my_model.py ended its process with exit status 0, at test rows 0-1023"),
        ("def predict(prefix):\n    while True: print('x' * 99)", 4, "my_model.py did not answer within 1 s"),
        ("def predict(prefix): bytearray(1 << 31)", 4, "my_model.py: predict ran out of memory"),
    ],
)  # fmt: skip
def test_a_bad_model_gives_one_line_and_its_exit_code(
    write: Write, data: Path, tmp_path: Path, source: str, code: int, line: str
) -> None:
    program = (
        "eval",
        write(source),
        "--task",
        "dyck2",
        "--data",
        data,
        "--timeout",
        "1",
        "--memory",
        "500M",
    )
    ended = marnn(*program, "--out", "r", cwd=tmp_path)
    assert ended.code == code
    assert f"Error: {line}" in ended.err and "Traceback" not in ended.err
    assert not (tmp_path / "r" / "result.json").exists()


def test_escapes_in_what_a_model_is_called_and_says_are_shown_as_text(data: Path, tmp_path: Path) -> None:
    source = "def predict(prefix): raise ValueError('\\x1b[31mred')"
    file = write_model(tmp_path, source, "m\x1b[2J\n.py")
    for program in (("eval", file), ("--debug", "eval", file)):
        ended = marnn(*program, "--task", "dyck2", "--data", data, "--out", "r", "--name", "m", cwd=tmp_path)
        assert ended.code == 3
        assert r"Error: m\x1b[2J\n.py: predict raised ValueError: \x1b[31mred" in ended.err
        assert "\x1b" not in ended.err + ended.out


def test_debug_shows_the_traceback_of_the_model(write: Write, data: Path, tmp_path: Path) -> None:
    file = write("def predict(prefix):\n    return undefined_name")
    program = ("--debug", "eval", file, "--task", "dyck2", "--data", data, "--out", "r")
    ended = marnn(*program, cwd=tmp_path)
    assert ended.code == 3
    assert 'my_model.py", line 2, in predict' in ended.err and "NameError" in ended.err


def test_what_is_asked_wrongly_gives_exit_code_2(write: Write, data: Path, tmp_path: Path) -> None:
    file = write("def predict(prefix): return set()")
    (tmp_path / "file").write_text("x")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "thesis.tex").write_text("x")
    for arguments, line in (
        ((tmp_path / "missing.py", "--task", "dyck2", "--out", "r"), "There is no "),
        ((tmp_path / "foreign", "--task", "dyck2", "--out", "r"), "has no model.py and training.json"),
        ((file, "--task", "dyk2", "--out", "r"), "Did you mean dyck2"),
        ((file, "--task", "dyck2", "--out", "r", "--split", "dev"), "no split 'dev'"),
        ((file, "--task", "dyck2", "--out", "foreign"), "holds other files"),
        ((file, "--task", "dyck2", "--out", "file"), "is a file"),
        ((file, "--task", "dyck2", "--out", "r", "--memory", "much"), "no size such as"),
        ((file, "--task", "dyck2", "--out", "r", "--runs", "2"), "has no load(task)"),
    ):
        ended = marnn("eval", *arguments, "--data", data, cwd=tmp_path)
        assert ended.code == 2 and line in ended.err and "Traceback" not in ended.err, arguments
    assert [path.name for path in (tmp_path / "foreign").iterdir()] == ["thesis.tex"]
    assert not (tmp_path / "r").exists()


def test_overwrite_replaces_a_result_and_nothing_else(data: Path, tmp_path: Path, write: Write) -> None:
    program = (
        "eval",
        write("def predict(prefix): return set()"),
        "--task",
        "dyck2",
        "--data",
        data,
        "--out",
        "r",
    )
    succeed(*program, cwd=tmp_path)
    (tmp_path / "r" / "notes.txt").write_text("mine")
    write("def predict(prefix): return {'('}")
    assert marnn(*program, cwd=tmp_path).code == 2
    succeed(*program, "--overwrite", cwd=tmp_path)
    assert samples(tmp_path / "r")["predicted"][0][0] == 1
    assert (tmp_path / "r" / "notes.txt").read_text() == "mine"
