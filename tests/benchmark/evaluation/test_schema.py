"""The published schema of result.json: what `eval` writes is valid, and nothing else is."""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from helpers.command_line import marnn, succeed
from helpers.forged_results import Keys, at
from helpers.model_files import write_model, write_trained
from helpers.paths import MODELS
from helpers.small_data import small
from marnn_bench.store.write import generate

FAILING = """
def predict(prefix):
    if len(prefix) == 60:
        raise ValueError("so long")
    return {"("}
"""

PROBABILITIES = """
scores = "probabilities"
def predict(prefix):
    return [0.25, 0.25, 0.5, 0]
"""

CONSTANT = """
import numpy as np
def load(task):
    global columns
    columns = len(task.columns)
def reset(n):
    return np.full((n, columns), 1 / columns)
def step(ids):
    return np.full((len(ids), columns), 1 / columns)
"""

ACCEPTING = """
def accepts(string):
    return len(string) % 2 == 0
"""

DESCRIBED_ELSEWHERE = {("harness", "packages"), ("model", "training"), ("model", "files")}
"""Whose fields are those of others."""

OPTIONAL = {"illegal_mass", "solved"}
"""What results of some models and some tasks have."""


@pytest.fixture(scope="session")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Draft202012Validator:
    """Of the schema that the command prints."""
    schema = json.loads(succeed("schema", "result", cwd=tmp_path_factory.mktemp("schema")))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


EVALUATED = {
    "right": ("bracket_stack", "dyck2"),
    "failing": (FAILING, "dyck2", "--keep-going", "--no-audit"),
    "probabilities": (PROBABILITIES, "dyck2"),
    "trained": ("trained", "dyck2"),
    "with END": ("mirror_stack", "hom-palindrome", "--name", "Mirror ü"),
    "closing": (CONSTANT, "dyck5", "--split", "test_long"),
    "synchronous": (CONSTANT, "string-reversal"),
    "choices": (CONSTANT, "anbn"),
    "transduction": (CONSTANT, "sequence-copy"),
    "recognition": (ACCEPTING, "dyck2--recognition"),
    "language modelling": (CONSTANT, "dyck2--lm"),
}


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Results of every view, of a failing model, of one that answers probabilities, of the runs of a train folder."""
    folder = tmp_path_factory.mktemp("results")
    for task in {task for _, task, *_ in EVALUATED.values()}:
        generate(small(task), folder / "data")
    found = {}
    for name, (model, task, *options) in EVALUATED.items():
        file = MODELS / f"{model}.py"
        if model == "trained":
            file = write_trained(folder / "trained")
        elif "\n" in model:
            file = write_model(folder / name, model)
        out = folder / "out" / name
        succeed("eval", file, "--task", task, "--data", folder / "data", "--out", out, *options, cwd=folder)
        found[name] = json.loads((out / "result.json").read_text(encoding="utf-8"))
    return found


def objects(value: Any, keys: Keys = ()) -> Iterator[Keys]:
    """Where the objects are whose fields the schema lists."""
    if isinstance(value, dict) and keys not in DESCRIBED_ELSEWHERE:
        yield keys
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value[:1]):
            yield from objects(part, (*keys, key)) if keys not in DESCRIBED_ELSEWHERE else ()


@pytest.mark.parametrize("name", EVALUATED)
def test_every_result_that_eval_writes_is_valid(
    name: str, validator: Draft202012Validator, records: dict[str, Any]
) -> None:
    assert [error.message for error in validator.iter_errors(records[name])] == []


def test_the_results_are_of_every_kind(records: dict[str, Any]) -> None:
    assert records["failing"]["errors"]["rows"] > 0
    assert len(records["trained"]["runs"]) == 3
    assert records["probabilities"]["protocol"]["thresholds"]
    assert "illegal_mass" in records["probabilities"]["summary"]["metrics"]
    assert "closing_accuracy" in records["closing"]["summary"]["metrics"]
    assert len({record["task"]["view"] for record in records.values()}) == 5
    assert len({record["task"]["headline"] for record in records.values()}) == 4


@pytest.mark.parametrize("name", EVALUATED)
def test_a_result_has_every_field_and_no_other(
    name: str, validator: Draft202012Validator, records: dict[str, Any]
) -> None:
    for keys in objects(record := records[name]):
        for field in at(record, keys):
            if keys == ("task", "splits") or field in OPTIONAL or field.startswith("closing_by"):
                continue
            without = deepcopy(record)
            del at(without, keys)[field]
            assert not validator.is_valid(without), (*keys, field)
        more = deepcopy(record)
        at(more, keys)["more"] = 1
        assert not validator.is_valid(more), keys


def test_results_of_version_1_are_valid(validator: Draft202012Validator, records: dict[str, Any]) -> None:
    """They have two metrics beside the entries of a run, and early ones no sha256 of their errors."""
    record = of_version_1(records["trained"])
    assert [error.message for error in validator.iter_errors(record)] == []
    del record["errors"]["sha256"]
    assert validator.is_valid(record)
    assert not validator.is_valid({**record, "audit": {"done": False, "checks": []}})
    assert not validator.is_valid({**record, "schema_version": 2})
    assert not validator.is_valid({**records["trained"], "schema_version": 1})


def of_version_1(now: dict[str, Any]) -> dict[str, Any]:
    """A result as version 1 wrote it."""
    record = deepcopy(now)
    for name in ("headline", "train", "splits"):
        del record["task"][name]
    for part in (*record["runs"], record["summary"], *record["trivial"]):
        part |= part.pop("metrics")
        for name in ("headline", "area_under_curve", "extrapolation_ratio"):
            part.pop(name, None)
    for run in record["runs"]:
        run["position_accuracy"]["method"] = "bootstrap over strings"
        for cell in run["positions_by_depth"]:
            del cell["lower"], cell["upper"]
    limits = record["protocol"]["limits"]
    states = {
        "wave_seconds": limits["timeout_seconds"],
        "memory_bytes": limits["memory_bytes"],
        "environment": {"state": "enforced"},
        "network": {"state": "none"},
    }
    record["protocol"] = {"wave_rows": 1024, "keep_going": False, "limits": states}
    del record["audit"], record["model"]["files"]
    record["model"]["folder_sha256"] = record["model"]["sha256"]
    return record | {"schema_version": 1}


@pytest.mark.parametrize(
    ("name", "keys", "value"),
    [
        ("right", ("schema_version",), 0),
        ("right", ("schema_version",), "2"),
        ("right", ("created_at",), "yesterday"),
        ("right", ("wall_s",), -0.1),
        ("right", ("command",), "marnn-bench eval"),
        ("right", ("harness", "name"), "another"),
        ("right", ("harness", "git"), {"commit": "main", "dirty": False}),
        ("right", ("task", "version"), "1"),
        ("right", ("task", "window"), "52-100"),
        ("right", ("task", "rows"), 0),
        ("right", ("task", "digest"), "d1"),
        ("right", ("task", "columns"), ["(", "("]),
        ("right", ("task", "splits"), {}),
        ("right", ("task", "splits", "test", "rows"), "many"),
        ("right", ("task", "splits", "test", "distinct"), 1),
        ("right", ("model", "interface"), "telepathy"),
        ("right", ("model", "training"), []),
        ("right", ("model", "files"), ["my_model.py"]),
        ("right", ("protocol", "wave_rows"), 1024.5),
        ("right", ("protocol", "stream"), 0),
        ("right", ("protocol", "thresholds"), 0.5),
        ("right", ("protocol", "limits", "memory_bytes", "value"), 0),
        ("right", ("protocol", "limits", "network", "state"), "unknown"),
        ("right", ("protocol", "limits", "environment", "passed"), "HOME"),
        ("right", ("runs",), []),
        ("right", ("runs", 0, "run"), -1),
        ("right", ("runs", 0, "metrics", "sequence_accuracy", "value"), 1.01),
        ("right", ("runs", 0, "metrics", "sequence_accuracy", "level"), 0.9),
        ("right", ("runs", 0, "metrics", "position_accuracy", "method"), "none"),
        ("right", ("runs", 0, "by_length"), []),
        ("right", ("runs", 0, "by_length", 0, "n"), 0),
        ("right", ("runs", 0, "by_depth", 0, "value"), "1"),
        ("right", ("runs", 0, "first_error", "median"), 1.5),
        ("right", ("runs", 0, "area_under_curve"), "1"),
        ("right", ("summary", "solved", "threshold"), 0.5),
        ("right", ("summary", "metrics", "sequence_accuracy", "mean"), "1.0"),
        ("right", ("trivial", 0, "metrics", "sequence_accuracy"), -1),
        ("right", ("samples", "file"), "../samples.parquet"),
        ("right", ("samples", "rows"), "1100"),
        ("right", ("errors", "sha256"), ""),
        ("right", ("audit", "checks"), {}),
        ("right", ("audit", "checks", 0, "passed"), "yes"),
        ("right", ("integrity",), None),
        ("probabilities", ("protocol", "thresholds"), [1.5]),
        ("probabilities", ("protocol", "thresholds"), []),
        ("closing", ("runs", 0, "closing_by_position", 0, "position"), -1),
        ("choices", ("runs", 0, "by_size", 0, "size"), "n"),
        ("transduction", ("runs", 0, "fine_by_length", 0, "value"), "1"),
        ("recognition", ("runs", 0, "by_negative", 0, "negative"), 0),
        ("recognition", ("summary", "metrics", "balanced_accuracy", "mean"), 1.5),
        ("language modelling", ("runs", 0, "by_length", 0, "weight"), -1.0),
        ("language modelling", ("runs", 0, "metrics", "possible", "value"), 1.5),
        ("language modelling", ("summary", "metrics", "excess_cross_entropy", "mean"), "infinite"),
    ],
    ids=str,
)
def test_a_corrupted_result_is_not_valid(
    name: str, validator: Draft202012Validator, records: dict[str, Any], keys: Keys, value: object
) -> None:
    record = deepcopy(records[name])
    at(record, keys[:-1])[keys[-1]] = value
    errors = [*validator.iter_errors(record)]
    assert errors
    assert all((*error.absolute_path,) == keys[: len(error.absolute_path)] for error in errors)


@pytest.mark.parametrize(
    ("name", "headline"),
    [("right", "solved_sizes"), ("choices", "sequence_accuracy"), ("recognition", "excess_cross_entropy")],
)
def test_metrics_are_those_of_the_view(
    name: str, headline: str, validator: Draft202012Validator, records: dict[str, Any]
) -> None:
    record = deepcopy(records[name])
    record["task"]["headline"] = record["summary"]["headline"] = headline
    assert not validator.is_valid(record)


def test_a_schema_that_there_is_not_is_refused(tmp_path: Path) -> None:
    ended = marnn("schema", "samples", cwd=tmp_path)
    assert ended.code == 2 and "'samples' is not 'result'" in ended.err
