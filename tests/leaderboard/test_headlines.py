"""Boards, comparisons and pictures of tasks whose headline is not the share of strings that are right."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.synthetic_results import strings, write_result
from marnn_bench.cli import main
from marnn_bench.examples import LanguageModellingExamples, RecognitionExamples

LM = "dyck2--lm"
HEADLINES = {
    "anbn": "solved_sizes",
    "sequence-reversal": "sequence_accuracy",
    "string-reversal": "sequence_accuracy",
    "hom-palindrome--recognition": "balanced_accuracy",
    LM: "excess_cross_entropy",
}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def data(*arguments: object) -> Any:
    done = run(*arguments, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout, parse_constant=pytest.fail)


@pytest.mark.parametrize("task", HEADLINES)
def test_results_of_every_view_are_shown_and_compared_by_their_headline(task: str, tmp_path: Path) -> None:
    rows = len(strings(task, "test", 60)[0])
    good, poor = np.ones((5, rows), bool), np.arange(rows) < rows // 3 + np.arange(5)[:, None]
    a, b = write_result(tmp_path / "a", good, task=task), write_result(tmp_path / "b", poor, task=task)
    (board,) = data("leaderboard", "show", a, b)
    of_a, of_b = (row[HEADLINES[task]] for row in board["ours"])
    assert of_a["min"] == of_a["max"] == pytest.approx(0.0 if task == LM else 1.0, abs=1e-12)
    compared = data("compare", a, b)
    assert (compared["metric"], compared["verdict"]) == (HEADLINES[task], "A is better")
    assert compared["difference"]["value"] == pytest.approx(of_b["mean"] - of_a["mean"])
    assert data("compare", b, a)["verdict"] == "B is better"
    assert run("compare", a, b, "--fail-if-worse").exit_code == 1
    assert run("compare", b, a, "--fail-if-worse").exit_code == 0


def test_a_size_is_solved_if_all_of_its_strings_are_right(tmp_path: Path) -> None:
    """a^n b^n has one string of each of the sizes 1 to 60."""
    (board,) = data("leaderboard", "show", write_result(tmp_path / "a", np.arange(60) < 45, task="anbn"))
    assert board["ours"][0]["solved_sizes"]["mean"] == 45 / 60
    assert "share of n solved over runs, in percent" in run("leaderboard", "show", tmp_path / "a").stdout


def test_a_rare_class_counts_as_much_as_the_other(tmp_path: Path) -> None:
    task = "hom-palindrome--recognition"
    examples, _ = strings(task, "test", 61)
    assert isinstance(examples, RecognitionExamples)
    assert 0 < examples.label.sum() < 61
    result = write_result(tmp_path / "a", examples.label, task=task)  # it says yes to every string
    (board,) = data("leaderboard", "show", result)
    assert board["ours"][0]["balanced_accuracy"]["mean"] == pytest.approx(0.5)
    assert board["trivial"]["always no"] == pytest.approx(0.5)


def test_nats_are_not_percent_and_less_is_better(tmp_path: Path) -> None:
    examples, _ = strings(LM, "test", 60)
    assert isinstance(examples, LanguageModellingExamples)
    right = np.arange(60) % 2 == 0
    exact, worse = (
        write_result(tmp_path / name, answered, task=LM)
        for name, answered in (("a", right | True), ("b", right))
    )
    tokens = examples.strings.lengths + 1
    excess = tokens[~right].sum() / tokens.sum()  # a nat for each symbol of every other string
    found = data("compare", exact, worse)
    assert found["difference"]["value"] == pytest.approx(excess)
    assert found["difference"]["mcnemar"] is None
    text = run("compare", exact, worse).stdout.replace(str(tmp_path), "")
    assert f"B - A: {excess:+.4f} nats a symbol, of which less is better, 95 % interval [+" in text
    assert "points" not in text and "percent" not in text
    assert "A is significantly better than B (the interval leaves out zero)" in text
    shown = run("leaderboard", "show", exact, worse).stdout.replace(str(tmp_path), "")
    assert "excess cross-entropy over runs, in nats a symbol" in shown and "percent" not in shown
    assert "solved" not in shown and "%" not in shown


def test_nats_are_drawn_as_nats(tmp_path: Path) -> None:
    """A nat a symbol more than the law costs."""
    pytest.importorskip("vl_convert")
    result = write_result(tmp_path / "a", np.zeros((1, 60)), task=LM)
    drawn = run("leaderboard", "show", result, "--plot", tmp_path / "picture.svg")
    assert drawn.exit_code == 0, drawn.output
    picture = (tmp_path / "picture.svg").read_text()
    assert "excess, nats a symbol" in picture
    assert "mean: 1.00" in picture


@pytest.mark.parametrize("task", ["anbn", "hom-palindrome--recognition"])
def test_strings_that_are_right_are_drawn_whatever_the_headline(task: str, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    result = write_result(tmp_path / "a", np.ones((2, 60)), task=task)
    drawn = run("leaderboard", "show", result, "--plot", tmp_path / "picture.svg")
    assert drawn.exit_code == 0, drawn.output
    picture = (tmp_path / "picture.svg").read_text()
    assert "strings right, %" in picture
    assert "best trivial answer" not in picture  # which is of another metric
