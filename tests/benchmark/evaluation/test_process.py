"""The process of a model: what it gets, what it may do, and that nothing of it is left."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from ast import literal_eval
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from helpers.paths import MODELS
from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.evaluation.protocol import Failure, ModelTask
from marnn_bench.evaluation.waves import NO_ANSWER, WaveFailure, run_wave
from marnn_bench.generators.strings import Strings
from marnn_bench.tasks.registry import find_task

DYCK2 = find_task("dyck2")
STRINGS = Strings.from_texts(DYCK2.language.alphabet, ["( [ ] )", "[ ]"])
OPENERS = 0b101

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a model file into a folder of its own."""

    def write_model(source: str, name: str = "my_model.py") -> Path:
        file = tmp_path / "model" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(dedent(source))
        return file

    return write_model


def fail(failed: WaveFailure) -> None:
    """For models that must not fail."""
    raise failed.failure


def answers(file: Path, limits: Limits | None = None) -> list[int]:
    """What a model answers after the symbols of two strings."""
    with ModelProcess(file, limits or Limits()) as model:
        model.load(ModelTask.of(DYCK2))
        return run_wave(model, STRINGS, fail).tolist()


def failure(file: Path, limits: Limits | None = None) -> Failure:
    """How a model fails on them."""
    with pytest.raises(Failure) as failed:
        answers(file, limits)
    return failed.value


def is_alive(process: int) -> bool:
    """Whether a process runs, soon."""
    for _ in range(50):
        try:
            os.kill(process, 0)
            if Path(f"/proc/{process}/stat").read_text().split()[2] == "Z":
                return False
        except (ProcessLookupError, FileNotFoundError):
            return False
        time.sleep(0.02)
    return True


# -- what it gets


def test_what_a_model_finds_around_it(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {"HF_TOKEN", "aws_secret_access_key", "Db_PassWord", "API_KEY_2", "XTOKENX"}
    for name in (*secrets, "HARMLESS"):
        monkeypatch.setenv(name, "value")
    file = write(
        """
        import json, os, sys
        def load(task):
            seen = {"environment": dict(os.environ), "folder": os.getcwd(), "path": sys.path[0], "input": sys.stdin.read(),
                    "task": [task.name, task.alphabet, task.columns, task.view, task.run], "leader": os.getsid(0) == os.getpid()}
            with open("seen.json", "w") as out:
                json.dump(seen, out)
        def predict(prefix):
            return {"("}
        """
    )
    assert answers(file) == [1] * 6
    seen = json.loads((file.parent / "seen.json").read_text())
    assert seen["folder"] == seen["path"] == str(file.parent)
    assert secrets.isdisjoint(seen["environment"]) and seen["environment"]["HARMLESS"] == "value"
    own = Path(seen["environment"]["TMPDIR"])
    assert own.name.startswith("marnn-bench-") and not own.exists()
    assert seen["task"] == ["dyck2", ["(", ")", "[", "]"], ["(", ")", "[", "]"], "next-symbol", 0]
    assert seen["input"] == "" and seen["leader"]


def test_a_model_uses_what_lies_beside_it(write: Write) -> None:
    file = write(
        """
        import my_net
        weights = open("weights.bin", "rb").read()
        def predict(prefix):
            return my_net.answer(weights)
        """
    )
    (file.parent / "my_net.py").write_text("def answer(weights): return set(weights.decode())")
    (file.parent / "weights.bin").write_bytes(b"([")
    assert answers(file) == [OPENERS] * 6


@pytest.mark.parametrize(
    "name", ["my_model.py", "json.py", "numpy.py", "my-model 2.py", "traceback.py", "marnn_bench.py"]
)
def test_no_name_in_the_folder_of_a_model_disturbs_its_process(write: Write, name: str) -> None:
    for module in (
        "tasks",
        "json",
        "struct",
        "traceback",
        "linecache",
        "protocol",
        "numpy",
        "marnn_bench",
        "reprlib",
    ):
        write("raise SystemExit('not this one')", f"{module}.py")
    assert answers(write("def predict(prefix): return {'('}", name)) == [1] * 6
    assert failure(write("def predict(prefix): return {}['x']", name)).what == "raised KeyError: 'x'"


def test_one_process_serves_many_runs(write: Write) -> None:
    file = write(
        """
        import os
        def load(task):
            global answer
            answer = {"run": {task.alphabet[task.run]}}
            print(os.getpid(), file=open("pids", "a"))
        def predict(prefix):
            return answer["run"]
        """
    )
    with ModelProcess(file, Limits()) as model:
        for run in range(4):
            loaded = model.load(ModelTask.of(DYCK2, run))
            assert run_wave(model, STRINGS, fail).tolist() == [1 << run] * 6
    assert loaded.interface == "predict" and loaded.loads
    assert len(set((file.parent / "pids").read_text().split())) == 1


def test_the_process_imports_numpy_and_little_else() -> None:
    program = "import marnn_bench.evaluation.child, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "numpy" in loaded
    assert {"click", "pyarrow", "numba", "pandas", "tqdm", "dataclasses", "marnn_bench.task"}.isdisjoint(
        loaded
    )


# -- what it may do


def test_what_a_model_prints_goes_to_standard_error(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    file = write(
        """
        import os, subprocess, sys
        def predict(prefix):
            print("from print")
            os.write(1, b"from write\\n")
            subprocess.run(["echo", "from a program"])
            sys.stdout.write("x" * 200_000 + "\\n")
            return {"("}
        """
    )
    assert answers(file) == [1] * 6
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("from print") == err.count("from write") == err.count("from a program") == 6


def test_a_forked_copy_of_a_model_cannot_answer_in_its_place(write: Write) -> None:
    file = write(
        """
        import os
        def predict(prefix):
            return {"("} if os.fork() else {"["}
        """
    )
    assert answers(file) == [1] * 6


# -- what becomes of it


@pytest.mark.parametrize(
    ("source", "kind", "what"),
    [
        (
            "import no_such_package",
            "raised",
            "import raised ModuleNotFoundError: No module named 'no_such_package'",
        ),
        ("def predict(prefix) return 1", "raised", "import raised SyntaxError"),
        ("raise SystemExit(3)", "raised", "import raised SystemExit: 3"),
        ("x = 1", "interface", "defines none of predict, predict_batch, reset + step"),
        ("def step(ids): return ids", "interface", "defines none of"),
        ("def load(task): 1 / 0", "raised", "load raised ZeroDivisionError"),
        ("def predict(prefix): raise ValueError('one\\ntwo')", "raised", "predict raised ValueError: one"),
        ("def predict(): return set()", "raised", "predict raised TypeError"),
        ("def predict(prefix): exit()", "raised", "predict raised SystemExit"),
        ("def predict(prefix): return predict(prefix)", "raised", "predict raised RecursionError"),
        ("def reset(n): 1 / 0\ndef step(ids): pass", "raised", "reset raised ZeroDivisionError"),
        (
            "def reset(n): pass\ndef step(ids): return ids",
            "answer",
            "step answered an array of shape (2,), not (2, 4)",
        ),
        ("def reset(n): pass\ndef step(ids): return [[float('nan')] * 4] * 2", "answer", "step answered NaN"),
        ("def predict_batch(prefixes): return []", "answer", "predict_batch gave 0 answers to 2 prefixes"),
        ("def predict(prefix): return {'x'}", "answer", "predict answered the unknown symbol 'x'"),
        ("def predict(prefix): return {'END'}", "answer", "predict answered the unknown symbol 'END'"),
        ("import os\ndef predict(prefix): os._exit(0)", "died", "ended its process with exit status 0"),
        ("import os\nos._exit(3)", "died", "ended its process with exit status 3"),
        (
            "import ctypes\ndef predict(prefix): ctypes.string_at(0)",
            "died",
            "died of SIGSEGV (Segmentation fault)",
        ),
        ("import os\ndef predict(prefix): os.abort()", "died", "died of SIGABRT"),
        ("import os\ndef predict(prefix): os.kill(os.getpid(), 9)", "memory", "was killed (SIGKILL)"),
        ("import os\ndef predict(prefix): os.closerange(3, 99)", "died", "closed file descriptors"),
        ("def predict(prefix): bytearray(1 << 30)", "memory", "predict ran out of memory"),
        ("import numpy\ndef load(task): numpy.ones(1 << 27)", "memory", "load ran out of memory"),
    ],
)
def test_how_a_model_fails_is_named(write: Write, source: str, kind: str, what: str) -> None:
    failed = failure(write(source), Limits(memory=1 << 29))
    assert (failed.kind, str(failed)[: len(what)]) == (kind, what)
    assert "\n" not in str(failed)
    assert bool(failed.details) == (kind == "raised" or "ran out" in what)


@pytest.mark.parametrize(
    "source",
    [
        "while True: pass",
        "import time\ndef load(task): time.sleep(60)",
        "def predict(prefix):\n    while True: pass",
        "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ndef reset(n): time.sleep(60)\ndef step(ids): 1",
    ],
)
def test_a_model_that_hangs_is_stopped(write: Write, source: str) -> None:
    started = time.monotonic()
    failed = failure(write(source), Limits(wave_seconds=1))
    assert (failed.kind, failed.what) == ("time", "did not answer within 1 s")
    assert time.monotonic() - started < 10


def test_the_time_is_for_a_wave_not_for_a_symbol(write: Write) -> None:
    file = write("import time\ndef predict(prefix):\n    time.sleep(0.4)\n    return {'('}")
    assert failure(file, Limits(wave_seconds=1.5)).kind == "time"


@pytest.fixture
def leaving(write: Write) -> Iterator[tuple[Path, Callable[[], int]]]:
    """A model that leaves a process behind, and who that is."""
    file = write(
        """
        import os, subprocess
        def load(task):
            left = subprocess.Popen(["sleep", "60"])
            print(left.pid, file=open("left", "w"))
        def predict(prefix):
            if os.path.exists("die"):
                os._exit(1)
            return {"("}
        """
    )
    yield file, lambda: int((file.parent / "left").read_text())


def test_what_a_model_leaves_behind_ends_with_it(leaving: tuple[Path, Callable[[], int]]) -> None:
    file, left = leaving
    assert answers(file) == [1] * 6
    assert not is_alive(left())
    (file.parent / "die").touch()
    assert failure(file).kind == "died"
    assert not is_alive(left())


def test_the_end_is_noticed_though_a_copy_of_the_model_holds_its_pipe(write: Write) -> None:
    """A process made by C's fork, which Python is not told of."""
    file = write(
        """
        import ctypes, os, time
        def predict(prefix):
            if ctypes.CDLL(None).fork() == 0:
                time.sleep(60)
            os._exit(5)
        """
    )
    started = time.monotonic()
    assert failure(file).what == "ended its process with exit status 5"
    assert time.monotonic() - started < 10


def test_a_process_ends_though_its_model_has_threads_that_do_not(write: Write) -> None:
    file = write(
        """
        import os, threading, time
        threading.Thread(target=time.sleep, args=(60,)).start()
        print(os.getpid(), file=open("me", "w"))
        def predict(prefix): return {"("}
        """
    )
    assert answers(file) == [1] * 6
    assert not is_alive(int((file.parent / "me").read_text()))


def test_after_its_death_a_model_is_started_again(write: Write) -> None:
    file = write(
        """
        import os
        def load(task):
            global answer
            answer = {task.alphabet[task.run]}
        def predict(prefix):
            if len(prefix) == 3 and not os.path.exists("died"):
                open("died", "w")
                os.kill(os.getpid(), 11)
            return answer
        """
    )
    failures: list[WaveFailure] = []
    with ModelProcess(file, Limits()) as model:
        model.load(ModelTask.of(DYCK2, run=2))
        first = run_wave(model, STRINGS, failures.append)
        second = run_wave(model, STRINGS, failures.append)
    assert first.tolist() == [4, 4, NO_ANSWER, NO_ANSWER, 4, 4]
    assert second.tolist() == [4] * 6
    assert [(m.failure.kind, m.sent, m.rows) for m in failures] == [("died", 3, [0])]


def test_no_batch_holds_two_prefixes_of_a_string_and_none_comes_early(write: Write) -> None:
    file = write(
        """
        def predict_batch(prefixes):
            print(prefixes, file=open("asked", "a"))
            return [{"("}] * len(prefixes)
        """
    )
    answers(file)
    asked = (file.parent / "asked").read_text().splitlines()
    assert [literal_eval(line) for line in asked] == [
        [("(",), ("[",)],
        [("(", "["), ("[", "]")],
        [("(", "[", "]")],
        [("(", "[", "]", ")")],
    ]


def test_strings_without_symbols_are_asked_nothing(write: Write) -> None:
    empty = Strings.from_texts(DYCK2.language.alphabet, ["", ""])
    with ModelProcess(write("def predict(prefix): 1 / 0"), Limits()) as model:
        model.load(ModelTask.of(DYCK2))
        assert run_wave(model, empty, fail).tolist() == []


def test_an_interrupt_kills_at_once(write: Write) -> None:
    file = write(
        "import os, time\nprint(os.getpid(), file=open('me', 'w'))\ndef predict(prefix): time.sleep(60)"
    )
    me = file.parent / "me"

    def interrupt() -> None:
        while not (me.exists() and me.read_text()):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        answers(file)
    assert not is_alive(int(me.read_text()))


def test_answers_are_the_same_whatever_the_size_of_a_wave(tmp_path: Path) -> None:
    rows = [np.array(rows) for rows in ([0, 1], [1, 0], [1], [0])]
    with ModelProcess(MODELS / "hashing_step.py", Limits()) as model:
        model.load(ModelTask.of(DYCK2))
        found = [run_wave(model, STRINGS.take(chosen), fail).tolist() for chosen in rows]
    assert found[0] == found[3] + found[2] and found[1] == found[2] + found[3]
