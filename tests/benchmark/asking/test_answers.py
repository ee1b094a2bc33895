"""What an answer means, and which answers mean nothing, for every kind of answer."""

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marnn_bench.asking.answers import PARSERS, BadAnswer, SetParser
from marnn_bench.asking.protocol import TIE

COLUMNS = ("(", ")", "[", "]", "END")
parser = SetParser(COLUMNS)
KINDS = {kind: parser(COLUMNS if kind != "membership" else ("member",)) for kind, parser in PARSERS.items()}
NAN = float("nan")

scores = st.lists(st.floats(0, 1), min_size=5, max_size=5)


def read_rows(kind: str, answer: Any, n: int) -> list[Any]:
    """What an array of scores means, a row for each of n streams that all count."""
    values, nan = KINDS[kind].rows(answer, n, np.ones(n, np.bool_))
    assert nan is None
    return values.tolist()


# -- what they mean


@given(scores)
def test_every_way_to_say_a_set_gives_the_same_mask(said: list[float]) -> None:
    chosen = [symbol for symbol, score in zip(COLUMNS, said, strict=True) if score >= 0.5]
    expected = sum(1 << COLUMNS.index(symbol) for symbol in chosen)
    maps = [dict(zip(COLUMNS, said, strict=True)), OrderedDict.fromkeys(chosen, 1.0)]
    arrays = [np.array(said), np.array(said) >= 0.5]
    for answer in (
        set(chosen),
        frozenset(chosen),
        dict.fromkeys(chosen).keys(),
        said,
        tuple(said),
        *maps,
        *arrays,
    ):
        assert parser.one(answer) == expected
    assert read_rows("sets", [said, said], 2) == [expected] * 2


def test_one_half_is_in_the_set() -> None:
    assert parser.one([0.5, np.nextafter(0.5, 0), 0, 0, 0]) == 1


def test_masks_of_many_columns_have_a_bit_for_each() -> None:
    wide = SetParser(tuple(f"s{i}" for i in range(64)))
    row = np.arange(64) % 3 == 0
    expected = sum(1 << i for i in range(0, 64, 3))
    assert wide.rows(row[None], 1, np.ones(1, np.bool_))[0].tolist() == [expected] == [wide.one(row)]


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, -3.0]), min_size=5, max_size=5))
def test_a_choice_is_the_highest_score_and_several_highest_are_a_tie(said: list[float]) -> None:
    highest = [i for i, score in enumerate(said) if score == max(said)]
    expected = highest[0] if len(highest) == 1 else TIE
    assert KINDS["choices"].one(said) == KINDS["choices"].one(dict(zip(COLUMNS, said, strict=True)))
    assert KINDS["choices"].one(said) == expected
    assert read_rows("choices", [said], 1) == [expected]


def test_a_set_counts_as_scores_of_1_and_0() -> None:
    assert KINDS["scores"].one({"]", "("}) == [1, 0, 0, 1, 0]
    assert KINDS["choices"].one({"END"}) == 4
    assert KINDS["choices"].one({"(", ")"}) == KINDS["choices"].one(set()) == TIE


@given(st.lists(st.integers(1, 50), min_size=5, max_size=5))
def test_a_distribution_is_taken_as_it_is(counts: list[int]) -> None:
    said = [count / sum(counts) for count in counts]
    assert KINDS["distributions"].one(said) == said
    assert KINDS["distributions"].one(dict(zip(COLUMNS, said, strict=True))) == said
    assert read_rows("distributions", [said], 1) == [said]


@pytest.mark.parametrize(
    "answer", [0.25, np.float32(0.25), np.array(0.25), np.array([0.25]), [0.25], [[0.25]]]
)
def test_a_probability_of_membership_is_one_number_however_wrapped(answer: object) -> None:
    assert KINDS["membership"].one(answer) == 0.25


@pytest.mark.parametrize("shape", [(3,), (3, 1)])
def test_probabilities_of_membership_are_a_column_or_a_row(shape: tuple[int, ...]) -> None:
    assert read_rows("membership", np.array([0.0, 0.5, 1.0]).reshape(shape), 3) == [0, 0.5, 1]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("kind", KINDS)
def test_torch_tensors_are_read_whatever_their_type_with_their_gradient(kind: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    said = [[0.25]] if kind == "membership" else [[0.0, 0.5, 0.125, 0.125, 0.25]]
    tensor = torch.tensor(said, dtype=getattr(torch, dtype), requires_grad=True)
    assert read_rows(kind, tensor, 1) == read_rows(kind, said, 1)
    if dtype != "bfloat16":
        assert KINDS[kind].one(tensor[0]) == KINDS[kind].one(said[0])
    assert KINDS[kind].one(tensor[0].tolist()) == KINDS[kind].one(said[0])


# -- what means nothing


MEAN_NOTHING = {
    "sets": [
        ({"(", "x"}, "unknown symbol 'x'; there are `( ) [ ] END`"),
        ({0, 2}, "unknown symbol"),
        ({"(": 1.0, "x": 0.0}, "unknown symbol 'x'"),
        ({"(": NAN}, "NaN"),
        ([0.1, 0.2, NAN, 0.3, 0.4], "NaN"),
        (np.full(5, np.nan), "NaN"),
        ([0.1, 0.2, 0.3, 0.4], "4 scores, not 5"),
        (np.zeros((1, 5)), "1 scores, not 5"),
        (np.zeros((5, 1)), "where a score should be"),
        ([0.1, 0.2, None, 0.3, 0.4], "None, where a score should be"),
        (["(", "["], "a list of symbols, ['(', '[']: return a set"),
        (("(",) * 5, "a tuple of symbols"),
        ([0.1, 0.2, 1j, 0.3, 0.4], "1j, where a score should be"),
        (None, "answered None"),
        ("(", "a str"),
        (0.7, "a float"),
        (np.float64(0.7), "a float"),
    ],
    "scores": [
        ({"x"}, "unknown symbol 'x'"),
        ({("(",): 1.0}, "unknown symbol"),
        ({"(": "0.5"}, "'0.5', where a score should be"),
        (["0.5"] * 5, "a list of symbols"),
        ([0.5, "0.5", 0, 0, 0], "'0.5', where a score should be"),
        ([0.5, b"1", 0, 0, 0], "where a score should be"),
        ([0.5, NAN, 0, 0, 0], "NaN"),
        ([0.5] * 6, "6 scores, not 5"),
        (None, "answered None"),
    ],
    "choices": [
        (["("], "return a set"),
        ([NAN] * 5, "NaN"),
        ([1.0], "1 scores, not 5"),
        ("END", "a str"),
    ],
    "distributions": [
        ({"("}, "a set, where probabilities are asked for"),
        (frozenset(), "a set, where probabilities are asked for"),
        ({"(": 1}.keys(), "a set, where probabilities are asked for"),
        ([0.2, 0.2, 0.2, 0.2, 0.3], "whose sum is 1.1, not 1"),
        ([0.0] * 5, "whose sum is 0, not 1"),
        ([0.2, 0.2, 0.2, 0.2, 0.2 + 2e-4], "not 1"),
        ([1.5, -0.5, 0, 0, 0], "negative probability, -0.5"),
        ({"(": 0.5}, "whose sum is 0.5"),
        ([NAN, 0.5, 0.5, 0, 0], "NaN"),
        ([float("inf"), float("-inf"), 0, 0, 1], "not 1"),
        ({"(": "1"}, "where a score should be"),
    ],
    "membership": [
        ({"("}, "a set, not the probability that the string is a member"),
        ([0.1, 0.9], "a list, not the probability"),
        (np.zeros(0), "a ndarray, not the probability"),
        ("yes", "a str, not the probability"),
        (["yes"], "'yes', where a score should be"),
        (None, "answered None"),
        (NAN, "NaN"),
        ([NAN], "NaN"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "answer", "complaint"), [(kind, *case) for kind, cases in MEAN_NOTHING.items() for case in cases]
)
def test_an_answer_that_means_nothing_is_named(kind: str, answer: object, complaint: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        KINDS[kind].one(answer)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 200


@pytest.mark.parametrize("kind", ["sets", "scores", "choices", "distributions"])
@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (np.zeros((3, 4)), "shape (3, 4), not (3, 5)"),
        (np.zeros((2, 5)), "shape (2, 5), not (3, 5)"),
        (np.zeros(15), "shape (15,)"),
        (np.zeros((3, 5, 1)), "shape (3, 5, 1)"),
        (np.zeros((3, 5), complex), "complex"),
        (np.full((3, 5), "("), "not an array of numbers"),
        ([[0.1] * 5, [0.1] * 4, [0.1] * 5], "no array of numbers"),
        ([None] * 3, "not an array of numbers"),
        (None, "not an array of numbers"),
    ],
)
def test_an_array_that_means_nothing_is_named(kind: str, answer: object, complaint: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        KINDS[kind].rows(answer, 3, np.ones(3, np.bool_))
    assert complaint in str(refused.value)


@pytest.mark.parametrize("answer", [np.zeros((3, 2)), np.zeros(2), np.zeros((3, 1, 1)), "yes", None])
def test_an_array_of_another_shape_is_no_membership(answer: object) -> None:
    with pytest.raises(BadAnswer):
        KINDS["membership"].rows(answer, 3, np.ones(3, np.bool_))


@pytest.mark.parametrize("kind", KINDS)
def test_nan_takes_its_row_alone_and_only_if_it_counts(kind: str) -> None:
    width = len(KINDS[kind].columns)
    sound = np.zeros((4, width))
    sound[:, 0] = 1
    answer = sound.copy()
    answer[[1, 3], -1] = NAN
    values, nan = KINDS[kind].rows(answer, 4, np.array([True, True, True, False]))
    assert nan is not None and nan.tolist() == [False, True, False, False]
    expected = np.array(read_rows(kind, sound, 4))
    assert values[[0, 2]].tolist() == expected[[0, 2]].tolist()


def test_rows_that_do_not_count_may_be_no_distributions() -> None:
    answer = [[1, 0, 0, 0, 0], [7, -1, 0, 0, 0], [0, 0, 0, 0, 1]]
    counted = np.array([True, False, True])
    assert KINDS["distributions"].rows(answer, 3, counted)[0][counted].tolist() == [answer[0], answer[2]]
    with pytest.raises(BadAnswer, match="whose sum is 6"):
        KINDS["distributions"].rows(answer, 3, ~counted)
