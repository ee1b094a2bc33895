"""Orders of a finite split: what each epoch has, whichever recipe asks for it."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import marnn
from marnn_bench.baselines import find_baseline, train
from marnn_bench.baselines.course import balanced, finite_course
from marnn_bench.baselines.orders import rate_of_epoch, rows_of_epoch
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.store.read import made_train
from marnn_bench.tasks.registry import find_task

LENGTHS = st.lists(st.integers(0, 30), min_size=1, max_size=40).map(np.array)
RECIPE = Recipe("mine", "", epochs=4, learning_rate=0.01, batch=10)


@given(LENGTHS, st.integers(0, 5))
def test_by_length_is_a_sorted_permutation_in_every_epoch(lengths, epoch):
    rows = rows_of_epoch(lengths, "by length", epoch, 6)
    assert sorted(rows) == [*range(len(lengths))]
    assert (np.diff(lengths[rows]) >= 0).all()


@given(LENGTHS, st.integers(2, 6))
def test_the_first_stage_has_the_shorter_strings_and_the_second_all_of_them(lengths, epochs):
    for epoch in range(epochs):
        rows = rows_of_epoch(lengths, "two stages", epoch, epochs)
        assert len(rows) == len(lengths)
        if epoch >= epochs // 2:
            assert sorted(rows) == [*range(len(lengths))]
        else:
            short = {row for row, length in enumerate(lengths) if 2 * length <= lengths.max()}
            assert {*rows} == short if short else len({*rows}) == 1
        if epoch == epochs // 2:
            assert (np.diff(lengths[rows]) >= 0).all()


@given(st.lists(st.booleans(), max_size=40).map(lambda labels: np.array(labels, bool)))
def test_balanced_rows_have_both_labels_equally_often_and_every_row_of_the_commoner_once(label):
    rows = balanced(label)
    if not label.any() or label.all():
        assert rows.tolist() == [*range(len(label))]
        return
    assert label[rows].sum() * 2 == len(rows)
    counts = np.bincount(rows, minlength=len(label))
    common = label == (label.sum() * 2 > len(label))
    assert (counts[common] == 1).all() and {*counts[~common]} <= {
        counts[~common].max(),
        counts[~common].max() - 1,
    }


@pytest.mark.parametrize("order", ["by length", "two stages"])
def test_every_epoch_has_as_many_strings_and_runs_learn_from_them(order):
    examples = made_train("dyck1-recognition").take(range(200))
    recipe = replace(RECIPE, order=order, learns="labels at every step")
    course = finite_course(examples, recipe)
    epochs = [course.epoch(number) for number in range(recipe.epochs)]
    assert {len(lessons) for lessons in epochs} == {200}
    cell = find_baseline("mali-gru").cell(find_task("dyck1-recognition"))
    losses = train(cell, recipe, course, range(2)).losses
    assert losses.isfinite().all() and losses[-1].mean() < losses[0].mean()


def test_labels_at_every_step_are_those_of_the_whole_string():
    examples = made_train("dyck1-recognition").take(range(50))
    lessons = finite_course(examples, replace(RECIPE, learns="labels at every step")).epoch(0)
    for row, label in enumerate(examples.label):
        begin, end = lessons.offsets[row : row + 2]
        assert {*lessons.answers[begin:end].tolist()} == {0 if label else 1}
        assert end - begin == 1 + len(examples.strings.take([row]).ids)


@given(st.floats(0.01, 0.9), st.integers(1, 6))
def test_a_random_rate_is_drawn_anew_in_each_epoch_but_those_of_the_second_stage(least, epochs):
    drawn = [rate_of_epoch(least, "given", epoch, epochs) for epoch in range(epochs)]
    staged = [rate_of_epoch(least, "two stages", epoch, epochs) for epoch in range(epochs)]
    assert all(least <= rate <= 1 for rate in drawn)
    assert staged == drawn[: epochs // 2] + [1.0] * (epochs - epochs // 2)
    assert len({*drawn}) == epochs


def test_an_epoch_at_a_random_rate_is_one_at_that_rate():
    examples, cell = made_train("dyck1-recognition").take(range(50)), find_baseline("mali-gru")
    cell = cell.cell(find_task("dyck1-recognition"))
    drawn = replace(RECIPE, epochs=1, optimiser="sgd", random_rate=0.25)
    factor = rate_of_epoch(0.25, "given", 0, 1)
    plain = replace(drawn, random_rate=None, learning_rate=RECIPE.learning_rate * factor)
    one, other = (train(cell, recipe, examples, range(2)).parameters.tensors for recipe in (drawn, plain))
    assert all(torch.allclose(one[name], other[name], rtol=1e-12, atol=1e-14) for name in one)


@pytest.mark.parametrize(
    ("task", "option", "said"),
    [
        ("dyck1", "--every-step", "no labels"),
        ("anbn", ["--order", "by length"], "no order but the given one"),
        ("dyck1-recognition", ["--weight-noise", "0.2"], "no tensors of higher order"),
        ("dyck1-recognition", ["--loss", "cross-entropy"], "is not learned by cross-entropy"),
        ("dyck1-recognition", ["--predictions", "2"], "takes no predictions a step"),
    ],
)
def test_what_a_task_has_not_is_refused(task, option, said, tmp_path):
    asked = option if isinstance(option, list) else [option]
    outcome = marnn("train", "mali-gru", "--task", task, *asked, "--out", "x", cwd=tmp_path)
    assert outcome.code == 2 and said in outcome.error
