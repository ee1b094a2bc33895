"""Trivial answers: each is the best of its kind, and what can be counted."""

import re
from dataclasses import replace

import numpy as np
import pytest

from helpers.answered import DYCK1, DYCK2, drawn, examples_of
from marnn_bench.examples import RecognitionExamples
from marnn_bench.scoring.runs import trivial_scores
from marnn_bench.scoring.sets import best_constant_set, best_set_by_last_symbol
from marnn_bench.scoring.trivial import counter
from marnn_bench.store.content import contents
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import NextSymbol

ANBN = find_task("anbn-recognition")


@pytest.mark.parametrize("name", ["dyck1", "dyck2", "dyck6", "hom-palindrome", "string-reversal"])
def test_no_constant_and_no_table_by_last_symbol_does_better_on_train(name: str) -> None:
    """The trivial answers are the best of their kind: no set is right more often, overall and after each symbol."""
    train = drawn(find_task(name), "train", 300)
    sets = np.unique(train.answers)
    best = (best_constant_set(train, train).predicted == train.answers).sum()
    assert best == max((train.answers == one).sum() for one in sets)
    by_symbol = best_set_by_last_symbol(train, train).predicted == train.answers
    for symbol in np.unique(train.strings.ids):
        here = train.strings.ids == symbol
        assert by_symbol[here].sum() == max((train.answers[here] == one).sum() for one in sets)


def test_a_symbol_that_train_does_not_have_gets_the_constant() -> None:
    train, test = examples_of(DYCK2, ["( )", "( ( ) )"]), examples_of(DYCK2, ["[ ]"])
    by_symbol, constant = best_set_by_last_symbol(train, test), best_constant_set(train, test)
    assert by_symbol.predicted.tolist() == constant.predicted.tolist()


def test_a_counter_solves_one_kind_of_bracket_and_no_more() -> None:
    scores = [
        {
            answer["name"]: answer["metrics"]
            for answer in trivial_scores(drawn(task, "train", 200), drawn(task, "test", 200))
        }
        for task in (DYCK1, DYCK2)
    ]
    assert scores[0]["counter"] == {"sequence_accuracy": 1.0, "position_accuracy": 1.0}
    assert 0 < scores[1]["counter"]["position_accuracy"] < 1
    assert "counter" not in {
        a["name"] for a in trivial_scores(*[drawn(find_task("hom-palindrome"), "train", 50)] * 2)
    }


def test_the_order_of_the_blocks_is_wrong_about_a_sixth_of_the_negatives() -> None:
    """Of a^n b^n: a+ b+ has every member, every negative with other exponents, and a few edits."""
    rows = contents(ANBN)["test_60"].labelled_rows
    assert rows is not None
    examples = RecognitionExamples(ANBN, "test_60", rows.strings, rows.label, rows.negative, rows.edits, "d")
    (metrics,) = (a["metrics"] for a in trivial_scores(None, examples) if a["name"] == "regular envelope")
    texts = rows.strings.take(np.flatnonzero(~rows.label)).texts(ANBN.language.alphabet)
    inside = np.mean([bool(re.fullmatch("a+b+", text.replace(" ", ""))) for text in texts])
    assert metrics["member_accuracy"] == 1
    assert metrics["negative_accuracy"] == pytest.approx(1 - inside)
    assert metrics["balanced_accuracy"] == pytest.approx(1 - inside / 2)
    assert 1 / 6 < inside < 0.2


def test_what_a_counter_answers() -> None:
    examples = examples_of(DYCK2, ["( [ ] )", "[ ( ( ) ) ]"])
    shown = [DYCK2.language.alphabet.show(int(mask)) for mask in counter(examples)]
    assert shown == ["(/)/[", "(/)/[/]", "(/)/[", "(/[", "(/[/]", *["(/)/[/]"] * 3, "(/[/]", "(/["]


def test_a_counter_answers_end_when_all_is_closed() -> None:
    with_end = replace(DYCK2, name="dyck2-end", view=NextSymbol(end=True))
    examples = examples_of(with_end, ["( ) [ ]"])
    assert (counter(examples) >> np.uint64(4)).tolist() == [0, 1, 0, 1]
    assert trivial_scores(examples, examples)[-1]["metrics"]["sequence_accuracy"] == 1.0
