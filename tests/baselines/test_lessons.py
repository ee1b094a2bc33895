"""What is learned from is what an evaluation asks: the same answers, found in another way, for every view."""

from dataclasses import replace

import numpy as np
import pytest

from helpers.caches import own_cache
from helpers.examples import first_rows
from marnn_bench.asking.scripts import sent_symbols
from marnn_bench.baselines.course import exam_of, finite_course, fresh_course
from marnn_bench.baselines.joint import InputIds, input_symbols
from marnn_bench.baselines.lessons import UNASKED, Lessons, joined, lessons_of
from marnn_bench.baselines.models.bernardy2018 import RECIPE as BERNARDY
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.recipes import SUZGUN2019, Curriculum
from marnn_bench.baselines.training.data import train_rows
from marnn_bench.errors import UsageError
from marnn_bench.examples import RecognitionExamples, SetExamples
from marnn_bench.fresh import fresh_examples
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.language_modelling import symbols_and_ends
from marnn_bench.scoring.transduction import wanted_outputs
from marnn_bench.tasks.registry import find_task


def spelled(lessons: Lessons, task, row: int) -> list[str]:
    """`symbol/answer` for each position of a string, `-` where nothing is asked."""
    names = [*task.columns, "none", "-"]
    at = slice(lessons.offsets[row], lessons.offsets[row + 1])
    inputs = [input_symbols(task)[i][1] for i in lessons.ids[at]]
    return [f"{a}/{names[b]}" for a, b in zip(inputs, lessons.answers[at], strict=True)]


def sets_of(name: str, *texts: str) -> SetExamples:
    task = find_task(name)
    strings = Strings.from_texts(task.language.alphabet, texts)
    return SetExamples(task, "train", strings, task.view.answers(task.language, strings), "")


@pytest.mark.parametrize(
    ("task", "text", "expected"),
    [
        ("dyck2", "( [ ] )", "(/[ [/] ]/) )/-"),  # END is no column
        ("dyck5", "( [ ] )", "(/[ [/] ]/) )/END"),
        ("anbn", "a a b b", "a/a a/b b/b b/END"),
        ("string-reversal", "a b # #", "a/# b/# #/b #/a"),
    ],
)
def test_next_symbols_are_those_of_the_string(task, text, expected):
    examples = sets_of(task, text, "")
    lessons = lessons_of(examples, "next symbols")
    assert len(lessons) == 1
    assert " ".join(spelled(lessons, examples.task, 0)) == expected


def test_recognition_is_asked_after_the_last_symbol():
    task = find_task("dyck1-recognition")
    strings = Strings.from_texts(task.language.alphabet, ["( )", "", ") ("])
    zeros = np.zeros(3, np.int64)
    examples = RecognitionExamples(
        task, "train", strings, np.array([True, True, False]), zeros.astype(np.uint8), zeros, ""
    )
    lessons = lessons_of(examples)
    assert spelled(lessons, task, 0) == ["START/-", "(/-", ")/member"]
    assert spelled(lessons, task, 1) == ["START/member"]
    assert spelled(lessons, task, 2) == ["START/-", ")/-", "(/none"]
    assert lessons.right(1).T.tolist() == [[0, 0, 1, 1, 0, 0, 0]]


@pytest.mark.parametrize("name", ["sequence-copy", "svo-sov", "gender"])
def test_a_transduction_is_asked_for_what_its_evaluation_wants(name):
    task = find_task(name)
    examples = fresh_examples(task, "train", 20)
    lessons = lessons_of(examples, "targets")
    asked = lessons.answers[lessons.answers != UNASKED]
    assert asked.tolist() == wanted_outputs(examples).ids.tolist()
    separator = [i for i, (_, symbol) in enumerate(input_symbols(task)) if symbol == "|||"]
    first = np.flatnonzero(np.diff(np.append(UNASKED, lessons.answers != UNASKED)) == 1)
    assert lessons.ids[first[1:]].tolist() == separator * 20


def test_language_modelling_is_asked_for_every_symbol_and_end():
    examples = fresh_examples(find_task("anbn--lm"), "train", 20)
    lessons = lessons_of(examples, "next symbols")
    assert lessons.answers.tolist() == symbols_and_ends(examples).ids.tolist()
    assert (lessons.ids == 0).sum() == 20
    assert (lessons.ids[lessons.offsets[:-1]] == 0).all()


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A cache for this file alone."""
    with own_cache(tmp_path_factory.mktemp("cache")):
        yield


@pytest.mark.parametrize(
    "name", ["dyck2", "anbn", "string-reversal", "svo-sov", "dyck2--lm", "dyck2--recognition"]
)
def test_a_model_is_fed_by_an_evaluation_what_it_learned_from(name):
    """Symbol ids as the evaluator sends them, one after the other, behind what `reset` feeds."""
    task = find_task(name)
    task = replace(task, splits={"train": replace(task.split("train"), rows=6)})
    _, examples = train_rows(task)
    lessons = lessons_of(examples)
    inputs = InputIds(task.view.name, task.language.alphabet.symbols, task.columns)
    for row in range(6):
        begun = inputs.begin(1).tolist() * inputs.has_start
        sent = [task.symbols.index(symbol) for symbol in sent_symbols(examples, row)]
        fed = begun + [inputs.of(np.array([symbol])).item() for symbol in sent]
        assert fed == lessons.ids[lessons.offsets[row] : lessons.offsets[row + 1]].tolist()
    assert find_baseline("lstm").cell(task).symbols == len(inputs.symbols)


def test_rows_and_joined_undo_each_other():
    lessons = lessons_of(first_rows("dyck2", 9))
    again = joined([lessons.rows(0, 4), lessons.rows(4, 5), lessons.rows(5, 9)])
    for name in ("ids", "answers", "offsets"):
        assert np.array_equal(getattr(again, name), getattr(lessons, name))


VALIDATED = replace(BERNARDY, selection="validation loss")


def test_what_is_held_out_is_learned_from_in_no_epoch():
    """Of a finite split the last tenth; nothing without a validation."""
    examples = first_rows("dyck2", 40)
    course, whole = finite_course(examples, VALIDATED), lessons_of(examples, "next symbols")
    both = joined([course.epoch(0), course.validation])
    assert (course.strings, len(course.validation)) == (36, 4)
    assert np.array_equal(both.ids, whole.ids)
    assert np.array_equal(both.answers, whole.answers)
    plain = finite_course(examples, SUZGUN2019)
    assert (plain.strings, plain.validation) == (40, None)
    with pytest.raises(UsageError, match="use 10 or more"):
        finite_course(first_rows("dyck2", 9), VALIDATED)


def test_every_epoch_of_an_endless_split_has_draws_of_its_own():
    """Of 40 bits and more: no two alike among a few."""
    task = find_task("sequence-copy")
    course = fresh_course(task, VALIDATED, 30)
    epochs = [course.epoch(0), course.epoch(1), course.epoch(700), course.validation]
    strings = [
        epoch.ids[epoch.offsets[i] : epoch.offsets[i + 1]].tobytes()
        for epoch in epochs
        for i in range(len(epoch))
    ]
    assert len({*strings}) == len(strings) == 30 * 3 + 1_024
    assert np.array_equal(course.epoch(1).ids, epochs[1].ids)
    written = lessons_of(fresh_examples(task, "train", 30), "next symbols")
    assert np.array_equal(written.ids, epochs[0].ids)


def test_sizes_grow_with_a_curriculum():
    """a^n b^n with n from 2 on: up to 2, 3, 4, and no more."""
    course = fresh_course(find_task("anbn"), replace(SUZGUN2019, curriculum=Curriculum(2, 2, 4)), 60)
    longest = [{*np.diff(course.epoch(epoch).offsets).tolist()} for epoch in (0, 1, 2, 9)]
    assert longest == [{4}, {4, 6}, {4, 6, 8}, {4, 6, 8}]


def test_closing_brackets_alone_are_asked_of_the_test_of_bernardy():
    examples = sets_of("dyck5", "( [ ] )", "{ }")
    exam = exam_of([examples, examples])
    asked = [examples.task.columns[i] for i in exam.lessons.answers if i != UNASKED]
    assert asked == ["]", ")", "}"] * 2
    assert [examples.task.columns[i] for i in np.flatnonzero(exam.columns)] == [")", "]", "}", ">", "-"]
    other = exam_of([sets_of("dyck2", "( )")])
    assert other.columns.all()
    assert other.lessons.answers.tolist() == [1, UNASKED]
