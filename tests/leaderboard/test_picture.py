"""The picture of accuracy by length."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.synthetic_results import write_result
from marnn_bench.cli import main

pytest.importorskip("altair")
pytest.importorskip("vl_convert")

SHORT = 2 + 2 * (np.arange(200) % 25)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A baseline of three runs on both splits, and a single run of another model."""
    base, random = tmp_path_factory.mktemp("results"), np.random.default_rng(2)
    return [
        str(write_result(base / "test", random.random((3, 200)) < 0.7, model="stack-rnn")),
        str(
            write_result(
                base / "train", random.random((3, 200)) < 0.9, model="stack-rnn", split="train", lengths=SHORT
            )
        ),
        str(write_result(base / "mine", random.random((1, 200)) < 0.2, model="mine")),
    ]


def draw(results: list[str], path: Path) -> bytes:
    done = CliRunner().invoke(main, ["leaderboard", "show", *results, "--plot", str(path)])
    assert done.exit_code == 0, done.output
    assert f"{path} written" in done.stderr
    return path.read_bytes()


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG"), ("pdf", b"%PDF-"), ("svg", b"<svg"), ("html", b"<!DOCTYPE")]
)
def test_the_name_decides_the_format(suffix: str, magic: bytes, results: list[str], tmp_path: Path) -> None:
    assert draw(results[:1], tmp_path / f"picture.{suffix}").lstrip()[: len(magic)] == magic


def test_the_picture_says_what_it_shows(results: list[str], tmp_path: Path) -> None:
    root = ElementTree.fromstring(draw(results, tmp_path / "picture.svg"))
    texts = {"".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")}
    assert "dyck2 1.0, train and test: accuracy by length" in texts
    assert {
        "stack-rnn",
        "mine",
        "training lengths 2-50",
        "length of the string",
        "sequence accuracy, %",
    } <= texts
    assert any("counter 1.24 % (test)" in text for text in texts)


def test_the_page_needs_no_network(results: list[str], tmp_path: Path) -> None:
    page = draw(results, tmp_path / "picture.html").decode()
    assert not re.search(r"<script[^>]+src=|<link\b|\bimport\s*\(?['\"]https?:", page)
    assert "vegaEmbed" in page
    assert '"length": 52' in page or '"length":52' in page
