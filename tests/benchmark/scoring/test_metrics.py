"""The numbers of a result: exact where they can be counted, and compared with scipy and theory where they cannot."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from marnn_bench.examples import Examples
from marnn_bench.generators.strings import Strings, offsets_of
from marnn_bench.scoring.metrics import (
    Correctness,
    Scorer,
    longest_solved,
    position_intervals,
    summary,
    wilson,
)
from marnn_bench.scoring.trivial import best_constant_set, best_set_by_last_symbol, counter, trivial_scores
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import NextSymbol


def examples_of(task: Task, texts: list[str]) -> Examples:
    """These strings with their right answers."""
    strings = Strings.from_texts(task.language.alphabet, texts)
    return Examples(task, "test", strings, task.view.answers(task.language, strings), "d" * 64)


def drawn(task: Task, split: str, rows: int) -> Examples:
    """The first draws of a split."""
    law, window = task.law(split), task.split(split).window
    strings = law.draw(window, task.key(split), np.arange(rows, dtype=np.uint64))
    return Examples(task, split, strings, task.view.answers(task.language, strings), "d" * 64)


DYCK1, DYCK2 = find_task("dyck1"), find_task("dyck2")


@given(st.lists(st.lists(st.booleans(), max_size=6), min_size=1, max_size=20))
def test_marks_are_what_a_loop_over_strings_finds(rows: list[list[bool]]) -> None:
    flat = np.array([right for row in rows for right in row], np.bool_)
    strings = Strings(np.zeros(len(flat), np.uint8), offsets_of(np.array([len(row) for row in rows])))
    correctness = Correctness.of(strings, flat.astype(np.uint64), np.ones(len(flat), np.uint64))
    assert correctness.counts.tolist() == [sum(row) for row in rows]
    assert correctness.correct.tolist() == [all(row) for row in rows]
    assert correctness.first_error.tolist() == [row.index(False) if False in row else -1 for row in rows]


@pytest.mark.parametrize(
    ("correct", "n"), [(0, 1), (1, 1), (0, 5000), (5000, 5000), (98, 100), (3, 10), (4931, 5000)]
)
def test_wilson_interval_is_scipys(correct: int, n: int) -> None:
    expected = binomtest(correct, n).proportion_ci(method="wilson")
    assert wilson(correct, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_interval_as_published() -> None:
    """Newcombe 1998, Statistics in Medicine 17, Table I, method 3 (score, no continuity correction)."""
    table = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (correct, n), interval in table.items():
        assert wilson(correct, n) == pytest.approx(interval, abs=5e-5)


def clustered(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Right answers and lengths of n strings whose answers go wrong together: some all the way, some half of it."""
    random = np.random.default_rng(seed)
    lengths = random.integers(52, 101, n)
    return np.where(random.random(n) < 0.3, lengths // 2, lengths), lengths


def test_bootstrap_agrees_with_the_standard_error_of_a_ratio() -> None:
    """Cochran 1977, equation 6.13: the variance of a ratio estimated from clusters."""
    counts, lengths = clustered(5_000, seed=1)
    ((lower, upper),) = position_intervals(counts[:, None], lengths, "digest")
    ratio = counts.sum() / lengths.sum()
    error = (
        np.sqrt(((counts - ratio * lengths) ** 2).sum() / len(lengths) / (len(lengths) - 1)) / lengths.mean()
    )
    assert (lower + upper) / 2 == pytest.approx(ratio, abs=0.2 * error)
    assert (upper - lower) / (2 * 1.96 * error) == pytest.approx(1, abs=0.1)


def test_bootstrap_covers_the_truth_about_as_often_as_it_says() -> None:
    whole_counts, whole_lengths = clustered(400_000, seed=2)
    truth = whole_counts.sum() / whole_lengths.sum()
    samples = [clustered(200, seed) for seed in range(100, 300)]
    intervals = [position_intervals(c[:, None], n, str(i))[0] for i, (c, n) in enumerate(samples)]
    covered = sum(lower <= truth <= upper for lower, upper in intervals)
    assert 180 <= covered <= 199


def test_bootstrap_depends_on_the_data_alone() -> None:
    counts, lengths = clustered(500, seed=3)
    both = position_intervals(np.stack([counts, lengths], axis=1), lengths, "a")
    alone = position_intervals(counts[:, None], lengths, "a")
    assert both[0].tolist() == alone[0].tolist() and both[1].tolist() == [1, 1]
    assert position_intervals(counts[:, None], lengths, "b")[0].tolist() != alone[0].tolist()


def test_bootstrap_of_5000_strings_is_quick() -> None:
    counts, lengths = clustered(5_000, seed=4)
    started = time.process_time()
    position_intervals(counts[:, None], lengths, "digest")
    assert time.process_time() - started < 0.5  # 0.02 s by itself


def test_scores_of_four_strings() -> None:
    examples = examples_of(DYCK1, ["( )", "( ( ) )", "( ) ( )", "( ( ( ) ) )"])
    predicted = examples.answers.copy()
    predicted[[4, 13, 15]] ^= np.uint64(
        1
    )  # the third symbol of the second string, the fourth and last of the fourth
    correctness = Correctness.of(examples.strings, examples.answers, predicted)
    score = Scorer(examples).score(correctness, (0.7, 0.9))

    def cells(name: str, by: str) -> list[tuple[int, int, int]]:
        return [(cell[by], cell["n"], cell["correct"]) for cell in score[name]]

    assert score["sequence_accuracy"]["value"] == 0.5
    assert score["position_accuracy"]["value"] == 13 / 16
    assert cells("by_length", "length") == [(2, 1, 1), (4, 2, 1), (6, 1, 0)]
    assert cells("by_depth", "depth") == [(1, 2, 2), (2, 1, 0), (3, 1, 0)]
    assert cells("positions_by_depth", "depth") == [(0, 5, 4), (1, 7, 6), (2, 3, 2), (3, 1, 1)]
    assert score["first_error"] == {"strings": 2, "median": 2}
    assert score["longest_solved"] == 2


def test_longest_solved_ends_at_the_first_length_that_is_not() -> None:
    def cells(*values: float) -> list[dict[str, float]]:
        return [{"length": 10 + i, "value": value} for i, value in enumerate(values)]

    assert longest_solved(cells(1, 0.99, 0.98, 1)) == 11
    assert longest_solved(cells(0.9, 1)) is None
    assert longest_solved(cells(1, 1)) == 11


def test_summary_over_runs() -> None:
    runs = [
        {"sequence_accuracy": {"value": v}, "position_accuracy": {"value": 1.0}}
        for v in (1.0, 0.99, 0.5, 0.0)
    ]
    found = summary(runs)
    assert found["sequence_accuracy"] == {"min": 0.0, "max": 1.0, "median": 0.745, "mean": 0.6225}
    assert (found["solved"]["runs"], found["solved"]["share"]) == (2, 0.5)


@pytest.mark.parametrize("name", ["dyck1", "dyck2", "dyck6", "hom-palindrome", "string-reversal"])
def test_no_constant_and_no_table_by_last_symbol_does_better_on_train(name: str) -> None:
    """The trivial answers are the best of their kind: no set is right more often, overall and after each symbol."""
    train = drawn(find_task(name), "train", 300)
    sets = np.unique(train.answers)
    best = (best_constant_set(train, train) == train.answers).sum()
    assert best == max((train.answers == one).sum() for one in sets)
    by_symbol = best_set_by_last_symbol(train, train) == train.answers
    for symbol in np.unique(train.strings.ids):
        here = train.strings.ids == symbol
        assert by_symbol[here].sum() == max((train.answers[here] == one).sum() for one in sets)


def test_a_symbol_that_train_does_not_have_gets_the_constant() -> None:
    train, test = examples_of(DYCK2, ["( )", "( ( ) )"]), examples_of(DYCK2, ["[ ]"])
    assert best_set_by_last_symbol(train, test).tolist() == best_constant_set(train, test).tolist()


def test_a_counter_solves_one_kind_of_bracket_and_no_more() -> None:
    scores = [
        {
            answer["name"]: answer
            for answer in trivial_scores(drawn(task, "train", 200), drawn(task, "test", 200))
        }
        for task in (DYCK1, DYCK2)
    ]
    assert scores[0]["counter"]["sequence_accuracy"] == scores[0]["counter"]["position_accuracy"] == 1.0
    assert 0 < scores[1]["counter"]["position_accuracy"] < 1
    assert "counter" not in {
        a["name"] for a in trivial_scores(*[drawn(find_task("hom-palindrome"), "train", 50)] * 2)
    }


def test_what_a_counter_answers() -> None:
    examples = examples_of(DYCK2, ["( [ ] )", "[ ( ( ) ) ]"])
    shown = [DYCK2.language.alphabet.show(int(mask)) for mask in counter(examples)]
    assert shown == ["(/)/[", "(/)/[/]", "(/)/[", "(/[", "(/[/]", *["(/)/[/]"] * 3, "(/[/]", "(/["]


def test_a_counter_answers_end_when_all_is_closed() -> None:
    with_end = Task(
        "dyck2-end",
        "1.0",
        DYCK2.language,
        NextSymbol(end=True),
        DYCK2.splits,
        "deterministic context-free",
        "",
        "",
    )
    examples = examples_of(with_end, ["( ) [ ]"])
    assert (counter(examples) >> np.uint64(4)).tolist() == [0, 1, 0, 1]
    assert trivial_scores(examples, examples)[-1]["sequence_accuracy"] == 1.0
