"""A board of three models, one of which has a name that would like to be markup, and its site."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from helpers.command_line import succeed
from helpers.paths import ROOT
from helpers.synthetic_results import own_strings, write_result
from marnn_bench.tasks.registry import find_task

TASKS = ("anbncn", "tomita5")
MARKUP = "<img src=x onerror=alert(1)></script>"
MODELS = {"good": 1.0, "middling": 0.6, MARKUP: 0.2}


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """results/ as the maintainers keep them, and nothing else."""
    folder, rng = tmp_path_factory.mktemp("board"), np.random.default_rng(0)
    for name in TASKS:
        split = find_task(name).default_split
        rows = len(own_strings(name, split)[0])
        for place, (model, accuracy) in enumerate(MODELS.items()):
            right = rng.random((5, rows)) < accuracy
            result = folder / "results" / str(place) / name
            write_result(result, right, model=model, task=name, split=split, own=True)
    return folder


@pytest.fixture(scope="session")
def site(board: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `leaderboard build` writes of it."""
    out = tmp_path_factory.mktemp("built") / "site"
    asked = [part for name in TASKS for part in ("--task", name)]
    succeed("leaderboard", "build", "--results", board, "--out", out, *asked, cwd=board)
    return out


@pytest.fixture(scope="session")
def own_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """That of the maintainers' own entries, with the pictures of memories that the documentation has."""
    base = tmp_path_factory.mktemp("own")
    pictures = base / "docs" / "_images"
    pictures.mkdir(parents=True)
    (base / "docs" / "index.html").write_text("<!DOCTYPE html><title>Documentation</title>")
    for picture in (ROOT / "docs" / "pictures").glob("trace-*.svg"):
        shutil.copy(picture, pictures)
    board = ROOT / "leaderboard"
    succeed("leaderboard", "build", "--results", board, "--docs", "docs", "--out", "site", cwd=base)
    return base / "site"
