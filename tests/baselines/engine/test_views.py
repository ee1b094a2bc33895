"""Both engines learn every view alike, and do alike what recipes do for each run."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.caches import own_cache
from marnn_bench.baselines.baseline import Baseline
from marnn_bench.baselines.course import Course, Exam, exam_of, finite_course, fresh_course
from marnn_bench.baselines.engine.training import CompiledTraining
from marnn_bench.baselines.models.joulin2015 import MemorySizes
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.recipes import SUZGUN2019, Clipping, Curriculum, Halving
from marnn_bench.baselines.training.data import train_rows
from marnn_bench.baselines.training.loop import Training, one_thread
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task

SOFTMAX = replace(
    SUZGUN2019,
    annealing=None,
    learns="next symbols",
    loss="cross-entropy",
    epochs=2,
    batch=3,
    learning_rate=0.05,
)
SIGMOID = replace(SUZGUN2019, epochs=2, batch=3)
RUNS = [0, 3]


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A cache for this file alone."""
    with own_cache(tmp_path_factory.mktemp("cache")):
        yield


def short(name: str, rows: int = 14, window: str | None = None) -> Task:
    """A task with a short train split alone."""
    task = find_task(name)
    return replace(task, splits={"train": replace(task.split("train"), rows=rows)})


def joulin(task: Task):
    """The Stack RNN of Joulin & Mikolov, whose answers are distributions."""
    sizes = MemorySizes(hidden=4, memories=2, cells=30)
    return find_baseline("joulin-stack-rnn").cell(task, sizes)


def suzgun(name: str):
    baseline: Baseline = find_baseline(name)
    return baseline.cell


def both(cell, recipe, strings, runs=RUNS):
    """The two engines after all updates."""
    trainings = (
        CompiledTraining(cell, recipe, strings, runs, seed=4),
        Training(cell, recipe, strings, runs, seed=4),
    )
    with one_thread():
        for training in trainings:
            while training.done < training.total:
                training.update()
    return trainings


def assert_same(compiled, reference, to=1e-9):
    one, two = compiled.result(), reference.result()
    assert (one.losses - two.losses).abs().max() < to
    assert one.losses.std() > 1e-3
    for name, tensor in two.parameters.tensors.items():
        assert (one.parameters.tensors[name] - tensor).abs().max() < to


@pytest.mark.parametrize(
    ("task", "build", "recipe"),
    [
        ("dyck2--lm", joulin, SOFTMAX),
        ("dyck2--recognition", suzgun("stack-rnn-gumbel"), SIGMOID),
        ("sequence-reversal", suzgun("lstm"), SIGMOID),
        ("svo-sov", joulin, replace(SOFTMAX, learns="targets")),
        ("string-reversal", joulin, SOFTMAX),
        ("dyck5", joulin, SOFTMAX),
        ("dyck2", joulin, replace(SOFTMAX, batch=1)),
        ("anbn", suzgun("stack-rnn"), SIGMOID),
    ],
)
def test_both_engines_learn_a_view_alike(task, build, recipe):
    small = short(task)
    _, examples = train_rows(small)
    compiled, reference = both(build(small), recipe, examples)
    assert_same(compiled, reference)
    exam = Exam(compiled._course.epoch(0), np.ones(len(small.columns), np.bool_))
    for found, expected in zip(compiled.measure(exam), reference.measure(exam), strict=True):
        assert np.abs(found - expected).max() < 1e-9


CLIPPED = replace(SOFTMAX, optimiser="rmsprop", learning_rate=0.01, clipping=Clipping(0.003, "gradients"))
HALVED = replace(
    SOFTMAX,
    optimiser="sgd",
    learning_rate=4.0,
    epochs=7,
    selection="validation loss",
    schedule=Halving(1, 1.0),
)


@pytest.mark.parametrize(
    "recipe", [CLIPPED, replace(CLIPPED, optimiser="adam"), replace(CLIPPED, optimiser="sgd")]
)
def test_gradients_are_clipped_alike(recipe):
    small = short("dyck2--lm")
    _, examples = train_rows(small)
    compiled, reference = both(joulin(small), recipe, examples)
    assert_same(compiled, reference)
    free = CompiledTraining(joulin(small), replace(recipe, clipping=None), examples, RUNS, seed=4)
    free.do(free.total)
    one, two = (training.result().parameters.tensors["output.weight"] for training in (compiled, free))
    assert (one - two).abs().max() > 1e-4


def test_rates_are_halved_and_runs_end_alike():
    """At a rate that is too high, so that some epochs gain nothing and runs end at epochs of their own."""
    task = find_task("anbn--lm")
    course = fresh_course(task, HALVED, 12)
    course = replace_validation(course, 20)
    compiled, reference = both(joulin(task), HALVED, course, range(5))
    assert_same(compiled, reference)
    assert compiled.factors.tolist() == reference.factors.tolist()
    assert len({*compiled.factors.tolist()}) > 1
    one, two = compiled.selected(), reference.selected()
    assert one["epochs"] == two["epochs"]
    assert one["best_run"] == two["best_run"]


def replace_validation(course: Course, strings: int) -> Course:
    """The same with fewer strings of validation."""
    return replace(course, validation=course.validation.rows(0, strings))


def test_sizes_grow_and_the_test_selects_alike():
    task = short("dyck5", 40)
    _, examples = train_rows(task)
    recipe = replace(SOFTMAX, selection="test accuracy", epochs=4, learning_rate=0.1)
    course = finite_course(examples, recipe, exam_of([examples.take(range(30, 40))]))
    compiled, reference = both(joulin(task), recipe, course)
    assert_same(compiled, reference)
    one, two = compiled.selected(), reference.selected()
    assert one["epochs"] == two["epochs"]
    assert one["by_validation"]["epochs"] == two["by_validation"]["epochs"]
    assert one["test accuracy"] == pytest.approx(two["test accuracy"], abs=1e-12)
    growing = replace(SOFTMAX, curriculum=Curriculum(2, 2, 4), epochs=3)
    course = fresh_course(find_task("anbn"), growing, 9)
    assert_same(*both(joulin(find_task("anbn")), growing, course))


def test_a_run_that_has_ended_stays_to_the_bit_and_others_do_not_notice():
    small = short("dyck2--lm")
    _, examples = train_rows(small)
    for engine in (CompiledTraining, Training):
        trainings = [engine(joulin(small), SOFTMAX, examples, range(4), seed=1) for _ in range(2)]
        for training in trainings:
            training.do(3)
        before = trainings[0].numbers()
        trainings[0].factors[2] = 0
        for training in trainings:
            training.do(4)
        one, two = (training.numbers() for training in trainings)
        others = [0, 1, 3]
        for name, array in one.items():
            assert np.array_equal(array[2], before[name][2])
            assert np.array_equal(array[others], two[name][others])
            assert not np.array_equal(array[0], before[name][0])
