"""A task of each view through every interface of a model file in a process of its own."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from helpers.brute_force import small_window
from helpers.evaluations import Record, audit_of, run
from helpers.model_files import samples, write_model
from helpers.oracles import SEPARATOR, oracle_of, wrong_every
from marnn_bench.library.evaluate import evaluate
from marnn_bench.store.write import generate
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task

Prefix = tuple[str, ...]

TASKS = ("dyck2", "dyck5", "anb2n", "string-reversal", "sequence-copy", "dyck2-recognition", "dyck1--lm")
"""Sets, sets and closing brackets, choices, sets of outputs, outputs, membership, distributions."""

TABLE = """
    import json
    import numpy as np
    def load(task):
        global table, alphabet, width
        table = {tuple(prefix): scores for prefix, scores in json.load(open("answers.json"))}
        alphabet, width = task.alphabet, len(task.columns)
    def answer(prefix):
        return table.get(tuple(prefix), [0.0] * width)
    """

INTERFACES = {
    "step": """
    def reset(n):
        global prefixes
        prefixes = [[] for _ in range(n)]
        return np.array([answer(prefix) for prefix in prefixes])
    def step(ids):
        for prefix, symbol in zip(prefixes, ids.tolist()):
            prefix.append(alphabet[symbol])
        return np.array([answer(prefix) for prefix in prefixes])
    """,
    "predict_batch": "\n    def predict_batch(prefixes): return [answer(prefix) for prefix in prefixes]",
    "predict": "\n    def predict(prefix): return answer(prefix)",
    "accepts": "\n    def accepts(string): return answer(string)[0]",
}


CASES = [
    (task, interface)
    for task in TASKS
    for interface in INTERFACES
    if interface != "accepts" or task.endswith("recognition")
]


def small_task(name: str) -> Task:
    """With few rows; language modelling with strings that can all be listed."""
    task = find_task(name)
    windows = {}
    if name.endswith("--lm"):
        windows = dict.fromkeys(task.splits, small_window(task.language, 300))
    rows = {split: 60 for split, wanted in task.splits.items() if wanted.rows != "all"}
    return task.with_splits(rows, windows=windows)


def asked_about(task: Task, row: dict[str, Any]) -> Sequence[Prefix]:
    """The prefixes that a model is asked about a string, if all its answers are right."""
    symbols = tuple(row["input"].split())
    if task.view.name == "transduction":
        target = tuple(row["target"].split())
        return [(*symbols, SEPARATOR, *target[:i]) for i in range(len(target) + 1)]
    first = {"recognition": len(symbols), "language-modelling": 0}.get(task.view.name, 1)
    return [symbols[:i] for i in range(first, len(symbols) + 1)]


def scores(task: Task, answer: Any) -> list[float]:
    """An oracle's answer as a score for each column."""
    if isinstance(answer, frozenset):
        return [float(column in answer) for column in task.columns]
    return answer if isinstance(answer, list) else [answer]


@pytest.fixture(scope="module")
def answered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The data of a task, and an oracle that is wrong at times, with what it scores in this process."""
    task, folder = small_task(request.param), tmp_path_factory.mktemp(request.param)
    data = folder / "data"
    generate(task, data)
    split = "test" if "test" in task.splits else task.default_split
    model = wrong_every(oracle_of(task), 9)
    expected = evaluate(model, task, split, data=data)
    rows = [expected.examples[row] for row in range(len(expected))]
    prefixes = {prefix for row in rows for prefix in asked_about(task, row)}
    table = [(prefix, scores(task, model.predict(prefix))) for prefix in prefixes]
    return {"task": task, "data": data, "split": split, "expected": expected, "table": table}


@pytest.mark.parametrize(("answered", "interface"), CASES, indirect=["answered"])
def test_every_interface_scores_what_the_same_answers_score_here(
    interface: str, answered: dict[str, Any], tmp_path: Path
) -> None:
    task, expected = answered["task"], answered["expected"]
    file = write_model(tmp_path / "model", TABLE + INTERFACES[interface])
    (file.parent / "answers.json").write_text(json.dumps(answered["table"]))
    result: Record = run(file, answered["data"], tmp_path / "out", task.name, split=answered["split"])
    assert result["model"]["interface"] == interface
    assert result["runs"] == expected.record["runs"]
    assert all(audit_of(result).values())
    assert samples(tmp_path / "out")["first_error"] == expected.to_pandas().first_error.tolist()
    headline = result["runs"][0]["metrics"][task.headline]["value"]
    assert headline > 0 if task.view.name == "language-modelling" else headline < 1
