"""How a model's process fails: every way has a name, and a limit to its time."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.model_process import DYCK2, answers, ask, failure
from marnn_bench.asking.failures import model_error
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.asking.waves import WaveFailure
from marnn_bench.processes.limits import Limits

Write = Callable[[str], Path]


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
    failed = failure(write(source), Limits(timeout=1))
    assert (failed.kind, failed.what) == ("time", "did not answer within 1 s")
    assert time.monotonic() - started < 10


def test_the_time_is_for_a_round_of_answers(write: Write) -> None:
    """Four rounds; only the two answers of one come too late together."""
    file = write("import time\ndef predict(prefix):\n    time.sleep(0.4)\n    return {'('}")
    assert answers(file, Limits(timeout=1.2)) == [1] * 6
    failed = failure(file, Limits(timeout=0.6))
    assert (failed.kind, failed.what) == ("time", "did not answer within 0.6 s")


def test_a_model_that_became_slow_is_told_how_fast_it_was(write: Write) -> None:
    file = write(
        """
        import time
        def predict(prefix):
            time.sleep(0.1 if len(prefix) < 3 else 60)
            return {"("}
        """
    )
    failed = failure(file, Limits(timeout=1))
    rate = re.fullmatch(r"did not answer within 1 s; it gave (\d+) answers a second so far", failed.what)
    assert rate and 5 <= int(rate[1]) <= 10
    assert str(model_error(failed, "m.py", "")).endswith(" a second so far. Allow more with --timeout 3.")


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
        first = ask(model, on_failure=failures.append)
        second = ask(model, on_failure=failures.append)
    assert first == [4, 4, None, None, 4, 4]
    assert second == [4] * 6
    assert [(m.failure.kind, m.sent, m.rows) for m in failures] == [("died", 3, [0])]
