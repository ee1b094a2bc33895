"""Models of other packages, and of a user's file."""

import json
import os
import re
from pathlib import Path

import pytest

from helpers.command_line import marnn, succeed
from helpers.paths import ROOT
from marnn_bench.baselines import find_baseline
from marnn_bench.errors import UsageError

PAGE = (ROOT / "docs" / "models" / "your-own.md").read_text()
(GATED_UNIT,) = re.findall(r"```python\n# gated_unit\.py\n(.*?)```", PAGE, re.DOTALL)

PLUGIN = """
from marnn_bench.baselines import Baseline, Sizes
from marnn_bench.baselines.recipes import SUZGUN2019
import gated_unit

def build(symbols, columns, sizes):
    return gated_unit.cell(symbols, columns)

BASELINES = (Baseline({name!r}, SUZGUN2019, build, Sizes()),)
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A folder with a small dyck2."""
    folder = tmp_path_factory.mktemp("generated")
    succeed("generate", "--task", "dyck2", "--rows", "30", "--out", "data", cwd=folder)
    return folder / "data"


def install(folder: Path, package: str, baseline: str) -> dict[str, str]:
    """An installed package that offers a baseline: the environment in which it is found."""
    (folder / "gated_unit.py").write_text(GATED_UNIT)
    (folder / f"{package}.py").write_text(PLUGIN.format(name=baseline))
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[marnn_bench.baselines]\nany = {package}\n")
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))}


def test_a_model_of_a_file_is_trained_and_evaluated(tmp_path, data):
    """Also once the file is gone, from a folder that was moved."""
    (tmp_path / "gated_unit.py").write_text(GATED_UNIT)
    arguments = ("--task", "dyck2", "--data", data, "--runs", 2, "--out")
    said = succeed("train", "gated_unit.py", *arguments, "mine", cwd=tmp_path)
    assert "gated_unit on dyck2 1.0, 372 parameters a run" in said
    assert "not as in the paper" not in said
    training = json.loads((tmp_path / "mine" / "training.json").read_text())
    assert (training["paper"], training["published_row"]) == (None, None)
    (tmp_path / "gated_unit.py").unlink()
    (tmp_path / "mine").rename(tmp_path / "moved")
    succeed("eval", "moved", "--data", data, cwd=tmp_path)
    result = json.loads((tmp_path / "runs" / "gated_unit" / "dyck2" / "test" / "result.json").read_text())
    assert [run["run"] for run in result["runs"]] == [0, 1]
    assert "cell.py" in str(result["model"])
    succeed("train", "rnn", *arguments, "moved", "--overwrite", cwd=tmp_path)
    assert not (tmp_path / "moved" / "cell.py").exists()


def test_a_package_offers_a_model_under_a_name(tmp_path, data):
    found = install(tmp_path, "their_models", "gated-unit")
    listed = json.loads(succeed("baselines", "--format", "json", cwd=tmp_path, **found))
    assert listed[-1] == {
        "name": "gated-unit", "paper": None, "published_row": None, "hidden": None, "memory_width": None,
        "parameters": 372,
    }  # fmt: skip
    succeed(
        "train",
        "gated-unit",
        "--task",
        "dyck2",
        "--data",
        data,
        "--runs",
        1,
        "--out",
        "x",
        cwd=tmp_path,
        **found,
    )
    succeed("eval", "x", "--data", data, cwd=tmp_path, **found)


def test_a_name_that_is_taken_twice_is_refused(tmp_path):
    found = install(tmp_path, "their_models", "rnn")
    refused = marnn("baselines", cwd=tmp_path, **found)
    assert refused.error == "Two installed packages offer a baseline called rnn; uninstall one."


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "defines no cell\\(symbols, columns\\)"),
        ("cell = 5", "defines no cell\\(symbols, columns\\)"),
        ("import nothing_of_this_name", "cannot be imported \\(ModuleNotFoundError: .*nothing_of_this_name"),
        ("def cell(", "cannot be imported \\(SyntaxError"),
        ("recipe = 'adam'\ndef cell(s, c): ...", "The `recipe` of .* is not a Recipe"),
        ("def cell(s): ...", "cell\\(4, 4\\) of .* failed \\(TypeError"),
        ("def cell(s, c): return 5", "gave no Cell or torch.nn.Module but a int"),
    ],
)
def test_a_file_that_is_no_model_is_refused_in_one_line(tmp_path, content, message):
    (tmp_path / "mine.py").write_text(content)
    with pytest.raises(UsageError, match=message):
        find_baseline(str(tmp_path / "mine.py")).build(4, 4, None)


def test_a_file_may_postpone_its_annotations(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from __future__ import annotations\nfrom typing import ClassVar\n"
        + GATED_UNIT.replace("hidden: int = 8", "kind: ClassVar[str] = 'gated'\n    hidden: int = 8")
    )
    assert find_baseline(str(tmp_path / "mine.py")).build(4, 4, None).num_parameters == 372


def test_a_file_that_cannot_be_found_or_named_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"There is no .*mine\.py\. Give a Python file, or a name"):
        find_baseline(str(tmp_path / "mine.py"))
    (tmp_path / 'my "cell".py').write_text(GATED_UNIT)
    with pytest.raises(UsageError, match="letters, digits"):
        find_baseline(str(tmp_path / 'my "cell".py'))


def test_a_size_that_a_model_does_not_have_is_refused(tmp_path, data):
    (tmp_path / "gated_unit.py").write_text(GATED_UNIT)
    arguments = ("gated_unit.py", "--task", "dyck2", "--data", data, "--out", "x", "--hidden", 4)
    assert marnn("train", *arguments, cwd=tmp_path).error == (
        "gated_unit takes no hidden units; leave out --hidden."
    )
