"""Oracles of every task, and of every way to ask one, score exactly 1; wrong ones what arithmetic says."""

from functools import cache

import numpy as np
import pytest

from helpers.brute_force import small_window
from helpers.oracles import SEPARATOR, Oracle, oracle_of, wrong_every, wrong_from
from helpers.small_data import small
from marnn_bench.generators.alphabet import END
from marnn_bench.library.evaluate import Result, evaluate
from marnn_bench.scoring.deterministic import NOT_SCORED, right_choices
from marnn_bench.scoring.metrics import LOWER_IS_BETTER
from marnn_bench.task import Task
from marnn_bench.tasks.registry import builtin_tasks, find_task

ROWS = 40

VARIANTS = (
    *("dyck2--recognition", "anbn--recognition", "hom-palindrome--recognition"),
    *("dyck1--lm", "dyck2--lm", "anbn--lm", "hom-palindrome--lm"),
)
MODELLING = [name for name in VARIANTS if name.endswith("--lm")]
SCORED_ALONE = [
    name
    for name, task in builtin_tasks().items()
    if task.view.answer == "choices" and task.view.name == "next-symbol"
]
OF_VIEW = {
    view: [name for name, task in builtin_tasks().items() if task.view.name == view]
    for view in ("transduction", "recognition")
}


@cache
def small_task(name: str) -> Task:
    """The task with few rows; language modelling with strings that can all be listed."""
    if not name.endswith("--lm"):
        return small(name)
    task = find_task(name)
    window = small_window(task.language, 300)
    return task.with_splits(dict.fromkeys(task.splits, 200), windows=dict.fromkeys(task.splits, window))


@cache
def oracle(name: str) -> Oracle:
    return oracle_of(small_task(name))


def result(model: Oracle, name: str) -> Result:
    task = small_task(name)
    return evaluate(model, task, rows=ROWS)


@pytest.mark.parametrize("name", [*builtin_tasks(), *VARIANTS])
def test_an_oracle_is_right_in_every_metric(name: str) -> None:
    found = result(oracle(name), name)
    metrics = found.record["summary"]["metrics"]
    assert found.examples.task.headline in metrics
    accuracies = {measure: found.metric(measure) for measure in metrics if measure not in LOWER_IS_BETTER}
    assert accuracies == dict.fromkeys(accuracies, 1.0)
    if "excess_cross_entropy" in metrics:
        assert abs(found.metric("excess_cross_entropy")) < 1e-12
        assert found.metric("cross_entropy") > 0.1
    assert all(found.to_pandas().correct) and set(found.to_pandas().first_error) == {-1}


@pytest.mark.parametrize("name", OF_VIEW["transduction"])
def test_outputs_that_go_wrong_are_right_up_to_there(name: str) -> None:
    """Coarse: the share of outputs that end before; fine: what is right of each before its first fault."""
    for k in (1, 3, 100):
        late, rare = (result(wrong(oracle(name), k), name) for wrong in (wrong_from, wrong_every))
        lengths = late.examples.targets.lengths + 1  # type: ignore[attr-defined]
        assert late.accuracy == np.mean(lengths <= k) and rare.accuracy == np.mean(lengths < k)
        assert late.metric("fine_accuracy") == pytest.approx(np.mean(np.minimum(lengths, k) / lengths))
        assert rare.metric("fine_accuracy") == pytest.approx(np.mean(np.minimum(lengths, k - 1) / lengths))


@pytest.mark.parametrize("name", [*OF_VIEW["recognition"], "dyck2--recognition"])
def test_recognition_is_asked_about_the_whole_string(name: str) -> None:
    for k in (3, 10, 30):
        late, rare = (result(wrong(oracle(name), k), name) for wrong in (wrong_from, wrong_every))
        lengths = late.examples.strings.lengths
        label = late.examples.label  # type: ignore[attr-defined]
        for found, right in ((late, lengths < k), (rare, lengths % k != k - 1)):
            assert found.metric("accuracy") == np.mean(right)
            assert found.metric("member_accuracy") == np.mean(right[label])
            assert found.accuracy == pytest.approx((np.mean(right[label]) + np.mean(right[~label])) / 2)


@pytest.mark.parametrize("name", SCORED_ALONE)
def test_faults_count_where_one_symbol_alone_is_right(name: str) -> None:
    for k in (2, 7):
        found = result(wrong_from(oracle(name), k), name)
        strings = found.examples.strings
        scored = right_choices(found.examples) != NOT_SCORED  # type: ignore[arg-type]
        places = np.arange(len(strings.ids)) - strings.offsets[:-1][strings.rows]
        right = np.bincount(strings.rows, scored & (places >= k), minlength=len(strings)) == 0
        sizes = found.examples.task.language.sizes_of(strings)
        assert found.metric("sequence_accuracy") == np.mean(right)
        assert found.position_accuracy == pytest.approx((scored & (places < k)).sum() / scored.sum())
        assert found.accuracy == np.mean([right[sizes == size].all() for size in np.unique(sizes)])


@pytest.mark.parametrize("name", MODELLING)
def test_a_model_that_turns_uniform_loses_what_the_law_knows(name: str) -> None:
    """Nats that the uniform distribution costs above the exact one, for each symbol and END."""
    task, lost, tokens = small_task(name), 0.0, 0
    found = result(wrong_from(oracle(name), 2), name)
    for text in found.examples.strings.texts(task.language.alphabet):
        symbols = (*text.split(), END)
        tokens += len(symbols)
        for i, symbol in enumerate(symbols[2:], start=2):
            exact = oracle(name).predict(symbols[:i])[task.columns.index(symbol)]
            lost += np.log(exact) + np.log(len(task.columns))
    assert found.accuracy == pytest.approx(lost / tokens, rel=1e-9)


@pytest.mark.parametrize("name", MODELLING)
def test_a_model_that_holds_a_string_impossible_has_no_finite_loss(name: str) -> None:
    """And lacks a value in the record, which is strict JSON."""
    exact = oracle(name)
    end = small_task(name).columns.index(END)
    never_ends = Oracle(
        lambda prefix: [float(i != end) / end for i in range(end + 1)], exact.wrong, exact.question
    )
    found = result(never_ends, name)
    assert np.isnan(found.accuracy) and found.metric("possible") == 0
    assert found.record["runs"][0]["metrics"]["excess_cross_entropy"]["value"] is None


def test_a_model_of_counters_scores_what_the_counter_answer_says() -> None:
    """Every opening bracket, and each closing one of whose kind more were opened than closed."""

    def predict(prefix: tuple[str, ...]) -> set[str]:
        closing = {")": "(", "]": "["}
        return {"(", "["} | {c for c, o in closing.items() if prefix.count(o) > prefix.count(c)}

    found = evaluate(predict, small("dyck2"))
    (counter,) = [answer for answer in found.record["trivial"] if answer["name"] == "counter"]
    assert {name: found.metric(name) for name in counter["metrics"]} == counter["metrics"]
    assert 0 < found.position_accuracy < 1


# -- what a model is sent


@pytest.mark.parametrize("k", [0, 2, 1_000])
def test_greedy_decoding_feeds_what_the_model_wrote_and_ends_at_its_first_wrong_symbol(k: int) -> None:
    """The source is never answered, the target never fed: after a wrong symbol nothing is asked at all."""
    task, asked = small_task("sequence-reversal"), []
    right = wrong_from(oracle("sequence-reversal"), k)

    def predict(prefix: tuple[str, ...]) -> set[str]:
        asked.append(prefix)
        return right.predict(prefix)

    found = evaluate(predict, task, rows=ROWS)
    expected = set()
    for row in range(ROWS):
        source, target = (tuple(found[row][name].split()) for name in ("input", "target"))
        expected |= {(*source, SEPARATOR, *target[:i]) for i in range(min(k, len(target)) + 1)}
    assert set(asked) == expected and len(asked) == len(expected)


@pytest.mark.parametrize("name", ["dyck2", "dyck2-recognition", "dyck1--lm"])
def test_what_is_asked_is_the_prefixes_that_the_view_names(name: str) -> None:
    asked: list[tuple[str, ...]] = []

    def predict(prefix: tuple[str, ...]) -> object:
        asked.append(prefix)
        return oracle(name).predict(prefix)

    found = evaluate(predict, small_task(name), rows=ROWS)
    strings = [tuple(text.split()) for text in found.examples.columns()["input"]]
    shortest = {"dyck2": 1, "dyck1--lm": 0}
    expected = {
        string[:i] for string in strings for i in range(shortest.get(name, len(string)), len(string) + 1)
    }
    # Recognition asks about the empty prefix once, to see whether the model answers with sets.
    assert set(asked) == expected | ({()} if name == "dyck2-recognition" else set())
    by_length = [len(prefix) for prefix in asked if prefix]
    assert by_length == sorted(by_length)  # t + 1 of any string only after t of all
