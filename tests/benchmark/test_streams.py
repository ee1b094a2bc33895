"""The undelimited stream, on strings short enough to do it by hand."""

import numpy as np
import pytest

from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples
from marnn_bench.generators.strings import Strings
from marnn_bench.streams import as_stream, default_reset
from marnn_bench.task import Task
from marnn_bench.tasks import joulin2015
from marnn_bench.tasks.suzgun2019 import DYCK2, HOM_PALINDROME, STRING_REVERSAL


def examples(task: Task, *texts: str) -> Examples:
    strings = Strings.from_texts(task.language.alphabet, texts)
    return Examples(task, "test", strings, task.view.answers(task.language, strings), digest="")


def test_three_strings_by_hand() -> None:
    """ab, aabb, ab: after the first b of a string all is determined, the first a of the next one included."""
    stream = as_stream(examples(joulin2015.ANBN, "a b", "a a b b", "a b"), reset_every=2)
    letters = np.array(list("ab"))
    assert "".join(letters[stream.inputs]) == "b" + "ab" + "aabb" + "ab"
    assert "".join(letters[stream.targets]) == "ab" + "aabb" + "ab" + "a"
    assert stream.scored.tolist() == [bool(int(c)) for c in "0" + "01" + "0011" + "01"]
    assert stream.resets.tolist() == [bool(int(c)) for c in "1" + "00" + "0001" + "00"]
    assert stream.rows.tolist() == [-1, 0, 0, 1, 1, 1, 1, 2, 2]
    assert [*stream][:2] == [(1, 0, False, True), (0, 1, False, False)]


def test_a_string_is_right_if_all_that_is_determined_is_and_the_first_symbol_behind_it() -> None:
    stream = as_stream(examples(joulin2015.ANBN, "a b", "a a b b", "a b"))
    answers = stream.targets.copy()
    assert stream.correct(answers).all()
    answers[[0, 1, 3]] = 1 - answers[[0, 1, 3]]
    assert stream.correct(answers).all(), "none of these was scored"
    answers[2] = 1
    assert stream.correct(answers).tolist() == [False, True, True]
    answers[-1] = 1
    assert stream.correct(answers).tolist() == [False, True, False]


def test_what_follows_on_a_memorized_word_is_not_scored() -> None:
    stream = as_stream(examples(joulin2015.MEMORIZATION, "a b # b a", "b # b"))
    assert stream.scored.tolist() == [bool(int(c)) for c in "0" + "00110" + "010"]


def test_resets_are_those_of_the_authors_program() -> None:
    tasks = (joulin2015.ANBN, joulin2015.MEMORIZATION, joulin2015.BINARY_ADDITION)
    assert [default_reset(task) for task in tasks] == [1_000, 100, 10]
    stream = as_stream(examples(joulin2015.BINARY_ADDITION, *["1 + 1 = 0 1 ."] * 25))
    assert np.flatnonzero(stream.resets).tolist() == [0, 70, 140]


@pytest.mark.parametrize("task", [DYCK2, HOM_PALINDROME, STRING_REVERSAL], ids=lambda task: task.name)
def test_tasks_that_ask_for_sets_are_refused(task: Task) -> None:
    text = "( )" if task is DYCK2 else "a #"
    with pytest.raises(UsageError, match="does not score single symbols"):
        as_stream(examples(task, text))


def test_a_stream_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="needs strings"):
        as_stream(examples(joulin2015.ANBN))
