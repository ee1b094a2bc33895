"""Models whose scores are probabilities: the threshold is the best there is on train, illegal mass is what it says."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.evaluations import run, run_object
from helpers.model_files import small_data, write_model
from helpers.oracles import next_symbol_oracle
from helpers.small_data import small
from marnn_bench.asking.thresholds import best_threshold
from marnn_bench.errors import UsageError
from marnn_bench.library.evaluate import evaluate
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task

SCORES = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.4, 0.55, 0.7, 1.0])
ANSWERED = st.tuples(st.lists(SCORES, min_size=3, max_size=3), st.integers(0, 7))
DYCK2 = find_task("dyck2")


def right_sets(scores: np.ndarray, answers: np.ndarray, threshold: float) -> int:
    """How many sets are right with a threshold."""
    return sum(
        {i for i, score in enumerate(row) if score >= threshold} == {i for i in range(3) if mask >> i & 1}
        for row, mask in zip(scores.tolist(), answers.tolist(), strict=True)
    )


@given(st.lists(ANSWERED, min_size=1, max_size=12))
def test_no_threshold_gives_more_right_sets(answered: list[tuple[list[float], int]]) -> None:
    """Of all: the number of right sets changes at scores only."""
    scores, answers = (np.array(values) for values in zip(*answered, strict=True))
    answers = answers.astype(np.uint64)
    ends = [0.0, *np.unique(scores).tolist(), 1.0]
    others = [*ends, *((a + b) / 2 for a, b in pairwise(ends))]
    best = max(right_sets(scores, answers, threshold) for threshold in others if threshold > 0)
    chosen = best_threshold(scores, answers)
    assert 0 < chosen <= 1
    assert right_sets(scores, answers, chosen) == best


def test_the_middle_of_the_best_range_is_chosen() -> None:
    """All thresholds in (0.2, 0.3] make both sets right."""
    assert best_threshold(np.array([[0.8, 0.2], [0.3, 0.7]]), np.array([1, 3], np.uint64)) == 0.25


def spread(illegal: float) -> Any:
    """A model that spreads its probability evenly over the legal symbols, but for a part, over the illegal ones."""
    right = next_symbol_oracle(DYCK2)

    def predict(prefix: tuple[str, ...]) -> dict[str, float]:
        legal = right.predict(prefix)
        others = set(DYCK2.columns) - legal
        return {
            symbol: (1 - illegal) / len(legal) if symbol in legal else illegal / len(others)
            for symbol in DYCK2.columns
        }

    return SimpleNamespace(predict=predict, scores="probabilities")


@pytest.mark.parametrize("illegal", [0.0, 0.125])
def test_illegal_mass_is_the_probability_that_is_put_on_symbols_that_cannot_come(illegal: float) -> None:
    found = evaluate(spread(illegal), small("dyck2"), rows=50)
    assert found.accuracy == found.position_accuracy == 1.0
    assert found.metric("illegal_mass") == pytest.approx(illegal)


def test_the_threshold_is_recorded_and_chosen_again_for_each_run(tmp_path: Any) -> None:
    """Probabilities of three or two legal symbols are above 0.3 in one run, above 0.15 in the other."""
    data = small_data(tmp_path / "data", "dyck2")
    file = write_model(
        tmp_path,
        """
        scores = "probabilities"
        def load(task):
            global share
            share = [0.3, 0.15][task.run]
        def predict(prefix):
            owed = []
            for symbol in prefix:
                owed.append(symbol) if symbol in "([" else owed.pop()
            legal = {"(", "["} | ({{"(": ")", "[": "]"}[owed[-1]]} if owed else set())
            return dict.fromkeys(legal, share) | {"(": 1 - share * (len(legal) - 1)}
        """,
    )
    result = run(file, data, tmp_path / "out", runs=2)
    assert [entry["metrics"]["sequence_accuracy"]["value"] for entry in result["runs"]] == [1, 1]
    assert result["protocol"]["thresholds"] == [0.15, 0.075]


def test_probabilities_need_a_train_split(tmp_path: Any) -> None:
    examples = read_split(small_data(tmp_path / "data", "dyck2"), "dyck2", "test").take(range(20))
    with pytest.raises(UsageError, match="whose threshold is chosen on train, which is not there"):
        run_object(spread(0.1), examples, tmp_path / "out")


def test_sigmoid_scores_have_no_threshold_of_their_own(tmp_path: Any) -> None:
    examples = read_split(small_data(tmp_path / "data", "dyck2"), "dyck2", "test").take(range(20))
    result = run_object(next_symbol_oracle(DYCK2), examples, tmp_path / "out")
    assert result["protocol"]["thresholds"] is None
    assert "illegal_mass" not in result["summary"]["metrics"]
