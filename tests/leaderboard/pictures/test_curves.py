"""The picture of accuracy by length."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from helpers.synthetic_results import read_record, write_result
from marnn_bench.cli import main
from marnn_bench.commands.output import show_percent

pytest.importorskip("altair")
pytest.importorskip("vl_convert")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A baseline of three runs on both splits, and a single run of another model."""
    base, random = tmp_path_factory.mktemp("results"), np.random.default_rng(2)
    return [
        str(write_result(base / "test", random.random((3, 200)) < 0.7, model="stack-rnn")),
        str(write_result(base / "train", random.random((3, 200)) < 0.9, model="stack-rnn", split="train")),
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


def words(results: list[str], path: Path) -> set[str]:
    """The texts in the picture."""
    root = ElementTree.fromstring(draw(results, path))
    return {"".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")}


def test_the_picture_says_what_it_shows(results: list[str], tmp_path: Path) -> None:
    texts = words(results, tmp_path / "picture.svg")
    assert "dyck2 1.0, train and test: accuracy by length" in texts
    assert {
        "stack-rnn",
        "mine",
        "training lengths 2-50",
        "length of the string",
        "strings right, %",
    } <= texts
    for result in results[:2]:
        trivial = {
            it["name"]: it["metrics"]["sequence_accuracy"] for it in read_record(Path(result))["trivial"]
        }
        best = max(trivial, key=lambda name: trivial[name])
        assert f"best trivial answer: {best} {show_percent(trivial[best])} %" in texts


def test_models_that_have_nothing_right_share_a_label(results: list[str], tmp_path: Path) -> None:
    nothing = [
        str(write_result(tmp_path / name, np.zeros((2, 200)), model=name)) for name in ("rnn", "lstm", "gru")
    ]
    texts = words([*results[:1], *nothing], tmp_path / "picture.svg")
    assert "3 models at 0: rnn, lstm, gru" in texts
    assert {"stack-rnn"} == texts & {"stack-rnn", "rnn", "lstm", "gru"}
    assert {"rnn"} <= words([*results[:1], nothing[0]], tmp_path / "one.svg")


def test_the_mean_of_the_paper_is_drawn_beside_ours(tmp_path: Path) -> None:
    """Table 2 of Suzgun et al. 2019 prints 1.39 for the LSTM."""
    ours = write_result(tmp_path / "lstm", np.ones((2, 200)), model="lstm", published_row="Vanilla LSTM")
    assert "paper, Vanilla LSTM: 1.39 %" in words([str(ours)], tmp_path / "picture.svg")


def test_names_stand_beside_the_lines_unless_there_are_too_many(tmp_path: Path) -> None:
    def legends(models: int) -> int:
        right = np.ones((1, 200))
        found = [
            str(write_result(tmp_path / f"{models}-{i}", right, model=f"model-{i}")) for i in range(models)
        ]
        return draw(found, tmp_path / "picture.svg").count(b"role-legend-entry")

    assert legends(16) == 0
    assert legends(17) > 0


def test_training_lengths_are_lengths_where_windows_count_n(tmp_path: Path) -> None:
    """a^n b^n c^n d^n with n in 2-19."""
    mine = write_result(tmp_path / "mine", np.ones((1, 60)), task="anbncndn")
    assert "training lengths 8-76" in words([str(mine)], tmp_path / "picture.svg")


def test_the_page_needs_no_network(results: list[str], tmp_path: Path) -> None:
    page = draw(results, tmp_path / "picture.html").decode()
    assert not re.search(r"<script[^>]+src=|<link\b|\bimport\s*\(?['\"]https?:", page)
    assert "vegaEmbed" in page
    assert '"group": 52' in page or '"group":52' in page
