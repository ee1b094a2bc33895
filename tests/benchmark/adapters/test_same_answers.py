"""One oracle behind every adapter: the same samples, to the byte."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.chat_server import chat_server, text
from helpers.command_line import succeed
from helpers.oracles import recognition_oracle
from helpers.paths import MODELS, ROOT
from marnn_bench.adapters.prompts import EMPTY
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.library.evaluate import evaluate
from marnn_bench.store.cache import cached_data
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task

EXAMPLES = ROOT / "examples"

Samples = Callable[..., str]

REVERSAL = """
def predict(prefix):
    source, output = prefix[: prefix.index("|||")], prefix[prefix.index("|||") + 1 :]
    return {source[::-1][len(output)] if len(output) < len(source) else "END"}
"""

MEMBER = """
def accepts(string):
    stack = []
    for symbol in string:
        if symbol in "([":
            stack.append({"(": ")", "[": "]"}[symbol])
        elif not stack or stack.pop() != symbol:
            return False
    return not stack
"""

TORCH = """
import torch

from marnn_bench.adapters.torch_module import TorchModule


class Stack(torch.nn.Module):
    def forward(self, ids):  # [n, t] -> [n, t, 4]
        scores = torch.zeros(*ids.shape, 4)
        for string, symbols in enumerate(ids.tolist()):
            owed = []
            for place, symbol in enumerate(symbols):
                if symbol % 2 == 0:
                    owed.append(symbol + 1)
                elif owed:
                    owed.pop()
                scores[string, place, [0, 2, *owed[-1:]]] = 1.0
        return scores


load = TorchModule.of(lambda task: Stack())
"""

RECURRENT = """
import torch

from marnn_bench.adapters.torch_module import TorchModule


class Stack(torch.nn.Module):
    def forward(self, ids, state):  # [n, 1], stacks -> [n, 1, 4], stacks
        stacks = state or [[] for _ in range(len(ids))]
        scores = torch.zeros(len(ids), 1, 4)
        for string, symbol in enumerate(ids[:, 0].tolist()):
            if symbol % 2 == 0:
                stacks[string].append(symbol + 1)
            elif stacks[string]:
                stacks[string].pop()
            scores[string, 0, [0, 2, *stacks[string][-1:]]] = 1.0
        return scores, stacks


load = TorchModule.of(lambda task: Stack(), recurrent=True)
"""


def model(folder: Path, source: str) -> Path:
    """A model file."""
    file = folder / "my_model.py"
    file.write_text(source)
    return file


@pytest.fixture
def dyck2(samples: Samples) -> str:
    """What the stack of `predict(prefix)` answers."""
    return samples("dyck2", MODELS / "bracket_stack.py")


@pytest.mark.parametrize("source", [TORCH, RECURRENT])
def test_a_torch_module(source: str, dyck2: str, samples: Samples, tmp_path: Path) -> None:
    assert samples("dyck2", model(tmp_path, source)) == dyck2


def test_a_program_in_c(dyck2: str, samples: Samples, tmp_path: Path) -> None:
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Werror", "-o", "dyck2", EXAMPLES / "dyck2.c"], cwd=tmp_path, check=True
    )
    assert samples("dyck2", "--command", "./dyck2") == dyck2


def test_a_program_in_python(dyck2: str, samples: Samples, tmp_path: Path) -> None:
    assert samples("dyck2", "--command", f"{sys.executable} {EXAMPLES / 'dyck2.py'}") == dyck2


@pytest.mark.node
def test_a_program_in_javascript(dyck2: str, samples: Samples) -> None:
    assert samples("dyck2", "--command", f"{shutil.which('node')} {EXAMPLES / 'dyck2.mjs'}") == dyck2


def rows(data: Path, task: str, split: str, answer: str) -> list[dict]:
    """A row for each string of a split, with the column of its right answers."""
    examples = read_split(data, task, split)
    return [
        {"input": examples[row]["input"], "answer": examples[row][answer]} for row in range(len(examples))
    ]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_answers_that_were_written_beforehand(
    suffix: str, dyck2: str, samples: Samples, data: Path, tmp_path: Path
) -> None:
    file, found = tmp_path / f"answers.{suffix}", rows(data, "dyck2", "test", "answers")
    if suffix == "jsonl":
        file.write_text("".join(json.dumps(row) + "\n" for row in found))
    else:
        pq.write_table(pa.Table.from_pylist(found), file)
    assert samples("dyck2", file) == dyck2


def test_outputs_that_were_written_beforehand(samples: Samples, data: Path, tmp_path: Path) -> None:
    found = rows(data, "sequence-reversal", "test", "target")
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))
    expected = samples("sequence-reversal", model(tmp_path, REVERSAL))
    assert samples("sequence-reversal", tmp_path / "answers.jsonl") == expected


def test_verdicts_that_were_written_beforehand(samples: Samples, data: Path, tmp_path: Path) -> None:
    found = rows(data, "dyck2--recognition", "test", "label")
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in found))
    expected = samples("dyck2--recognition", model(tmp_path, MEMBER))
    assert samples("dyck2--recognition", tmp_path / "answers.jsonl") == expected


def endpoint(url: str, options: str = "") -> str:
    """A model file for an endpoint."""
    return f"""
from marnn_bench.adapters.endpoint import Endpoint

load = Endpoint("{url}", "oracle", shots=3, cache="kept"{options}).load
"""


def test_an_endpoint_that_writes(samples: Samples, tmp_path: Path) -> None:
    expected = samples("sequence-reversal", model(tmp_path, REVERSAL))
    with chat_server(lambda asked: text(" ".join(reversed(asked.split())))) as server:
        assert samples("sequence-reversal", model(tmp_path, endpoint(server.url))) == expected
        roles = [message["role"] for message in server.calls[0]["messages"]]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]


def test_an_endpoint_that_decides(samples: Samples, tmp_path: Path) -> None:
    expected = samples("dyck2--recognition", model(tmp_path, MEMBER))
    oracle = recognition_oracle(find_task("dyck2--recognition"))

    def decided(asked: str) -> dict:
        string = () if asked == EMPTY else tuple(asked.split())
        return text("Yes." if oracle.right(string) else "no")

    with chat_server(decided) as server:
        assert samples("dyck2--recognition", model(tmp_path, endpoint(server.url))) == expected


def test_a_dry_run_asks_nothing_and_counts_what_is_asked(
    samples: Samples, data: Path, tmp_path: Path
) -> None:
    with chat_server(lambda asked: text("yes")) as server:
        file = model(tmp_path, endpoint(server.url))
        command = ("eval", file, "--task", "dyck2--recognition", "--data", data)
        said = succeed(*command, "--dry-run", cwd=tmp_path)
        assert not server.calls
        strings = {row["input"] for row in rows(data, "dyck2--recognition", "test", "label")}
        assert f"{len(strings):,} calls, of which 0 are answered already" in said
        samples("dyck2--recognition", file)
        assert len(server.calls) == len(strings | {""})  # the empty string tells what a model answers with
        assert all(message["content"] in said for message in server.calls[0]["messages"][:-1])
        again = succeed(*command, "--dry-run", cwd=tmp_path)
    assert f"{len(strings):,} calls, of which {len(strings):,} are answered already" in again


TRAINED = """
from collections import Counter

def load(task):
    rows = task.train()
    return Seen({rows[row]["input"]: rows[row]["label"] for row in range(len(rows))})

class Seen:
    def __init__(self, rows):
        self.rows = rows

    def accepts(self, string):
        return self.rows.get(" ".join(string), False)
"""


def test_a_model_file_fits_itself_on_the_train_split(tmp_path: Path) -> None:
    """A table of the train split has all of it right."""
    assert evaluate(model(tmp_path, TRAINED), "dyck1--recognition", "train").accuracy == 1.0


@pytest.mark.parametrize("name", ["dyck2", "dyck1--recognition", "dyck2--lm", "string-reversal"])
def test_what_it_is_given_is_the_released_train_split(name: str) -> None:
    task = find_task(name)
    released = read_split(cached_data(task), task, "train")
    given = ModelTask.of(task).train()
    assert (given.digest, given.split, len(given)) == (released.digest, "train", len(released))
    assert given[7] == released[7]
