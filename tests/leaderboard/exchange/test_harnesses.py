"""Our splits as the LM Evaluation Harness and Inspect read them: asked by their released versions, in environments of their own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from jinja2 import Template

from helpers.command_line import marnn, succeed
from helpers.paths import ROOT

ROWS = 40
TASKS = ("dyck2", "dyck2--lm", "string-reversal", "anbn-recognition", "sequence-copy-16", "unary-addition")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with data of all views, and the tasks made of it."""
    base = tmp_path_factory.mktemp("harness")
    named = [part for name in TASKS for part in ("--task", name)]
    succeed("generate", *named, "--rows", ROWS, "--out", "data", cwd=base)
    succeed("export-tasks", "data", "--out", "tasks", cwd=base)
    return base


def content(place: Path, task: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((place / "tasks" / f"marnn_bench_{task}.yaml").read_text())
    return found


def rows_of(place: Path, task: str) -> list[dict[str, Any]]:
    """Of the split that is asked."""
    asked = content(place, task)
    (file,) = asked["dataset_kwargs"]["data_files"][asked["test_split"]]
    found: list[dict[str, Any]] = pq.read_table(file).to_pylist()
    return found


def test_what_is_asked_about_a_prefix_is_the_set_that_the_data_has_there(place: Path) -> None:
    """Of Dyck-2 by a stack of its own."""
    asked = content(place, "dyck2")
    for row in rows_of(place, "dyck2"):
        prefix = Template(asked["doc_to_text"]).render(row).split("\n")[0].removeprefix("Prefix: ").split()
        assert prefix == row["input"].split()[: len(prefix)] and len(prefix) == row["length"] // 2
        owed: list[str] = []
        for symbol in prefix:
            owed = [*owed, {"(": ")", "[": "]"}[symbol]] if symbol in "([" else owed[:-1]
        expected = [symbol for symbol in ("(", ")", "[", "]") if symbol in ("(", "[", *owed[-1:])]
        assert Template(asked["doc_to_target"]).render(row).split(" ") == expected


def test_a_file_that_is_there_stays(place: Path) -> None:
    refused = marnn("export-tasks", "data", "--out", "tasks", cwd=place)
    assert refused.code == 2 and "--overwrite" in refused.error


def environment(folder: Path, *packages: str) -> Path:
    """An interpreter with these packages and nothing else."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", *packages], check=True)
    return folder / "bin"


@pytest.fixture(scope="module")
def offline() -> Iterator[dict[str, str]]:
    yield os.environ | {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}


@pytest.mark.slow
def test_the_harness_asks_what_we_wrote(place: Path, offline: dict[str, str], tmp_path: Path) -> None:
    """By a model that answers at random."""
    programs = environment(tmp_path / "venv", "lm-eval>=0.4.11,<0.5", "torch>=2.6,<2.14")
    asked = ["--tasks", "marnn_bench", "--include_path", "tasks", "--limit", "8"]
    subprocess.run(
        [
            programs / "lm_eval",
            "--model",
            "dummy",
            *asked,
            "--log_samples",
            "--output_path",
            tmp_path / "out",
        ],
        cwd=place,
        env=offline,
        check=True,
    )
    (found,) = (tmp_path / "out").rglob("results_*.json")
    results = json.loads(found.read_text())["results"]
    assert {name.removeprefix("marnn_bench_") for name in results if name != "marnn_bench"} == {*TASKS}
    for task in ("string-reversal", "dyck2", "anbn-recognition"):
        (samples,) = (tmp_path / "out").rglob(f"samples_marnn_bench_{task}_*.jsonl")
        lines = [json.loads(line) for line in samples.read_text().splitlines()]
        asked_rows = rows_of(place, task)[:8]
        assert [line["doc"]["input"] for line in lines] == [row["input"] for row in asked_rows]
        rendered = [Template(content(place, task)["doc_to_target"]).render(row) for row in asked_rows]
        assert [str(line["target"]) for line in lines] == rendered


INSPECT = """
import json, sys
from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from marnn_bench.leaderboard.exchange.inspect_task import formal_language

def said(text):
    output = ModelOutput.from_content("mockllm/model", text)
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output

scores = {}
for name in sys.argv[1:]:
    task = formal_language("data", name, rows=8)
    right = [sample.target for sample in task.dataset]
    for kind, answers in (("right", right), ("wrong", ["nothing"] * 8)):
        model = get_model("mockllm/model", custom_outputs=[said(text) for text in answers], memoize=False)
        (log,) = eval(formal_language("data", name, rows=8), model=model, display="none", max_samples=1)
        assert log.status == "success", log.error
        scores[f"{name} {kind}"] = log.results.scores[0].metrics["accuracy"].value
print(json.dumps(scores))
"""


@pytest.mark.slow
def test_inspect_finds_right_answers_right(place: Path, offline: dict[str, str], tmp_path: Path) -> None:
    """A model that gives the targets, and one that gives something else."""
    programs = environment(tmp_path / "venv", "inspect-ai>=0.3.200,<0.4", "jinja2", str(ROOT))
    names = [name for name in TASKS if name != "dyck2--lm"]
    done = subprocess.run(
        [programs / "python", "-c", INSPECT, *names],
        cwd=place,
        env=offline,
        check=True,
        capture_output=True,
        text=True,
    )
    scores = json.loads(done.stdout.splitlines()[-1])
    assert scores == {
        f"{name} {kind}": float(kind == "right") for name in names for kind in ("right", "wrong")
    }
