"""The undelimited stream, on strings short enough to do it by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marnn_bench.errors import UsageError
from marnn_bench.examples import SetExamples
from marnn_bench.fresh import fresh_strings
from marnn_bench.generators.strings import Strings
from marnn_bench.streams import Stream, as_stream, default_reset
from marnn_bench.task import Task
from marnn_bench.tasks import joulin2015
from marnn_bench.tasks.suzgun2019 import DYCK2, HOM_PALINDROME, STRING_REVERSAL


def examples(task: Task, *texts: str) -> SetExamples:
    strings = Strings.from_texts(task.language.alphabet, texts)
    return SetExamples(task, "test", strings, task.view.answers(task.language, strings), digest="")


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


# -- segments


class Running:
    """A model with a memory that nothing but a reset empties: it answers by a hash of all that it was fed since."""

    def reset(self, n: int) -> None:
        self.memory = np.zeros(n, np.int64)

    def step(self, ids: np.ndarray) -> np.ndarray:
        self.memory = (31 * self.memory + ids + 7) % 10_007
        return self.memory % 3 // 2  # 0 twice as often as 1


def one_by_one(stream: Stream) -> np.ndarray:
    """The answers of a model that reads the stream as it is, place after place."""
    model, answers = Running(), []
    for fed, _, _, reset in stream:
        if reset:
            model.reset(1)
        answers.append(model.step(np.array([fed]))[0])
    return np.array(answers)


def side_by_side(stream: Stream) -> np.ndarray:
    """The answers of a model that reads all segments at once; one that has ended is fed 0, and what it says is dropped."""
    model, segments = Running(), stream.segments
    starts, lengths = segments.offsets[:-1], segments.lengths
    answers = np.full(len(segments.ids), -1)
    model.reset(len(segments))
    for t in range(lengths.max()):
        going = t < lengths
        fed = np.where(going, segments.ids[np.minimum(starts + t, len(segments.ids) - 1)], 0)
        answers[(starts + t)[going]] = model.step(fed)[going]
    return answers


@given(st.lists(st.integers(1, 4), min_size=1, max_size=12), st.integers(1, 14))
def test_segments_side_by_side_give_the_answers_of_one_stream(sizes: list[int], reset_every: int) -> None:
    texts = [" ".join("a" * n + "b" * n) for n in sizes]
    stream = as_stream(examples(joulin2015.ANBN, *texts), reset_every)
    alone, together = one_by_one(stream), side_by_side(stream)
    assert together.tolist() == alone.tolist()
    assert stream.correct(together).tolist() == [
        all(
            answer == wanted
            for answer, (_, wanted, scored, _), of in zip(alone, stream, stream.rows, strict=True)
            if scored and of == row
        )
        for row in range(len(texts))
    ]


def test_segments_of_three_strings_by_hand() -> None:
    """Two strings, then one: the b that ends the second string is fed behind the reset, and its answer is that string's."""
    stream = as_stream(examples(joulin2015.ANBN, "a b", "a a b b", "a b"), reset_every=2)
    assert stream.segments.texts(joulin2015.ANBN.language.alphabet) == ["b a b a a b", "b a b"]
    assert stream.rows[stream.segments.offsets[1]] == 1
    whole = as_stream(examples(joulin2015.ANBN, "a b", "a a b b", "a b"), reset_every=3)
    assert len(whole.segments) == 1


def test_a_split_of_the_paper_has_as_many_segments_as_resets() -> None:
    task = joulin2015.BINARY_ADDITION
    strings = fresh_strings(task, "train", 0, 0, 205)
    rows = SetExamples(task, "train", strings, task.view.answers(task.language, strings), digest="")
    assert len(as_stream(rows).segments) == 21


@pytest.mark.parametrize("task", [DYCK2, HOM_PALINDROME, STRING_REVERSAL], ids=lambda task: task.name)
def test_tasks_that_ask_for_sets_are_refused(task: Task) -> None:
    text = "( )" if task is DYCK2 else "a #"
    with pytest.raises(UsageError, match="does not score single symbols"):
        as_stream(examples(task, text))


def test_a_stream_of_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match="needs strings"):
        as_stream(examples(joulin2015.ANBN))
