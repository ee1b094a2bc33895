"""`marnn-bench report`: one page that needs nothing else, with all that a result says as text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.synthetic_results import read_record, write_record, write_result
from marnn_bench.cli import main


def report(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["report", *map(str, arguments)])


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base, random = tmp_path_factory.mktemp("results"), np.random.default_rng(1)
    for model, accuracy in (("stack-rnn", 0.9), ("lstm", 0.2)):
        for task in ("dyck2", "dyck2--recognition", "dyck2--lm"):
            write_result(base / f"{model}-{task}", random.random((3, 200)) < accuracy, model=model, task=task)
    write_result(base / "copy", random.random((1, 20)) < 0.5, model="copier", task="sequence-copy")
    return base


class Page(HTMLParser):
    """What a browser would fetch, and the words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data: str) -> None:
        self.words += data


def test_the_page_needs_nothing_else(results: Path, tmp_path: Path) -> None:
    done = report(results, "--out", tmp_path / "report.html")
    assert done.exit_code == 0, done.output
    text = (tmp_path / "report.html").read_text()
    page = Page(text)
    assert all(address.startswith(("#", "data:image/svg+xml;base64,")) for address in page.addresses)
    assert "script" not in page.tags
    assert not re.search(r"url\(|@import", text)


def test_it_says_what_was_measured_asked_and_wrong(results: Path, tmp_path: Path) -> None:
    report(results, "--out", tmp_path / "report.html")
    words = Page((tmp_path / "report.html").read_text()).words
    for folder in results.iterdir():
        record = read_record(folder)
        assert f"{record['model']['name']} on {record['task']['name']}" in words
        assert record["task"]["digest"] in words
        median = record["summary"]["metrics"][record["summary"]["headline"]]["median"]
        assert f"{median:.4f}" in words or median is None
    assert "the median one, has wrong" in words
    assert "no member (" in words
    assert "output symbol 1 is wrong or missing" in words


def test_names_are_text_whatever_they_hold(tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>"
    write_result(tmp_path / "result", np.ones(20), model=name)
    done = report(tmp_path / "result", "--out", tmp_path / "report.html")
    assert done.exit_code == 0, done.output
    page = Page((tmp_path / "report.html").read_text())
    assert name in page.words
    assert "x" not in page.addresses


def test_a_forged_figure_is_not_shown(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "result", np.zeros(20))
    record = read_record(folder)
    record["runs"][0]["metrics"]["sequence_accuracy"]["value"] = 1.0
    write_record(folder, record)
    done = report(folder, "--out", tmp_path / "report.html")
    assert (done.exit_code, (tmp_path / "report.html").exists()) == (5, False)


def test_a_file_that_is_there_stays(results: Path, tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("mine")
    assert report(results / "copy", "--out", tmp_path / "report.html").exit_code == 2
    assert (tmp_path / "report.html").read_text() == "mine"
    assert report(results / "copy", "--out", tmp_path / "report.html", "--overwrite").exit_code == 0
