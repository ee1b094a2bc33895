"""The interfaces of a model: which one is taken, what it is fed, and what a failure costs."""

from collections.abc import Callable
from types import ModuleType
from typing import get_args

import numpy as np
import pytest

from marnn_bench.answer_kinds import AnswerKind
from marnn_bench.asking.interfaces import Interface, answer_requests, find_interface
from marnn_bench.asking.protocol import NONE, Answers, Failure, ModelTask, make_requests

COLUMNS = ("(", ")", "[", "]", "END")
TASK = ModelTask("brackets", COLUMNS[:-1], COLUMNS, "next-symbol", 0)
RECOGNITION = ModelTask("brackets", COLUMNS[:-1], ("member",), "recognition", 0, "membership")


def module_of(**functions: object) -> ModuleType:
    """A model file that defines these."""
    module = ModuleType("model")
    vars(module).update(functions)
    return module


def step(
    interface: Interface, symbols: list[int], report: Callable[[Failure], None] = pytest.fail
) -> Answers:
    """Add these symbols, NONE for none, and want an answer to each."""
    ids = np.array(symbols, np.int32)
    return interface.step(ids, ids != NONE, report)


def about_nothing(interface: Interface, n: int, report: Callable[[Failure], None] = pytest.fail) -> Answers:
    """What n streams answer about the empty prefix."""
    interface.reset(n)
    return answer_requests(interface, make_requests(np.full(n, NONE), np.ones(n, np.bool_)), report)


# -- which one


def test_the_fastest_interface_is_taken() -> None:
    every: dict[str, object] = dict.fromkeys(("reset", "step", "predict_batch", "predict"), print)
    found = []
    for missing in ("reset", "predict_batch", "predict"):
        found.append(find_interface(module_of(**every), TASK).name)
        del every[missing]
    assert found == ["step", "predict_batch", "predict"]
    with pytest.raises(Failure, match=r"defines none of predict, predict_batch, reset \+ step$"):
        find_interface(module_of(**every), TASK)


def test_accepts_is_for_recognition() -> None:
    both = module_of(accepts=lambda string: True, predict=lambda prefix: 0.0)
    assert find_interface(both, RECOGNITION).name == "accepts"
    assert find_interface(both, TASK).name == "predict"
    with pytest.raises(Failure, match=r"reset \+ step, accepts$"):
        find_interface(module_of(), RECOGNITION)


@pytest.mark.parametrize("kind", [kind for kind in get_args(AnswerKind) if kind != "membership"])
def test_scores_may_be_said_to_be_probabilities_where_sets_are_asked(kind: AnswerKind) -> None:
    """Language models give probabilities anyway; where one symbol is chosen, the meaning of scores does not matter."""
    task = TASK._replace(answer=kind)
    sigmoid = find_interface(module_of(predict=set, scores="sigmoid"), task)
    probabilities = find_interface(module_of(predict=set, scores="probabilities"), task)
    assert sigmoid.parser.kind == kind
    assert probabilities.parser.kind == ("distributions" if kind in ("sets", "scores") else kind)


def test_scores_of_another_meaning_are_refused() -> None:
    with pytest.raises(Failure, match="says scores = 'logits'; it may be 'sigmoid' or 'probabilities'"):
        find_interface(module_of(predict=set, scores="logits"), TASK)
    with pytest.raises(Failure, match="give the one that the string is a member"):
        find_interface(module_of(predict=lambda prefix: {"("}, scores="probabilities"), RECOGNITION)


# -- what it is fed


def test_what_a_finished_stream_answers_is_ignored() -> None:
    answers = np.array([[0.9, 0, 0, 0, 0], [np.nan] * 5])
    interface = find_interface(module_of(reset=len, step=lambda ids: answers), TASK)
    assert step(interface, [2, NONE]).tolist() == [1, 0]


def test_a_finished_stream_is_fed_0_to_step_and_nothing_to_the_others() -> None:
    fed: list[object] = []
    asked = [[0, 2], [NONE, 3]]
    stepped = find_interface(
        module_of(reset=print, step=lambda ids: fed.append(ids.tolist()) or np.zeros((2, 5))), TASK
    )
    batch = find_interface(
        module_of(predict_batch=lambda prefixes: fed.append(prefixes) or [set()] * len(prefixes)), TASK
    )
    single = find_interface(module_of(predict=lambda prefix: fed.append(prefix) or set()), TASK)
    for interface in (stepped, batch, single):
        interface.reset(2)
        for one in asked:
            step(interface, one)
    assert fed[:2] == [[0, 2], [0, 3]]
    assert fed[2:4] == [[("(",), ("[",)], [("[", "]")]]
    assert fed[4:] == [("(",), ("[",), ("[", "]")]


def test_symbols_whose_answers_are_not_wanted_are_fed_and_not_asked() -> None:
    fed: list[object] = []
    single = find_interface(module_of(predict=lambda prefix: fed.append(prefix) or {"("}), TASK)
    single.reset(2)
    for wanted in ([False, False], [False, True]):
        found = single.step(np.array([0, 1], np.int32), np.array(wanted), pytest.fail)
    assert fed == [(")", ")")] and found.tolist() == [0, 1]


def test_all_streams_ask_about_the_same_empty_prefix_once() -> None:
    fed: list[object] = []
    single = find_interface(module_of(predict=lambda prefix: fed.append(prefix) or {"["}), TASK)
    assert about_nothing(single, 3).tolist() == [4] * 3 and fed == [()]
    stepped = find_interface(module_of(reset=lambda n: np.eye(n, 5), step=print), TASK)
    assert about_nothing(stepped, 3).tolist() == [1, 2, 4]


def test_reset_that_returns_nothing_leaves_the_empty_prefix_unanswered() -> None:
    with pytest.raises(Failure, match=r"^reset returned nothing: .* return the scores for it"):
        about_nothing(find_interface(module_of(reset=lambda n: None, step=print), TASK), 3)
    with pytest.raises(Failure, match=r"^reset answered an array of shape"):
        about_nothing(find_interface(module_of(reset=lambda n: [[1.0]], step=print), TASK), 3)


# -- next-symbol sets as recognition


@pytest.mark.parametrize("interface", ["predict", "predict_batch", "step"])
@pytest.mark.parametrize(
    ("string", "member"), [("", 0), ("(", 0), ("( )", 1), (")", 0), ("( ) )", 0), ("[ ]", 0), ("( ( )", 0)]
)
def test_members_are_strings_of_which_every_symbol_is_in_its_set_and_end_in_the_last(
    interface: str, string: str, member: int
) -> None:
    """Of a model that knows `( )` alone, and takes END back behind what is no prefix of it."""
    sets = {(): {"("}, ("(",): {")"}, ("(", ")"): {"END"}}

    def predict(prefix: tuple[str, ...]) -> set[str]:
        return sets.get(prefix, {"END"})

    prefixes: list[tuple[str, ...]] = []

    def scores() -> list[list[float]]:
        return [[float(symbol in predict(prefix)) for symbol in COLUMNS] for prefix in prefixes]

    def reset(n: int) -> list[list[float]]:
        prefixes[:] = [()] * n
        return scores()

    def advance(ids: np.ndarray) -> list[list[float]]:
        prefixes[:] = [(*prefix, COLUMNS[i]) for prefix, i in zip(prefixes, ids.tolist(), strict=True)]
        return scores()

    model = {
        "predict": {"predict": predict},
        "predict_batch": {"predict_batch": lambda asked: [predict(prefix) for prefix in asked]},
        "step": {"reset": reset, "step": advance},
    }[interface]
    asked = find_interface(module_of(**model), RECOGNITION)
    found = about_nothing(asked, 2)
    for symbol in string.split():
        found = step(asked, [COLUMNS.index(symbol)] * 2)
    assert found.tolist() == [member] * 2


# -- failures


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
        assert step(interface, [0, 2, NONE, 3], failures.append).tolist() == [1, 0, 0, 0]
        assert [failure.streams for failure in failures] == [[1], [3]]
        assert [failure.kind for failure in failures] == kinds


def test_a_failure_at_the_empty_prefix_is_one_of_all_streams() -> None:
    """They ask about the same prefix."""
    for model in (
        {"predict": lambda prefix: {}[prefix]},
        {"predict": lambda prefix: {"x"}},
        {"predict_batch": lambda prefixes: [{"x"}] * len(prefixes)},
        {"predict_batch": lambda prefixes: np.full((len(prefixes), 5), np.nan)},
    ):
        with pytest.raises(Failure) as failed:
            about_nothing(find_interface(module_of(**model), TASK), 3)
        assert failed.value.streams is None


@pytest.mark.parametrize("answers", [[{"("}], [{"("}] * 3, np.zeros((1, 5)), None, 7])
def test_a_wrong_number_of_answers_fails_the_batch(answers: object) -> None:
    interface = find_interface(module_of(predict_batch=lambda prefixes: answers), TASK)
    interface.reset(2)
    with pytest.raises(Failure) as failed:
        step(interface, [0, 1])
    assert failed.value.streams is None


def test_a_traceback_begins_in_the_model() -> None:
    def fails(ids: object) -> object:
        raise KeyError("lost")

    interface = find_interface(module_of(reset=print, step=fails), TASK)
    with pytest.raises(Failure) as failed:
        step(interface, [0])
    assert str(failed.value) == "step raised KeyError: 'lost'"
    assert "in fails" in failed.value.details and "in call" not in failed.value.details
