"""What an answer means, and which answers mean nothing."""

from collections import OrderedDict
from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marnn_bench.evaluation.answers import AnswerParser, BadAnswer
from marnn_bench.evaluation.interfaces import find_interface
from marnn_bench.evaluation.protocol import Failure, ModelTask

COLUMNS = ("(", ")", "[", "]", "END")
TASK = ModelTask("brackets", COLUMNS[:-1], COLUMNS, "next-symbol", 0)
parser = AnswerParser(COLUMNS)

scores = st.lists(st.floats(0, 1), min_size=5, max_size=5)


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
        assert parser.mask(answer) == expected
    assert parser.masks([said, said], 2)[0].tolist() == [expected] * 2


def test_one_half_is_in_the_set() -> None:
    assert parser.mask([0.5, np.nextafter(0.5, 0), 0, 0, 0]) == 1


def test_torch_tensors_are_read_with_their_gradient_and_without() -> None:
    torch = pytest.importorskip("torch")
    for dtype in (torch.float64, torch.float32, torch.float16):
        tensor = torch.tensor([[0.1, 0.9, 0.5, 0.2, 0.7]], dtype=dtype, requires_grad=True)
        assert parser.mask(tensor[0]) == 0b10110
        assert parser.masks(tensor, 1)[0].tolist() == [0b10110]


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ({"(", "x"}, "unknown symbol 'x'; there are `( ) [ ] END`"),
        ({0, 2}, "unknown symbol"),
        ({"(": 1.0, "x": 0.0}, "unknown symbol 'x'"),
        ({"(": float("nan")}, "NaN"),
        ([0.1, 0.2, float("nan"), 0.3, 0.4], "NaN"),
        (np.full(5, np.nan), "NaN"),
        ([0.1, 0.2, 0.3, 0.4], "4 scores, not 5"),
        (np.zeros((1, 5)), "1 scores, not 5"),
        (np.zeros((5, 1)), "where a score should be"),
        ([0.1, 0.2, None, 0.3, 0.4], "None, where a score should be"),
        (["("] * 5, "'(', where a score should be"),
        ([0.1, 0.2, 1j, 0.3, 0.4], "1j, where a score should be"),
        (None, "answered None"),
        ("(", "a str"),
        (0.7, "a float"),
        (np.float64(0.7), "a float"),
    ],
)
def test_an_answer_that_means_nothing_is_named(answer: object, complaint: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        parser.mask(answer)
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 200


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
def test_an_array_that_means_nothing_is_named(answer: object, complaint: str) -> None:
    with pytest.raises(BadAnswer) as refused:
        parser.masks(answer, 3)
    assert complaint in str(refused.value)


def module_of(**functions: Callable[..., object]) -> ModuleType:
    """A model file that defines these."""
    module = ModuleType("model")
    vars(module).update(functions)
    return module


def test_the_fastest_door_is_taken() -> None:
    every: dict[str, Callable[..., object]] = dict.fromkeys(
        ("reset", "step", "predict_batch", "predict"), print
    )
    found = []
    for missing in ("reset", "predict_batch", "predict"):
        found.append(find_interface(module_of(**every), TASK).name)
        del every[missing]
    assert found == ["step", "predict_batch", "predict"]
    with pytest.raises(Failure, match="defines none of predict, predict_batch, reset \\+ step"):
        find_interface(module_of(**every), TASK)


def test_what_a_finished_stream_answers_is_ignored() -> None:
    answers = np.array([[0.9, 0, 0, 0, 0], [np.nan] * 5])
    interface = find_interface(module_of(reset=len, step=lambda ids: answers), TASK)
    failures: list[Failure] = []
    assert interface.step(np.array([2, -1]), failures.append).tolist() == [1, 0] and not failures


def test_a_finished_stream_is_fed_0_to_step_and_nothing_to_the_others() -> None:
    fed: list[object] = []
    ids = [np.array([0, 2]), np.array([-1, 3])]
    step = find_interface(
        module_of(reset=print, step=lambda ids: fed.append(ids.tolist()) or np.zeros((2, 5))), TASK
    )
    batch = find_interface(
        module_of(predict_batch=lambda prefixes: fed.append(prefixes) or [set()] * len(prefixes)), TASK
    )
    single = find_interface(module_of(predict=lambda prefix: fed.append(prefix) or set()), TASK)
    for interface in (step, batch, single):
        interface.reset(2)
        for one in ids:
            interface.step(one, pytest.fail)
    assert fed[:2] == [[0, 2], [0, 3]]
    assert fed[2:4] == [[("(",), ("[",)], [("[", "]")]]
    assert fed[4:] == [("(",), ("[",), ("[", "]")]


def test_a_failure_of_one_stream_leaves_the_others_their_answers() -> None:
    def predict(prefix: tuple[str, ...]) -> set[str]:
        return {"(": {"("}, "[": {"x"}}.get(prefix[0]) or {}[prefix]

    def predict_batch(prefixes: list[tuple[str, ...]]) -> list[object]:
        return [{"("} if prefix == ("(",) else [0.5] for prefix in prefixes]

    for model, kinds in (
        ({"predict": predict}, ["answer", "raised"]),
        ({"predict_batch": predict_batch}, ["answer"] * 2),
    ):
        failures: list[Failure] = []
        interface = find_interface(module_of(**model), TASK)
        interface.reset(4)
        assert interface.step(np.array([0, 2, -1, 3]), failures.append).tolist() == [1, 0, 0, 0]
        assert [failure.streams for failure in failures] == [[1], [3]]
        assert [failure.kind for failure in failures] == kinds


@pytest.mark.parametrize("answers", [[{"("}], [{"("}] * 3, np.zeros((1, 5)), None, 7])
def test_a_wrong_number_of_answers_fails_the_batch(answers: object) -> None:
    interface = find_interface(module_of(predict_batch=lambda prefixes: answers), TASK)
    interface.reset(2)
    with pytest.raises(Failure) as failed:
        interface.step(np.array([0, 1]), pytest.fail)
    assert failed.value.streams is None


def test_a_traceback_begins_in_the_model() -> None:
    def step(ids: object) -> object:
        raise KeyError("lost")

    interface = find_interface(module_of(reset=print, step=step), TASK)
    with pytest.raises(Failure) as failed:
        interface.step(np.array([0]), pytest.fail)
    assert str(failed.value) == "step raised KeyError: 'lost'"
    assert "in step" in failed.value.details and "interfaces.py" not in failed.value.details


def test_scores_of_another_meaning_are_refused() -> None:
    module = module_of(predict=set)
    vars(module)["scores"] = "probabilities"
    with pytest.raises(Failure, match="probabilities"):
        find_interface(module, TASK)
