"""How often a difference is shown where there is none, by simulation, and what is shown where there is one."""

from collections.abc import Callable

import numpy as np
import pytest

from marnn_bench.leaderboard.difference import Difference
from marnn_bench.scoring.metrics import wilson

Draw = Callable[[np.random.Generator, int], np.ndarray]
"""The log odds of so many runs."""

DIFFICULTY, PREFERENCE = 1.5, 1.0
"""Standard deviations, in log odds, of strings and of how a model answers one string beyond that."""

MOST_FALSE = 0.07


def alike(log_odds: float, deviation: float) -> Draw:
    """Runs that vary around one accuracy."""
    return lambda random, runs: log_odds + deviation * random.standard_normal(runs)


def solving(share: float) -> Draw:
    """Runs of which so many solve the task; the others hardly ever answer right."""
    return lambda random, runs: (
        np.where(random.random(runs) < share, 7.0, -5.0) + 0.5 * random.standard_normal(runs)
    )


def answers(
    random: np.random.Generator, draw: Draw, runs: int, difficulty: np.ndarray, preference: float
) -> np.ndarray:
    """Which strings of these difficulties each run has right: [runs, rows]."""
    strings = difficulty + preference * random.standard_normal(len(difficulty))
    chance = 1 / (1 + np.exp(-draw(random, runs)[:, None] - strings))
    return random.random(chance.shape) < chance


def false_findings(
    draws: tuple[Draw, Draw], sizes: tuple[int, int], rows: int, trials: int, preference: float = PREFERENCE
) -> int:
    """In how many of so many trials two models differ that are equally good."""
    random = np.random.default_rng([*sizes, rows])
    found = 0
    for _ in range(trials):
        difficulty = DIFFICULTY * random.standard_normal(rows)
        a, b = (
            answers(random, draw, size, difficulty, preference)
            for draw, size in zip(draws, sizes, strict=True)
        )
        found += Difference.between(a, b).shown
    return found


def assert_level(found: int, trials: int) -> None:
    """What was found leaves little doubt that at most 7 % are: the upper end of its interval is below that."""
    assert wilson(found, trials)[1] <= MOST_FALSE


POPULATIONS = {
    "alike": alike(0, 0.7),
    "the same": alike(0, 0),
    "spread wide": alike(0, 3),
    "near one": alike(5, 1),
    "near zero": alike(-5, 1),
    "always right": alike(50, 0),
    "half solve": solving(0.5),
    "most solve": solving(0.7),
    "nearly all solve": solving(0.9),
    "few solve": solving(0.1),
}

UNEQUAL = {
    "unlike and alike": (alike(0, 1.5), alike(0, 0.1)),
    "spread wide and alike": (alike(0, 3), alike(0, 0.3)),
    "spread wide and near together": (alike(0, 3), alike(0, 1)),
    "half solve and alike": (solving(0.5), alike(0, 1)),
}
"""Models of equal mean accuracy whose runs vary differently."""


@pytest.mark.parametrize("name", ["alike", "spread wide", "near one", "half solve", "nearly all solve"])
@pytest.mark.parametrize("sizes", [(5, 5), (5, 10)], ids=lambda sizes: f"{sizes[0]}v{sizes[1]}")
def test_trainings_of_one_population_seldom_differ(name: str, sizes: tuple[int, int]) -> None:
    draw, trials = POPULATIONS[name], 1_500
    assert_level(false_findings((draw, draw), sizes, 100, trials), trials)


SWEEP = [((5, 5), 20), ((5, 5), 500), ((5, 10), 100), ((10, 10), 100), ((5, 100), 50), ((30, 30), 50)]
"""Runs of either model, and strings."""


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "rows"), SWEEP)
@pytest.mark.parametrize("name", POPULATIONS)
def test_trainings_of_one_population_seldom_differ_in_any_number(
    name: str, sizes: tuple[int, int], rows: int
) -> None:
    draw, trials = POPULATIONS[name], 1_500
    assert_level(false_findings((draw, draw), sizes, rows, trials), trials)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(5, 5), (5, 10), (10, 5), (5, 100)])
@pytest.mark.parametrize("name", UNEQUAL)
def test_trainings_that_are_equally_good_and_vary_unequally_seldom_differ(
    name: str, sizes: tuple[int, int]
) -> None:
    trials = 3_000
    assert false_findings(UNEQUAL[name], sizes, 100, trials) <= MOST_FALSE * trials


@pytest.mark.parametrize("log_odds", [0, 3])
@pytest.mark.parametrize("rows", [20, 400])
def test_single_runs_that_are_equally_good_seldom_differ(log_odds: float, rows: int) -> None:
    draw, trials = alike(log_odds, 0), 3_000
    assert_level(false_findings((draw, draw), (1, 1), rows, trials), trials)


@pytest.mark.parametrize("rows", [20, 100, 400])
def test_single_runs_with_answers_right_in_part_seldom_differ(rows: int) -> None:
    """Without McNemar's test the interval decides: shares of right positions, mostly 1."""
    random, trials = np.random.default_rng(rows), 3_000
    found = 0
    for _ in range(trials):
        a, b = (np.minimum(1, random.beta(4, 2, (1, rows)) + 0.2) for _ in range(2))
        found += Difference.between(a, b).shown
    assert_level(found, trials)


@pytest.mark.parametrize("sizes", [(1, 2), (1, 10), (4, 4), (4, 100), (2, 1)])
def test_too_few_runs_allow_no_verdict(sizes: tuple[int, int]) -> None:
    """However far apart they are."""
    a, b = np.ones((sizes[0], 200), bool), np.zeros((sizes[1], 200), bool)
    for difference in (Difference.between(a, b), Difference.between(b, a)):
        assert abs(difference.value) == 1
        assert (difference.decided, difference.shown, difference.interval) == (False, False, None)


def test_one_string_more_in_every_run_is_no_difference() -> None:
    """Runs that do not vary: the permutation test alone would find it, since all runs of B are better than all of A."""
    a, b = np.ones((5, 400), bool), np.ones((5, 400), bool)
    a[:, 0] = False
    difference = Difference.between(a, b)
    assert difference.permutation_p == pytest.approx(2 / 252)
    assert not difference.shown


def test_five_solved_runs_beside_a_hundred_that_mostly_are_is_no_difference() -> None:
    """All of five and 90 of 100: the interval alone would find it, though five runs of the hundred often all solve it."""
    a, b = np.ones((5, 400), bool), np.repeat(np.arange(100) < 90, 400).reshape(100, 400)
    difference = Difference.between(a, b)
    assert difference.excludes_zero
    assert difference.permutation_p is not None
    assert difference.permutation_p > 0.9
    assert not difference.shown


def test_a_difference_that_is_there_is_found() -> None:
    """With five runs in most cases, with thirty always; ten of a model that solves one time in five and nine in ten."""
    for draws, sizes, least in (
        ((alike(0, 0.3), alike(1.5, 0.3)), (5, 5), 0.95),
        ((solving(0.2), solving(0.9)), (10, 10), 0.85),
        ((alike(0, 0.7), alike(1, 0.7)), (30, 30), 0.99),
    ):
        assert false_findings(draws, sizes, 300, 60, preference=0) >= least * 60
