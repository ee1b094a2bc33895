"""The page of all tasks is what the code says now, and `tasks show` works for each."""

import json
from pathlib import Path

import pytest

from helpers.command_line import succeed
from helpers.paths import ROOT
from marnn_bench.gallery.page import page
from marnn_bench.tasks.registry import builtin_tasks

DOCS = ROOT / "docs"


def test_the_page_is_what_the_code_writes() -> None:
    """If not: python -m marnn_bench.gallery docs"""
    assert (DOCS / "tasks.md").read_text() == page()


def test_every_task_has_its_picture() -> None:
    drawn = {path.stem for path in (DOCS / "pictures").glob("*.svg")}
    assert drawn - {"architecture"} == set(builtin_tasks())


@pytest.mark.parametrize(
    "name", ["dyck2", "memorization", "svo-sov", "palindrome-recognition", "anbn--recognition"]
)
def test_a_task_of_every_view_can_be_shown(name: str, tmp_path: Path) -> None:
    out = succeed("tasks", "show", name, "--plot", "shape.svg", cwd=tmp_path)
    assert max(map(len, out.splitlines())) <= 100
    assert (tmp_path / "shape.svg").stat().st_size > 1_000
    assert json.loads(succeed("tasks", "show", name, "--format", "json", cwd=tmp_path))["name"] == name
