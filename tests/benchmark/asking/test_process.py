"""The process of a model: what it gets, and how it is asked."""

import json
import subprocess
import sys
from ast import literal_eval
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from helpers.model_process import DYCK2, OPENERS, STRINGS, answers, ask, failure
from helpers.paths import MODELS
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.generators.strings import Strings
from marnn_bench.processes.limits import Limits

Write = Callable[[str], Path]


# -- what it gets


def test_what_a_model_finds_around_it(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = {"HF_TOKEN", "aws_secret_access_key", "Db_PassWord", "API_KEY_2", "XTOKENX"}
    for name in (*secrets, "MARNN_CACHE", "OMP_NUM_THREADS", "HARMLESS"):
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
    assert secrets.isdisjoint(seen["environment"]) and "MARNN_CACHE" not in seen["environment"]
    assert seen["environment"]["OMP_NUM_THREADS"] == seen["environment"]["MKL_NUM_THREADS"] == "1"
    assert seen["environment"]["HARMLESS"] == "value"
    own = Path(seen["environment"]["TMPDIR"])
    assert own.name.startswith("marnn-bench-") and not own.exists()
    assert seen["task"] == ["dyck2", ["(", ")", "[", "]"], ["(", ")", "[", "]"], "next-symbol", 0]
    assert seen["input"] == "" and seen["leader"]


def test_a_model_gets_the_threads_and_secrets_that_it_is_allowed(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(
        """
        import os, torch
        def predict(prefix):
            return {"("} if torch.get_num_threads() == 2 and os.environ.get("HF_TOKEN") == "mine" else {"["}
        """
    )
    monkeypatch.setenv("HF_TOKEN", "mine")
    assert answers(file, Limits(threads=2, passed=("HF_TOKEN",))) == [1] * 6
    assert answers(file, Limits(threads=2)) == [4] * 6
    assert answers(file, Limits(passed=("HF_TOKEN",))) == [4] * 6


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
            assert ask(model) == [1 << run] * 6
    assert loaded.interface == "predict" and loaded.loads
    assert len(set((file.parent / "pids").read_text().split())) == 1


def test_the_process_imports_numpy_and_little_else() -> None:
    program = "import marnn_bench.asking.child, sys; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "numpy" in loaded
    assert {"click", "pyarrow", "numba", "pandas", "tqdm", "marnn_bench.task"}.isdisjoint(loaded)


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


def test_escapes_that_a_model_prints_are_shown_as_text(
    write: Write, capfd: pytest.CaptureFixture[str]
) -> None:
    file = write(
        """
        import os
        def load(task):
            os.write(2, "\\x1b[31m \\x9b1m 50%\\r\\t\u202eend\\n".encode() + b"\\xff\\n")
        def predict(prefix): return {"("}
        """
    )
    assert answers(file) == [1] * 6
    assert capfd.readouterr().err == "\\x1b[31m \\x9b1m 50%\r\t\\u202eend\n\\xff\n"


def test_a_forked_copy_of_a_model_cannot_answer_in_its_place(write: Write) -> None:
    file = write(
        """
        import os
        def predict(prefix):
            return {"("} if os.fork() else {"["}
        """
    )
    assert answers(file) == [1] * 6


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
        assert ask(model, empty) == []


def test_answers_are_the_same_whatever_the_size_of_a_wave(tmp_path: Path) -> None:
    rows = [np.array(rows) for rows in ([0, 1], [1, 0], [1], [0])]
    with ModelProcess(MODELS / "hashing_step.py", Limits()) as model:
        model.load(ModelTask.of(DYCK2))
        found = [ask(model, STRINGS.take(chosen)) for chosen in rows]
    assert found[0] == found[3] + found[2] and found[1] == found[2] + found[3]
