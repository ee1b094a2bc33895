"""The dataset card: what it tells the Hub, and what a reader can do with it alone."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from marnn_bench.store.write import generate
from marnn_bench.tasks.registry import find_task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task of every view."""
    out = tmp_path_factory.mktemp("card") / "d"
    for name in ("dyck2", "string-reversal", "sequence-copy", "memorization"):
        generate(find_task(name).with_splits({"train": 20}), out)
    generate(find_task("anbn-recognition"), out)
    return out


def test_the_hub_is_told_what_kind_of_data_it_is(folder: Path) -> None:
    front = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
    assert front["task_categories"] == ["text-classification", "text-generation", "token-classification"]
    assert (front["annotations_creators"], front["source_datasets"]) == (["machine-generated"], ["original"])
    assert front["size_categories"] == ["10K<n<100K"]
    assert "language" not in front  # its codes are of natural languages


def test_the_card_has_a_row_of_every_task(folder: Path) -> None:
    """In the order of their names; in recognition a member and another string."""
    _, card = (folder / "README.md").read_text().split("\n## Tasks\n")
    rows = [
        json.loads(line)
        for block in re.findall(r"```json\n(.*?)```", card, re.DOTALL)
        for line in block.splitlines()
    ]
    assert [set(row) & {"next", "target", "label"} for row in rows] == [
        {"label"},
        {"label"},
        {"next"},
        {"next"},
        {"target"},
        {"target"},
    ]
    assert {row["label"] for row in rows if "label" in row} == {True, False}


def test_the_lines_that_decode_masks_are_right(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, lines = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    found: dict[str, Any] = {}
    monkeypatch.chdir(folder)
    exec(lines, found)  # noqa: S102
    task, text = find_task("dyck2"), found["table"]["input"][0].as_py()
    shown = task.language.show_next(text).split()
    assert found["sets"] == [set(answer.split("/")) - {"END"} for answer in shown]
    assert [{*np.array(task.columns)[row == 1]} for row in found["k_hot"]] == found["sets"]


def test_the_lines_that_load_the_data_are_right(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By datasets, pandas, polars and duckdb, which find the same."""
    lines, _ = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text(), re.DOTALL)
    found: dict[str, Any] = {}
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    exec(lines, found)  # noqa: S102
    inputs = [*found["frame"]["input"]]
    assert inputs == found["faster"]["input"].to_list() == found["everything"]["train"]["input"][:]
    lengths = [len(text.split()) for text in inputs]
    assert found["counts"] == sorted(Counter(lengths).items())


def test_the_card_cites_the_papers_of_its_tasks_and_no_other(folder: Path) -> None:
    card = (folder / "README.md").read_text()
    keys = set(re.findall(r"^@\w+{([\w-]+),$", card, re.MULTILINE))
    assert keys == {"marnn-bench", "suzgun2019", "joulin2015", "grefenstette2015", "mali2019"}
    assert "https://arxiv.org/abs/1503.01007" in card


def test_the_card_says_lengths_beside_windows(folder: Path) -> None:
    assert "| 1:60 | 32-60 |" in (folder / "README.md").read_text()
