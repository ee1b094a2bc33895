"""What a result says of its runs: strings and groups counted, how far they get, and their spread."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.answered import DYCK1, examples_of
from marnn_bench.generators.strings import offsets_of
from marnn_bench.scoring.intervals import wilson
from marnn_bench.scoring.metrics import Breakdown, Correctness, RunRecords, longest_solved, summary
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.scoring.sets import SetScorer


@given(st.lists(st.lists(st.booleans(), max_size=6), min_size=1, max_size=20))
def test_marks_are_what_a_loop_over_strings_finds(rows: list[list[bool]]) -> None:
    flat = np.array([right for row in rows for right in row], np.bool_)
    correctness = Correctness.of(flat, offsets_of(np.array([len(row) for row in rows])))
    assert correctness.correct.tolist() == [all(row) for row in rows]
    assert correctness.first_error.tolist() == [row.index(False) if False in row else -1 for row in rows]


def test_scores_of_four_strings() -> None:
    examples = examples_of(DYCK1, ["( )", "( ( ) )", "( ) ( )", "( ( ( ) ) )"])
    predicted = examples.answers.copy()
    predicted[[4, 13, 15]] ^= np.uint64(
        1
    )  # the third symbol of the second string, the fourth and last of the fourth
    predictions = Predictions.of(predicted, examples.strings.offsets)
    runs = RunRecords(SetScorer(examples), "d", (2, 4))
    runs.add(predictions)
    (score,) = runs.records()

    def cells(name: str, by: str) -> list[tuple[int, int, int]]:
        return [(cell[by], cell["n"], cell["correct"]) for cell in score[name]]

    assert score["metrics"]["sequence_accuracy"]["value"] == 0.5
    assert score["metrics"]["position_accuracy"]["value"] == 13 / 16
    assert cells("by_length", "length") == [(2, 1, 1), (4, 2, 1), (6, 1, 0)]
    assert cells("by_depth", "depth") == [(1, 2, 2), (2, 1, 0), (3, 1, 0)]
    assert cells("positions_by_depth", "depth") == [(0, 5, 4), (1, 7, 6), (2, 3, 2), (3, 1, 1)]
    assert score["first_error"] == {"strings": 2, "median": 2}
    assert score["longest_solved"] is None
    assert score["area_under_curve"] == pytest.approx((1 + 0.5 + 0) / 3)
    assert score["extrapolation_ratio"] == 0 / 0.75


def by_length(*counts: tuple[int, int]) -> list[dict[str, Any]]:
    """Cells of lengths 10, 11, ...: how many strings, and how many are right."""
    return [{"length": 10 + i, "n": n, "correct": correct} for i, (n, correct) in enumerate(counts)]


def test_longest_solved_needs_enough_strings_that_are_right_all_together() -> None:
    assert longest_solved(by_length((380, 380))) is None and longest_solved(by_length((381, 381))) == 10
    assert longest_solved(by_length((200, 200), (181, 181), (10, 0))) == 11
    assert (
        longest_solved(by_length((10, 9), (2_000, 2_000))) == 11
    )  # a short length with an error is made up for
    assert longest_solved(by_length((500, 0), (500, 500))) is None
    assert (
        longest_solved([{"length": 2, "n": 500, "value": 1.0}]) is None
    )  # what is no proportion is never solved


@given(st.lists(st.integers(1, 900).flatmap(lambda n: st.tuples(st.just(n), st.integers(n - 2, n).map(abs))), min_size=1, max_size=5))  # fmt: skip
def test_longest_solved_is_the_last_length_up_to_which_wilsons_lower_end_is_high(
    counts: list[tuple[int, int]],
) -> None:
    sums = np.cumsum(counts, axis=0).tolist()
    solved = [10 + i for i, (n, correct) in enumerate(sums) if correct <= n and wilson(correct, n)[0] >= 0.99]
    assert longest_solved(by_length(*counts)) == (solved[-1] if solved else None)


def test_cells_of_proportions_and_of_weighted_means() -> None:
    groups = np.array([3, 1, 3, 3])
    share = Breakdown("depth", groups, np.array([True, False, False, True])).cells()
    assert [(cell["depth"], cell["n"], cell["correct"]) for cell in share] == [(1, 1, 0), (3, 3, 2)]
    assert (share[1]["lower"], share[1]["upper"]) == wilson(2, 3)
    weights = np.array([2.0, 4.0, 1.0, 1.0])
    means = Breakdown("kind", groups, np.array([1.0, 2.0, 3.0, 4.0]), weights, ["", "b", "", "d"]).cells()
    assert means == [
        {"kind": "b", "n": 1, "value": 0.5, "weight": 4.0},
        {"kind": "d", "n": 3, "value": 2.0, "weight": 4.0},
    ]


def runs_of(*values: float | None, metric: str = "sequence_accuracy") -> list[dict[str, Any]]:
    return [{"metrics": {metric: {"value": value}, "other": {"value": 1.0}}} for value in values]


def test_summary_over_runs() -> None:
    found = summary(runs_of(1.0, 0.99, 0.5, 0.0), "sequence_accuracy")
    spread = found["metrics"]["sequence_accuracy"]
    assert spread == {"min": 0.0, "max": 1.0, "median": 0.745, "mean": 0.6225}
    assert (found["runs"], found["headline"]) == (4, "sequence_accuracy")
    lower, upper = wilson(2, 4)
    assert found["solved"] == {"threshold": 0.99, "runs": 2, "share": 0.5, "lower": lower, "upper": upper}
    assert "lower" not in summary(runs_of(1.0), "sequence_accuracy")["solved"]


def test_cross_entropy_is_never_solved_and_an_infinite_run_is_the_worst() -> None:
    found = summary(runs_of(0.3, None, 0.1, metric="excess_cross_entropy"), "excess_cross_entropy")
    assert "solved" not in found
    spread = {"min": 0.1, "max": None, "median": 0.3, "mean": None}
    assert found["metrics"]["excess_cross_entropy"] == spread


def test_a_median_between_a_finite_and_an_infinite_run_is_infinite() -> None:
    found = summary(runs_of(0.1, None, metric="cross_entropy"), "cross_entropy")
    assert found["metrics"]["cross_entropy"]["median"] is None
