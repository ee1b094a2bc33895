"""Language-modelling tasks: their laws, bounds and next-symbol distributions against enumeration and a parser's sums."""

from collections import Counter
from functools import cache
from itertools import product
from math import isclose, log, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.brute_force import members, small_window
from helpers.frequencies import assert_drawn
from helpers.oracles import language_modelling_oracle, wrong_from
from marnn_bench.errors import UsageError
from marnn_bench.generators.alphabet import END
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window
from marnn_bench.language_modelling import as_language_modelling
from marnn_bench.store.columns import to_batch
from marnn_bench.store.content import contents
from marnn_bench.task import Task
from marnn_bench.tasks.registry import builtin_tasks, find_task, find_tasks
from marnn_bench.tasks.suites import CORE
from marnn_bench.views import LanguageModelling, NextSymbol

NEXT_SYMBOL = [name for name, task in builtin_tasks().items() if isinstance(task.view, NextSymbol)]
EXACT = [name for name in NEXT_SYMBOL if name != "dyck5"]
"""The laws of dyck5's tests choose among strings drawn before: these have no exact probabilities."""

every_exact = pytest.mark.parametrize("name", EXACT)
ROWS = 4_000


@cache
def narrow(name: str) -> Task:
    """The task with windows that can be enumerated, the same for all its splits, not from the smallest string on."""
    task = find_task(f"{name}--lm")
    chosen = small_window(task.language)
    return task.with_splits(dict.fromkeys(task.splits, ROWS), windows=dict.fromkeys(task.splits, chosen))


def probabilities(task: Task, split: str) -> tuple[Strings, np.ndarray]:
    """Every string of a split's window, and its probability."""
    window = task.split(split).window
    strings = members(task.language, window)
    return strings, np.exp(task.law(split).log_prob(strings, window))


# -- what the tasks are


@every_exact
def test_language_windows_and_laws_are_those_of_the_task(name: str) -> None:
    task, asked = find_task(name), find_task(f"{name}--lm")
    assert (asked.name, asked.language, asked.columns) == (
        f"{name}--lm",
        task.language,
        (*task.language.alphabet, END),
    )
    for split, wanted in task.splits.items():
        found = asked.split(split)
        assert (found.window, found.law, found.distinct) == (wanted.window, wanted.law, False)
        assert wanted.rows != "fresh" or found.rows == "fresh"


@pytest.mark.parametrize("name", [name for name in EXACT if name != "dyck1-short"])
def test_there_are_as_many_draws_as_the_split_has_rows(name: str) -> None:
    """Of tasks whose splits lose no string to an earlier one."""
    asked = contents(find_task(f"{name}--lm"))
    assert {split: len(content) for split, content in asked.items()} == {
        split: len(content) for split, content in contents(find_task(name)).items()
    }


def test_splits_that_lose_strings_to_an_earlier_one_lose_none_here() -> None:
    """All 2,054 well-nested strings of length 2 to 18 are asked of test_unseen, those of train, too."""
    counted = {name: len(content) for name, content in contents(find_task("dyck1-short--lm")).items()}
    everything = sum(find_task("dyck1").language.count(size) for size in range(2, 19))
    assert counted == {"train": 512, "test_unseen": everything, "test": everything}
    assert len(contents(find_task("dyck1-short"))["test_unseen"]) == everything - 512


def test_variants_are_found_by_name_and_listed_in_no_suite() -> None:
    assert [task.name for task in find_tasks(["dyck2--lm", "dyck2--lm"])] == ["dyck2--lm"]
    assert not any(task.name.endswith("--lm") for task in find_tasks(["next-symbol", "core"]))
    assert not any(name.endswith("--lm") for name in (*builtin_tasks(), *CORE))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dyck5--lm", r"dyck5--lm test_long: law enclosed.* has no exact probabilities.* uniform, pcfg:p=1/2,q=1/4, uniform-strings\."),
        ("string-reversal--lm", "asked by synchronous; only next-symbol tasks"),
        ("dyck2-recognition--lm", "asked by recognition; only next-symbol tasks"),
        ("dyck2--lm--lm", "asked by language-modelling; only next-symbol tasks"),
        ("dyck9--lm", "There is no task 'dyck9'"),
    ],
)  # fmt: skip
def test_a_task_that_cannot_be_asked_says_why(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        find_task(name)


def test_a_law_without_probabilities_is_refused_another_is_not() -> None:
    task = find_task("dyck2--lm")
    with pytest.raises(UsageError, match="law suzgun-truncated has no exact probabilities"):
        task.with_splits(law="suzgun-truncated")
    assert task.with_splits(law="uniform").law("test").spec == "uniform"
    exact = as_language_modelling(find_task("dyck5").with_splits(law="uniform-strings"))
    assert isinstance(exact.view, LanguageModelling)


# -- the laws


@every_exact
def test_probabilities_of_all_strings_of_a_window_sum_to_one(name: str) -> None:
    task = narrow(name)
    for split in task.splits:
        assert isclose(probabilities(task, split)[1].sum(), 1, rel_tol=1e-12)


@given(st.integers(1, 9), st.integers(0, 9), st.integers(1, 9), st.integers(0, 3), st.integers(0, 2))
def test_they_do_by_any_grammar_of_brackets(p: int, q: int, rest: int, low: int, wider: int) -> None:
    """Whatever part of its weight falls into the window."""
    law, window = f"pcfg:p={p}/{p + q + rest},q={q}/{p + q + rest}", Window(2 * low, 2 * (low + wider))
    task = find_task("dyck2--lm").with_splits(law=law, windows={"test": window})
    assert isclose(probabilities(task, "test")[1].sum(), 1, rel_tol=1e-12)


@every_exact
def test_draws_follow_their_probabilities_and_the_bound_is_the_entropy(name: str) -> None:
    """String by string, and the mean of -log_prob within five standard errors."""
    task = narrow(name)
    for split, content in contents(task).items():
        strings, exact = probabilities(task, split)
        drawn = content.strings(0, ROWS)
        assert_drawn(drawn, strings, exact)
        nats = -np.array(content.batch(0, ROWS)["log_prob"])
        entropy = -(exact * np.log(exact)).sum()
        deviation = sqrt(max((exact * np.log(exact) ** 2).sum() - entropy**2, 0))
        assert abs(nats.mean() - entropy) <= 5 * deviation / sqrt(ROWS) + 1e-12 * entropy


def test_draws_are_independent() -> None:
    """Of 4,000 draws among 8 strings, repetitions stay, within a split and across two."""
    window = Window(4, 4)
    task = find_task("dyck2--lm").with_splits(
        {"train": ROWS, "test": ROWS}, windows={"train": window, "test": window}
    )
    train, test = (
        content.strings(0, ROWS).texts(task.language.alphabet) for content in contents(task).values()
    )
    assert set(train) == set(test)
    assert len(Counter(train)) == 8
    assert train != test


def test_a_string_of_dyck2_has_the_sum_over_its_parses() -> None:
    """By the equations of the grammar S -> ( S ) | [ S ] | S S | nothing, iterated until nothing changes.

    Empty parts make a string have infinitely many parses: P(w) = p/2 P(v) for w = (v) or [v], plus q times the sum of
    P(u) P(v) over all w = uv, u or v empty included, plus 1 - p - q for the empty string.
    """
    p, q, window = 0.5, 0.25, Window(2, 6)
    balanced = [
        "".join(s) for n in range(0, 7, 2) for s in product("()[]", repeat=n) if is_balanced("".join(s))
    ]
    weights = dict.fromkeys(balanced, 0.0)
    for _ in range(60):
        weights = {
            w: (p / 2 * weights.get(w[1:-1], 0) if w[:1] + w[-1:] in ("()", "[]") else 0)
            + q * sum(weights.get(w[:i], 0) * weights.get(w[i:], 0) for i in range(len(w) + 1))
            + (1 - p - q if not w else 0)
            for w in balanced
        }
    total = sum(weight for w, weight in weights.items() if len(w) in window)
    task = find_task("dyck2--lm").with_splits(windows={"train": window})
    rows = to_batch(task, "train", members(task.language, window)).to_pylist()
    assert {row["input"].replace(" ", "") for row in rows} == {w for w in balanced if w}
    for row in rows:
        assert isclose(row["log_prob"], log(weights[row["input"].replace(" ", "")] / total), rel_tol=1e-12)


def is_balanced(string: str) -> bool:
    while (shorter := string.replace("()", "").replace("[]", "")) != string:
        string = shorter
    return not string


def test_a_window_with_one_string_says_nothing() -> None:
    """Its probability is 1, to the bit, by a law of irrational weights too."""
    task = find_task("dyck1--lm").with_splits(
        {"train": 5, "test": 5}, windows=dict.fromkeys(("train", "test"), Window(2, 2))
    )
    assert contents(task)["test"].batch(0, 5)["log_prob"].to_pylist() == pytest.approx([0] * 5, abs=1e-15)


# -- the oracle of the view


@every_exact
def test_the_oracle_reaches_the_bound_on_every_string(name: str) -> None:
    """The probabilities that it gives to the symbols of a string and END multiply to that of the string."""
    task = narrow(name)
    for split in task.splits:
        strings, exact = probabilities(task, split)
        oracle = language_modelling_oracle(task, split)
        for text, probability in zip(strings.texts(task.language.alphabet), exact, strict=True):
            symbols = (*text.split(), END)
            given_to = [
                oracle.predict(symbols[:i])[task.columns.index(symbol)] for i, symbol in enumerate(symbols)
            ]
            assert isclose(prod(given_to), probability, rel_tol=1e-12)


@every_exact
def test_the_oracle_gives_probability_to_next_symbols_alone(name: str) -> None:
    task = narrow(name)
    oracle = language_modelling_oracle(task)
    everything = members(task.language, task.split(task.default_split).window)
    strings = everything.take(range(0, len(everything), 1 + len(everything) // 50))
    masks = Strings(task.language.next_symbols(strings), strings.offsets)
    for text, sets in zip(strings.texts(task.language.alphabet), masks, strict=True):
        symbols = tuple(text.split())
        for i, mask in enumerate(sets.tolist()):
            distribution = oracle.predict(symbols[: i + 1])
            assert isclose(sum(distribution), 1, rel_tol=1e-12)
            assert {c for c, p in zip(task.columns, distribution, strict=True) if p} <= {
                *task.language.alphabet.members(mask)
            }


def test_the_bound_of_a_split_is_the_cross_entropy_of_the_oracle() -> None:
    """And every answer of the uniform distribution costs log(columns)."""
    task = narrow("tomita4")
    content = contents(task)["test"]
    oracle = language_modelling_oracle(task, "test")
    uniform = wrong_from(oracle, 0)
    rows = content.batch(0, 300).to_pylist()
    costs = {model: [cost(model, task, row["input"]) for row in rows] for model in (oracle, uniform)}
    assert isclose(sum(costs[oracle]), -sum(row["log_prob"] for row in rows), rel_tol=1e-12)
    assert isclose(sum(costs[uniform]), log(3) * sum(row["length"] + 1 for row in rows), rel_tol=1e-12)


def cost(model: object, task: Task, text: str) -> float:
    """What a model pays for a string in nats, symbol after symbol and END."""
    symbols = (*text.split(), END)
    return -sum(
        log(model.predict(symbols[:i])[task.columns.index(symbol)])  # type: ignore[attr-defined]
        for i, symbol in enumerate(symbols)
    )


def test_an_endless_split_stays_endless_and_rows_can_be_asked_of_it() -> None:
    task = find_task("anbn--lm")
    assert "train" not in contents(task)
    assert len(contents(task.with_splits({"train": 30}))["train"]) == 30
