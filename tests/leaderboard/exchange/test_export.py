"""Results in the formats of others, as those read them."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from jsonschema import Draft7Validator

from helpers.command_line import marnn, succeed
from helpers.synthetic_results import read_record, write_result

HARNESS = {"name": "marnn-bench", "version": "0.1.0"}
SAID: dict[str, Any] = {"created_at": "2026-01-02T03:04:05Z", "harness": HARNESS}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five runs on dyck2, one on dyck1, and one in nats that calls a string impossible."""
    folder, rng = tmp_path_factory.mktemp("results"), np.random.default_rng(0)
    write_result(folder / "dyck2", rng.random((5, 60)) < 0.7, **SAID)
    write_result(folder / "dyck1", rng.random((1, 60)) < 0.7, task="dyck1", **SAID)
    write_result(folder / "lm", rng.random((1, 60)) < 0.7, task="dyck2--lm", lost=3, **SAID)
    return folder


def exported(results: Path, out: Path, *options: str) -> list[dict[str, Any]]:
    succeed(
        "export", results, "--to", "every-eval-ever", "--model", "org/mine", "--out", out, *options, cwd=out
    )
    return [json.loads(path.read_text()) for path in sorted(out.glob("*.json"))]


def test_every_finite_metric_is_there_with_its_mean_and_interval(results: Path, tmp_path: Path) -> None:
    dyck1, nats, dyck2 = exported(results, tmp_path)
    record = read_record(results / "dyck2")
    found = {it["metric_config"]["metric_id"]: it["score_details"] for it in dyck2["evaluation_results"]}
    assert {name: it["score"] for name, it in found.items()} == pytest.approx(
        {name: spread["mean"] for name, spread in record["summary"]["metrics"].items()}
    )
    for score in found.values():
        interval = score["uncertainty"]["confidence_interval"]
        assert interval["lower"] <= score["score"] <= interval["upper"]
        assert score["uncertainty"]["num_samples"] == 5
    (single, *_) = dyck1["evaluation_results"]
    of_run = read_record(results / "dyck1")["runs"][0]["metrics"][single["metric_config"]["metric_id"]]
    assert single["score_details"]["uncertainty"]["confidence_interval"]["lower"] == of_run["lower"]
    infinite = [
        name for name, of in read_record(results / "lm")["runs"][0]["metrics"].items() if of["value"] is None
    ]
    assert infinite
    assert not {it["metric_config"]["metric_id"] for it in nats["evaluation_results"]} & {*infinite}


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--dataset", "org/data")])
def test_every_eval_ever_accepts_the_records(results: Path, options: tuple[str, ...], tmp_path: Path) -> None:
    """By the schema in its wheel, which wants a later Python than ours to be installed."""
    wheel = tmp_path / "wheel"
    asked = ["--no-deps", "--python-version", "3.12", "--only-binary=:all:", "-q", "-d", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "download", "every-eval-ever==0.3.0", *asked], check=True)
    (path,) = wheel.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        schema = json.loads(archive.read("every_eval_ever/schemas/eval.schema.json"))
    (tmp_path / "out").mkdir()
    for record in exported(results, tmp_path / "out", *options):
        assert [*Draft7Validator(schema).iter_errors(record)] == []


def test_the_hubs_own_reader_finds_the_headlines(results: Path, tmp_path: Path) -> None:
    from huggingface_hub import parse_eval_result_entries

    asked = ("--to", "hub", "--dataset", "org/data", "--revision", "0" * 40)
    succeed("export", results / "dyck1", results / "dyck2", *asked, "--out", "out", cwd=tmp_path)
    entries = parse_eval_result_entries(yaml.safe_load((tmp_path / "out" / "marnn-bench.yaml").read_text()))
    assert [entry.task_id for entry in entries] == ["dyck1/test", "dyck2/test"]
    for entry in entries:
        record = read_record(results / entry.task_id.partition("/")[0])
        assert entry.value == record["summary"]["metrics"]["sequence_accuracy"]["mean"]
        assert entry.dataset_id == "org/data" and entry.dataset_revision == "0" * 40


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--to", "hub"], "--dataset ORG/NAME"),
        (["--to", "every-eval-ever"], "--model ORG/NAME"),
        (["--to", "every-eval-ever", "--model", "../x"], "Repository '../x'"),
    ],
)
def test_what_is_missing_is_said(options: list[str], said: str, results: Path, tmp_path: Path) -> None:
    outcome = marnn("export", results / "dyck1", *options, "--out", "out", cwd=tmp_path)
    assert outcome.code == 2 and said in outcome.error and not (tmp_path / "out").exists()


def test_files_are_replaced_only_when_asked_and_two_results_are_not_one(
    results: Path, tmp_path: Path
) -> None:
    asked = ("export", results / "dyck1", "--to", "every-eval-ever", "--model", "org/mine", "--out", "out")
    assert marnn(*asked, cwd=tmp_path).code == 0
    assert "is there" in marnn(*asked, cwd=tmp_path).error
    assert marnn(*asked, "--overwrite", cwd=tmp_path).code == 0
    twice = marnn(*asked[:2], results / "dyck1", *asked[2:], "--overwrite", cwd=tmp_path)
    assert "two results of dyck1-test" in twice.error
