"""The page of all tasks is what the code says now, and `tasks show` works for each."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from helpers.command_line import marnn, succeed
from helpers.paths import ROOT
from marnn_bench.gallery.description import Splits
from marnn_bench.gallery.distributions import plot_distributions
from marnn_bench.gallery.page import page
from marnn_bench.tasks.registry import builtin_tasks

DOCS = ROOT / "docs"


def test_the_page_is_what_the_code_writes() -> None:
    """If not: python -m marnn_bench.gallery docs"""
    assert (DOCS / "tasks.md").read_text() == page()


def test_every_task_has_its_picture() -> None:
    """Those that the page shows; not tasks with one string of a length, of which all bars would be equal."""
    drawn = {path.stem for path in (DOCS / "pictures").glob("*.svg")}
    shown = set(re.findall(r"pictures/([a-z0-9-]+)\.svg", (DOCS / "tasks.md").read_text()))
    alike = {"anbn", "anbncn", "anbncndn", "anb2n", "anb3n"}
    assert shown <= drawn
    assert drawn & set(builtin_tasks()) == shown
    assert shown <= set(builtin_tasks()) - alike and {"dyck2", "memorization", "svo-sov"} <= shown


@pytest.mark.parametrize(
    "name",
    ["dyck5", "shuffle6", "memorization", "svo-sov", "anbn-recognition", "anbn--recognition", "dyck2--lm"],
)
def test_a_task_of_every_view_can_be_shown(name: str, tmp_path: Path) -> None:
    out = succeed("tasks", "show", name, "--plot", "shape.svg", cwd=tmp_path)
    assert max(map(len, out.splitlines())) <= 80
    assert (tmp_path / "shape.svg").stat().st_size > 1_000
    assert json.loads(succeed("tasks", "show", name, "--format", "json", cwd=tmp_path))["name"] == name


def test_the_list_of_tasks_fits_a_terminal(tmp_path: Path) -> None:
    lines = succeed("tasks", cwd=tmp_path).splitlines()
    assert max(map(len, lines)) <= 80
    assert set(builtin_tasks()) <= {line.split()[0] for line in lines if line}


def test_what_is_not_worth_a_picture_is_refused(tmp_path: Path) -> None:
    outcome = marnn("tasks", "show", "anbn", "--plot", "shape.svg", cwd=tmp_path)
    assert (outcome.code, "nothing to draw" in outcome.error) == (2, True)


# -- the picture


def numbers(**lengths: Sequence[int]) -> dict[str, dict[str, np.ndarray]]:
    return {split: {"length": np.asarray(values)} for split, values in lengths.items()}


def elements(splits: Splits, path: Path, tag: str) -> list[ElementTree.Element]:
    """Those of this tag in the picture."""
    plot_distributions("title", splits, path)
    return list(ElementTree.parse(path).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def bars(splits: Splits, path: Path) -> int:
    """How many bars the picture has."""
    return sum(drawn.get("aria-roledescription") == "bar" for drawn in elements(splits, path, "path"))


def test_more_than_sixty_lengths_are_put_into_bins(tmp_path: Path) -> None:
    assert bars(numbers(test=range(60)), tmp_path / "few.svg") == 60
    assert 15 <= bars(numbers(test=range(0, 1000, 2)), tmp_path / "many.svg") <= 30


def test_splits_of_unlike_lengths_have_axes_of_their_own(tmp_path: Path) -> None:
    def titles(*, train: int, test: int) -> list[str]:
        splits = numbers(train=range(train), test=range(train, test))
        texts = elements(splits, tmp_path / "picture.svg", "text")
        return ["".join(text.itertext()) for text in texts]

    assert titles(train=30, test=960).count("length of the string") == 2
    assert titles(train=50, test=100).count("length of the string") == 1


def test_strings_of_one_length_are_drawn(tmp_path: Path) -> None:
    assert bars(numbers(test=[10] * 5), tmp_path / "picture.svg") == 1
