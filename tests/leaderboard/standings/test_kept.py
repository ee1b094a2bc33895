"""Results of the maintainers as the repository keeps them: the same figures, in less."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.command_line import marnn, succeed
from helpers.synthetic_results import read_record, write_result

ROOTED = {"command": ["marnn-bench", "eval", "/home/somebody/model", "--out", "out"]}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Results of two models, of five runs each."""
    rng = np.random.default_rng(0)
    for model, share in (("good", 0.9), ("poor", 0.2)):
        write_result(tmp_path / "runs" / model, rng.random((5, 300)) < share, model=model, **ROOTED)
    return tmp_path


def ranked(place: Path, board: str) -> list[dict[str, Any]]:
    found = json.loads(
        succeed("leaderboard", "show", "--results", board, "--rank-all", "--format", "json", cwd=place)
    )
    return [
        {name: value for name, value in line.items() if name != "standing"}
        for ranking in found
        for line in ranking["lines"]
    ]


def test_what_is_kept_ranks_as_the_results_did(place: Path) -> None:
    succeed("leaderboard", "keep", "runs", "--out", "board/results", cwd=place)
    files = sorted((place / "board").rglob("*.*"))
    assert [path.relative_to(place / "board" / "results").as_posix() for path in files] == [
        f"{model}/dyck2/test/result.json" for model in ("good", "poor")
    ]
    for path in files:
        whole = read_record(place / "runs" / path.relative_to(place / "board" / "results").parts[0])
        small = json.loads(path.read_bytes())
        assert [run["metrics"] for run in small["runs"]] == [run["metrics"] for run in whole["runs"]]
        assert [run["by_length"] for run in small["runs"]] == [run["by_length"] for run in whole["runs"]]
        assert (small["samples"], small["summary"]) == (whole["samples"], whole["summary"])
        assert "/home" not in path.read_text() and small["command"][2] == "model"
    assert ranked(place, "board") == ranked(place, "runs")


def test_a_result_is_kept_once_and_never_replaced(place: Path) -> None:
    succeed("leaderboard", "keep", "runs/good", "--out", "board/results", cwd=place)
    for asked in (["runs"], ["runs/poor", "runs/poor"]):
        again = marnn("leaderboard", "keep", *asked, "--out", "board/results", cwd=place)
        assert again.code == 2 and "one result of each split" in again.error
    assert [path.name for path in (place / "board" / "results").iterdir()] == ["good"]


def test_what_is_not_what_its_samples_say_is_not_kept(place: Path) -> None:
    path = place / "runs" / "poor" / "result.json"
    path.write_text(path.read_text().replace('"run": 0', '"run": 7', 1))
    refused = marnn("leaderboard", "keep", "runs", "--out", "board/results", cwd=place)
    assert refused.code == 5 and not [*(place / "board").rglob("poor")]
