"""Entries, their scores, and the places that noise allows them."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.paths import ROOT
from helpers.synthetic_results import write_result
from marnn_bench.cli import main
from marnn_bench.leaderboard.standings.entries import Cell, Entry, Measured, Standing
from marnn_bench.leaderboard.standings.groups import groups
from marnn_bench.leaderboard.standings.rankings import rank
from marnn_bench.leaderboard.standings.ranks import rank_intervals
from marnn_bench.leaderboard.standings.scores import score_of
from marnn_bench.leaderboard.standings.tables import score_said
from marnn_bench.leaderboard.statistics import Interval
from marnn_bench.tasks.registry import find_task


def cell(task: str, values: Any, trivial: float = 0.0, width: float = 0.0, **changes: Any) -> Cell:
    """A result with these values of its headline."""
    found = np.asarray(values, float)
    asked = find_task(task)
    measured = Measured(found, found - width, found + width, {"some": trivial})
    made = Cell(
        task, asked.default_split, "0" * 64, asked.headline, {asked.headline: measured}, len(found), (), 0, (),
        Path("nowhere"), {"model": {"training": None}},
    )  # fmt: skip
    return replace(made, **changes)


def entry(name: str, *cells: Cell, standing: Standing = Standing.RETRAINED) -> Entry:
    return Entry(name, standing, {it.task: it for it in cells})


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


TWO = groups(["dyck2", "tomita5"], ["overall"])[0]


def test_a_score_is_the_mean_over_tasks_of_what_lies_above_the_best_trivial_answer() -> None:
    cells = cell("dyck2", [0.5, 1.0], 0.5), cell("tomita5", [0.4, 0.6], 0.2)
    assert score_of(entry("a", *cells), cells).mean == pytest.approx(((0 + 1) / 2 + (0.25 + 0.5) / 2) / 2)


def test_a_task_that_a_trivial_answer_solves_scores_zero_and_the_table_says_so() -> None:
    ranking = rank([entry("a", cell("dyck2", [1.0] * 5, 1.0))], groups(["dyck2"], ["task"])[0])
    assert ranking.lines[0].whole and ranking.lines[0].whole.value == 0
    assert "By whole strings a trivial answer is perfect, so that all score 0: dyck2." in ranking.remarks


def test_nats_score_one_for_the_law_itself_and_zero_for_what_a_trivial_answer_loses() -> None:
    task = "dyck2--lm"
    of_nats = replace(cell(task, [0.0, 0.3, np.inf], 0.3).whole, lower_is_better=True)
    asked = replace(cell(task, [0.0] * 3), metrics={"excess_cross_entropy": of_nats})
    assert score_of(entry("a", asked), [asked]).mean == pytest.approx(1 / 3)


def test_the_interval_covers_the_mean_of_the_runs_law_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    inside = 0
    for trial in range(300):
        found = cell("dyck2", rng.beta(2, 2, 20))
        interval = score_of(entry(f"trial {trial}", found), [found]).interval
        inside += interval.lower <= 0.5 <= interval.upper
    assert 0.90 <= inside / 300 <= 0.98


def test_strings_widen_the_interval_of_a_single_run() -> None:
    narrow, wide = (cell("dyck2", [0.5], width=width) for width in (0.0, 0.1))
    assert score_of(entry("a", narrow), [narrow]).interval.upper == 0.5
    found = score_of(entry("a", wide), [wide]).interval
    assert found.lower == pytest.approx(0.4, abs=0.01) and found.upper == pytest.approx(0.6, abs=0.01)


def test_true_ranks_lie_in_their_intervals_at_once_in_95_of_100() -> None:
    """Eight entries of which six are equal: each draw, one of them says whether its true places are in its interval."""
    rng = np.random.default_rng(2)
    truth = np.array([0.9, *[0.5] * 6, 0.1])
    right = 0
    for _ in range(200):
        means = truth + rng.normal(0, 0.05, 8)
        first, last = rank_intervals(means, means + rng.normal(0, 0.05, (1000, 8)))[3]
        right += first <= 2 and last >= 7
    assert right / 200 >= 0.9


def test_an_entry_apart_has_one_place_and_equal_ones_share_theirs() -> None:
    even = [0.5, 0.6, 0.7, 0.5, 0.6]
    entries = [
        entry("low", cell("dyck2", [0.1] * 5)),
        entry("b", cell("dyck2", even)),
        entry("a", cell("dyck2", even)),
        entry("top", cell("dyck2", [1.0] * 5)),
    ]
    lines = rank(entries, groups(["dyck2"], ["task"])[0]).lines
    assert [(line.entry.name, line.rank) for line in lines] == [
        ("top", (1, 1)), ("a", (2, 3)), ("b", (2, 3)), ("low", (4, 4)),
    ]  # fmt: skip


def test_another_entry_changes_nobodys_interval() -> None:
    one = entry("a", cell("dyck2", [0.1, 0.5, 0.9, 0.4, 0.3]))
    other = entry("b", cell("dyck2", [0.2] * 5))
    group = groups(["dyck2"], ["task"])[0]
    together = {line.entry.name: line.whole for line in rank([other, one], group).lines}
    assert together["a"] == rank([one], group).lines[0].whole


WELL = [0.9, 0.8, 0.95, 0.9, 0.85]
NOT_RANKED = {
    "claimed": (entry("x", cell("dyck2", WELL), cell("tomita5", WELL), standing=Standing.CLAIMED), "Not ranked: claimed."),
    "re-scored": (entry("x", cell("dyck2", WELL), cell("tomita5", WELL), standing=Standing.RESCORED), "Not ranked"),
    "incomplete": (entry("x", cell("dyck2", WELL)), "Incomplete"),
    "few runs": (entry("x", cell("dyck2", WELL), cell("tomita5", WELL[:4])), "Fewer than 5 runs"),
    "other strings": (
        entry("x", cell("dyck2", WELL), cell("tomita5", WELL, departures=("test rows 9",))),
        "left out: tomita5 (test rows 9)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("why", NOT_RANKED)
def test_what_is_not_ranked_is_shown_and_says_why(why: str) -> None:
    doubtful, said = NOT_RANKED[why]
    sound = entry("sound", cell("dyck2", WELL), cell("tomita5", WELL))
    lines = {line.entry.name: line for line in rank([doubtful, sound], TWO).lines}
    assert lines["sound"].rank == (1, 1) and lines["sound"].remarks == ()
    assert lines["x"].rank is None and lines["x"].whole is not None
    assert any(said in remark for remark in lines["x"].remarks)


def test_lost_strings_are_told() -> None:
    lossy = entry("x", cell("dyck2", WELL, lost=7))
    (line,) = rank([lossy], groups(["dyck2"], ["task"])[0]).lines
    assert line.remarks == ("Strings without an answer count as wrong: 7 of dyck2.",)


def test_published_rows_stand_only_beside_the_papers_own_strings() -> None:
    group = groups(["dyck2"], ["task"])[0]
    assert rank([entry("a", cell("dyck2", WELL))], group).published
    assert not rank([entry("a", cell("dyck2", WELL, departures=("test rows 9",)))], group).published


def test_a_folder_of_results_is_ranked_in_every_format(tmp_path: Path) -> None:
    for model, right in (("good", 60), ("poor", 5)):
        rows = np.arange(60) < right - np.arange(5)[:, None]
        write_result(tmp_path / model, rows, model=model)
    shown = {
        style: run("leaderboard", "show", "--results", tmp_path, "--task", "dyck2", "--format", style)
        for style in ("human", "json", "csv", "markdown", "latex")
    }
    assert {done.exit_code for done in shown.values()} == {0}, shown
    (only,) = json.loads(shown["json"].stdout)
    assert [line["entry"] for line in only["lines"]] == ["good", "poor"]
    assert only["lines"][0]["standing"] == "re-scored" and only["lines"][0]["rank"] is None
    assert "rows 60" in only["lines"][0]["remarks"][1]
    (first, *_) = csv.DictReader(io.StringIO(shown["csv"].stdout))
    assert (first["entry"], first["standing"]) == ("good", "re-scored")
    assert shown["markdown"].stdout.startswith("**Task dyck2 1.0, test**\n\n| rank")
    assert shown["latex"].stdout.startswith("% Task dyck2 1.0, test\n\n\\begin{tabular}")


def test_the_maintainers_ranking_fits_a_terminal_and_names_are_whole_in_documents() -> None:
    board = ("leaderboard", "show", "--results", ROOT / "leaderboard")
    assert max(map(len, run(*board).stdout.splitlines())) <= 80
    assert "| stack-rnn-joulin-mikolov |" in run(*board, "--format", "markdown").stdout


def test_scores_take_few_columns_whatever_they_are() -> None:
    ends = (0.0, 1e-9, 0.5, 1 - 1e-9, 1.0, -1e-15, 1 + 1e-15)
    said = {score_said(Interval(value, low, high)) for value in ends for low in ends for high in ends}
    one = r"(0|<1|50|>99|100)"
    assert all(re.fullmatch(rf"{one} \[{one}-{one}\]", text) and len(text) <= 14 for text in said)


def test_figures_without_samples_are_claims(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "a", np.ones((5, 60)))
    (folder / "samples.parquet").unlink()
    (found,) = json.loads(
        run("leaderboard", "show", "--results", tmp_path, "--by", "task", "--format", "json").stdout
    )
    assert [line["standing"] for line in found["lines"]] == ["claimed"]


def test_two_results_of_one_model_and_task_are_no_entry(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_result(tmp_path / name, np.ones((1, 60)))
    refused = run("leaderboard", "show", "--results", tmp_path)
    assert refused.exit_code == 2 and "an entry has one result of each" in refused.stderr
