"""Programs, endpoints and files that answer nonsense: one clear line, exit code 3, and what was answered before is kept."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.chat_server import chat_server, log_probs, text

Failure = Callable[..., tuple[int, str]]
Samples = Callable[..., str]

PROGRAM = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    if "load" in question:
        print({load!r}, flush=True)
    elif "reset" in question:
        print({reset!r}, flush=True)
    else:
        n = len(question["step"])
        {step}
"""

MASKS = '{"answers": "masks"}'


def program(
    folder: Path, load: str = MASKS, reset: str = "null", step: str = "print([1] * n, flush=True)"
) -> str:
    """The command that runs such a program."""
    (folder / "program.py").write_text(PROGRAM.format(load=load, reset=reset, step=step))
    return f"{sys.executable} program.py"


@pytest.mark.parametrize(
    ("changes", "clue"),
    [
        ({"load": "hello"}, "load answered `hello`, not a line of JSON"),
        ({"load": "[]"}, 'load answered `[]`, not {"answers": KIND}'),
        ({"load": '{"answers": "words"}'}, "KIND being masks, columns, numbers, scores"),
        ({"reset": "{"}, "reset answered `{`, not a line of JSON"),
        ({"step": "print([1] * (n - 1), flush=True)"}, "not 60 integers"),
        ({"step": "print([1.5] * n, flush=True)"}, "not 60 integers"),
        ({"step": "print([16] * n, flush=True)"}, "not masks from 0 to 15"),
        ({"step": "print([-1] * n, flush=True)"}, "not masks from 0 to 15"),
        ({"step": "print([[1]] * n, flush=True)"}, "not 60 integers"),
        ({"step": "print('[' * 100000, flush=True)"}, "not a line of JSON"),
        ({"step": "sys.exit(7)"}, "ended its process with exit status 7"),
        (
            {"load": '{"answers": "columns"}', "step": "print([4] * n, flush=True)"},
            "not columns from -1 to 3",
        ),
        ({"load": '{"answers": "scores"}', "step": "sys.stdout.write('abc'); sys.exit(0)"}, "exit status 0"),
    ],
)
def test_a_program_that_answers_nonsense(changes: dict, clue: str, failure: Failure, tmp_path: Path) -> None:
    code, line = failure("dyck2", "--command", program(tmp_path, **changes))
    assert (code, clue in line) == (3, True), line


def test_a_program_that_hangs(failure: Failure, tmp_path: Path) -> None:
    command = program(tmp_path, step="import time; time.sleep(60)")
    code, line = failure("dyck2", "--command", command, "--timeout", "1")
    assert (code, "did not answer within 1 s" in line) == (4, True)


def test_a_program_that_is_not_there(failure: Failure) -> None:
    assert failure("dyck2", "--command", "./nothing --fast") == (
        2,
        "./nothing cannot be started: No such file or directory.",
    )


@pytest.mark.parametrize(
    "words", [(), ("model.py", "--command", "./model"), ("--command", ""), ("--command", "'")]
)
def test_a_model_and_a_program_are_not_both_given(words: tuple[str, ...], failure: Failure) -> None:
    code, line = failure("dyck2", *words)
    assert (code, "--command" in line) == (2, True)


@pytest.mark.parametrize(
    ("rows", "code", "clue"),
    [
        ("{", 2, "answers.jsonl, line 1 is no JSON"),
        ('{"input": "( )"}', 2, "row 0: it has no 'answer'"),
        ('{"input": "( )", "answer": [["("]]}', 2, "row 0: 1 answers about 2 symbols"),
        ('{"input": "( )", "answer": 5}', 2, "row 0: "),
        (
            '{"input": "( )", "answer": "( )"}\n{"input": "( (", "answer": ") )"}',
            2,
            "but {'('} in a row above",
        ),
        ('{"input": "( )", "answer": "(/) ("}', 3, "has no row that begins with"),
        (
            '{"input": "(", "answer": "(/x"}\n{"input": "[", "answer": "(/x"}',
            3,
            "answered the unknown symbol 'x'",
        ),
    ],
)
def test_a_file_that_holds_nonsense(
    rows: str, code: int, clue: str, failure: Failure, tmp_path: Path
) -> None:
    (tmp_path / "answers.jsonl").write_text(rows)
    found, line = failure("dyck2", "answers.jsonl")
    assert (found, clue in line) == (code, True), line


def endpoint(folder: Path, url: str, options: str = "") -> Path:
    """A model file for an endpoint."""
    file = folder / "model" / "my_model.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text(
        "from marnn_bench.adapters.endpoint import Endpoint\n"
        f'load = Endpoint("{url}", "m", shots=1, retries=1, at_once=32, cache="{folder / "kept"}"{options}).load\n'
    )
    return file


@pytest.mark.parametrize(
    ("answer", "clue"),
    [
        (b"<html>", "answered no choices: <html>"),
        (b"[" * 100_000, "answered no choices"),
        ({"choices": []}, "answered 0 choices, not one"),
        ({"choices": [{}, {}]}, "answered 2 choices, not one"),
        ({"choices": [{"message": None}]}, "a choice without a text"),
        ({"choices": "none"}, "answered no choices"),
        ((400, {}), "answered status 400"),
        ((503, {"Retry-After": "0"}), "answered status 503"),
        ((0, {}), "did not answer"),
        (text("perhaps"), "not the probability that the string is a member"),
    ],
)
def test_an_endpoint_that_answers_nonsense(
    answer: object, clue: str, failure: Failure, tmp_path: Path
) -> None:
    with chat_server(lambda asked: answer) as server:
        code, line = failure("dyck1--recognition", endpoint(tmp_path, server.url))
    assert (code, clue in line) == (3, True), line


def test_without_log_probabilities_distributions_cannot_be_asked_for(
    failure: Failure, tmp_path: Path
) -> None:
    with chat_server(lambda asked: text("(")) as server:
        code, line = failure("dyck2--lm", endpoint(tmp_path, server.url))
    assert (code, "answered without log-probabilities, which this task needs" in line) == (3, True)
    with chat_server(lambda asked: log_probs({"(": -0.1, ")": -3.0})) as server:
        code, line = failure("dyck2--lm", endpoint(tmp_path, server.url, ""))
    assert (code, "gives no log-probability for `[ ] END`" in line) == (3, True)


def test_an_endpoint_that_fails_now_and_then_is_asked_again(samples: Samples, tmp_path: Path) -> None:
    """And what it answered is asked once, even if the evaluation is killed between."""
    seen: set[str] = set()

    def flaky(asked: str) -> object:
        if asked in seen:
            return text("yes")
        seen.add(asked)
        return [(429, {"Retry-After": "0"}), (0, {})][len(seen) % 2]

    with chat_server(flaky) as server:
        model = endpoint(tmp_path, server.url)
        samples("dyck1--recognition", model)
        calls = len(server.calls)
        assert calls == 2 * len(seen)
        samples("dyck1--recognition", model)
        assert len(server.calls) == calls


def test_a_cache_that_was_cut_off_is_read_up_to_there(samples: Samples, tmp_path: Path) -> None:
    with chat_server(lambda asked: text("yes")) as server:
        model = endpoint(tmp_path, server.url)
        samples("dyck1--recognition", model)
        calls = len(server.calls)
        (file,) = (tmp_path / "kept").iterdir()
        file.write_bytes(file.read_bytes()[:-10])
        samples("dyck1--recognition", model)
        assert len(server.calls) == calls + 1


def test_a_secret_is_sent_and_never_shown(failure: Failure, tmp_path: Path) -> None:
    secret = "sk-" + "x" * 20
    said = json.dumps({"error": f"your key {secret} is wrong"}).encode()
    with chat_server(lambda asked: said) as server:
        model = endpoint(tmp_path, server.url, ', key="MY_KEY"')
        code, line = failure("dyck1--recognition", model, MY_KEY=secret)
        assert (code, "There is no environment variable MY_KEY" in line, len(server.calls)) == (2, True, 0)
        code, line = failure("dyck1--recognition", model, "--pass-env", "MY_KEY", MY_KEY=secret)
        assert server.keys == {f"Bearer {secret}"}
    assert code == 3
    for file in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert secret.encode() not in file.read_bytes(), file
    assert secret not in line


def test_a_view_without_a_prompt_is_refused(failure: Failure, tmp_path: Path) -> None:
    code, line = failure("string-reversal", endpoint(tmp_path, "http://127.0.0.1:9/v1"))
    assert (code, "not synchronous" in line) == (2, True)
