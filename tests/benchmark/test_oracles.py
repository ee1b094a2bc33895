"""The oracles that other tests ask: right on the data of every task, and wrong exactly where it is said."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.brute_force import small_window
from helpers.oracles import (
    SEPARATOR,
    Oracle,
    next_symbol_oracle,
    oracle_of,
    recognition_oracle,
    transduction_oracle,
    wrong_every,
    wrong_from,
)
from helpers.small_data import small
from marnn_bench.library.evaluate import evaluate
from marnn_bench.store.content import Content, contents
from marnn_bench.task import Task
from marnn_bench.tasks.registry import builtin_tasks, find_task
from marnn_bench.views import Transduce

every_task = pytest.mark.parametrize("name", builtin_tasks())
ROWS = 40


def first_rows(name: str) -> tuple[Content, list[dict]]:
    """The default split of a task, and some of its rows as they are written."""
    task = small(name)
    content = contents(task)[task.default_split]
    return content, content.batch(0, min(len(content), ROWS)).to_pylist()


def answers(oracle: Oracle, symbols: list[str]) -> list:
    """What is answered after symbols 1..n."""
    return [oracle.predict(tuple(symbols[: i + 1])) for i in range(len(symbols))]


def gold(task: Task, row: dict) -> list:
    """The right answers of a row, as its columns say."""
    if task.view.name == "next-symbol":
        return [{c for i, c in enumerate(task.columns) if mask >> i & 1} for mask in row["next"]]
    return [{symbol} for symbol in row["target"].split()]


@every_task
def test_an_oracle_answers_what_the_data_says(name: str) -> None:
    content, rows = first_rows(name)
    oracle, task = oracle_of(content.task), content.task
    for row in rows:
        symbols = row["input"].split()
        if task.view.name == "recognition":
            assert oracle.predict(tuple(symbols)) == float(row["label"])
        elif isinstance(task.view, Transduce):
            output = row["target"].split()
            asked = [(*symbols, SEPARATOR, *output[:i]) for i in range(len(output) + 1)]
            assert [oracle.predict(prefix) for prefix in asked] == [*gold(task, row), {"END"}]
        else:
            assert answers(oracle, symbols) == gold(task, row)


@every_task
def test_a_wrong_answer_is_a_possible_and_another_one(name: str) -> None:
    content, rows = first_rows(name)
    task, oracle = content.task, oracle_of(content.task)
    for prefix in {row["input"] for row in rows}:
        asked = tuple(prefix.split()) + ((SEPARATOR,) if isinstance(task.view, Transduce) else ())
        right, wrong = oracle.predict(asked), wrong_from(oracle, 0).predict(asked)
        assert right != wrong
        assert {right, wrong} == {0.0, 1.0} if isinstance(wrong, float) else wrong <= {*task.columns}


SCORED = [name for name, task in builtin_tasks().items() if task.asks_sets]


@pytest.mark.parametrize("name", SCORED)
def test_the_evaluator_finds_an_oracle_right_and_its_faults_where_they_are(name: str) -> None:
    """Strings shorter than the first fault stay right; of n answers, so many are as faults leave."""
    task = small(name)
    right = evaluate(oracle_of(task), task, rows=ROWS)
    assert (right.accuracy, right.position_accuracy) == (1, 1)
    lengths = right.examples.strings.lengths
    for k in (int(np.median(lengths)), 7):
        late = evaluate(wrong_from(oracle_of(task), k), task, rows=ROWS)
        assert late.accuracy == np.mean(lengths <= k)
        assert late.position_accuracy == pytest.approx(
            np.minimum(lengths, k).sum() / lengths.sum(), rel=1e-12
        )
        rare = evaluate(wrong_every(oracle_of(task), k), task, rows=ROWS)
        assert rare.accuracy == np.mean(lengths < k)
        assert rare.position_accuracy == pytest.approx(1 - (lengths // k).sum() / lengths.sum(), rel=1e-12)


def test_faults_are_counted_from_the_first_question_of_each_view() -> None:
    """After nothing in recognition and language modelling, after one symbol of sets, behind the separator."""
    dyck, copy = find_task("dyck1"), find_task("sequence-copy")
    sets = wrong_from(next_symbol_oracle(dyck), 1)
    assert [sets.predict(("(",)), sets.predict(("(", ")"))] == [{"(", ")"}, {")"}]
    label = wrong_from(recognition_oracle(dyck), 1)
    assert [label.predict(()), label.predict(("(",))] == [1.0, 1.0]
    window = small_window(dyck.language)
    task = find_task("dyck1--lm").with_splits(windows=dict.fromkeys(dyck.splits, window))
    distribution = wrong_from(oracle_of(task), 1)
    assert [distribution.predict(()), distribution.predict(("(",))] == [[1, 0, 0], [1 / 3] * 3]
    symbols = replace(transduction_oracle(copy), faulty=lambda question: question == 1)
    first, second = copy.language.alphabet.symbols[:2]
    asked = [
        (first, first, SEPARATOR),
        (first, first, SEPARATOR, first),
        (first, first, SEPARATOR, first, first),
    ]
    assert [symbols.predict(prefix) for prefix in asked] == [{first}, {second}, {"END"}]
