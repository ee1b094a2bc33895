"""Answers must follow from the prefix alone: each way of failing that is found by `eval`'s audit and by `check`."""

import random
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.evaluations import audit_of, run_object
from helpers.model_files import small_data
from helpers.oracles import next_symbol_oracle
from marnn_bench.asking.local_model import LocalModel
from marnn_bench.asking.protocol import Loaded
from marnn_bench.evaluation.audits import Audit
from marnn_bench.evaluation.checks import Checker
from marnn_bench.examples import SetExamples, as_sets
from marnn_bench.generators.strings import Strings
from marnn_bench.scoring.predictions import Predictions
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task

Prefix = tuple[str, ...]
DYCK2 = find_task("dyck2")


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> SetExamples:
    """1,100 strings: more than a wave."""
    return as_sets(read_split(small_data(tmp_path_factory.mktemp("data"), "dyck2"), "dyck2", "test"))


def audited(model: object, examples: SetExamples, out: Path) -> dict[str, bool]:
    """What the audit of an evaluation says."""
    return audit_of(run_object(model, examples, out))


def checked(model: object, examples: SetExamples, out: Path) -> dict[str, bool]:
    """What `check` says."""
    found = Checker(LocalModel(model), "model").run(examples)
    return {one.name: one.passed for one in found if one.name not in ("loads", "answers")}


CHECKED_BY = [pytest.param(audited, id="eval"), pytest.param(checked, id="check")]
Checked = Callable[[object, SetExamples, Path], dict[str, bool]]


# -- models


def batched(answer: Callable[[list[Prefix]], list[set[str]]]) -> object:
    return SimpleNamespace(predict_batch=answer)


def one_of_two() -> set[str]:
    return {random.choice("()")}


def at_random() -> object:
    """Another answer each time."""
    return lambda prefix: one_of_two()


def at_random_in_large_batches() -> object:
    """Sound as long as a batch has less than 1,000 prefixes."""
    return batched(lambda prefixes: [one_of_two() if len(prefixes) >= 1_000 else {"("} for _ in prefixes])


def at_random_behind_the_twentieth_symbol() -> object:
    return lambda prefix: {"("} if len(prefix) < 20 else one_of_two()


def by_the_mean_of_the_batch() -> object:
    """As batch normalisation in training mode does."""

    def answer(prefixes: list[Prefix]) -> list[set[str]]:
        opened = [sum(symbol in "([" for symbol in prefix) for prefix in prefixes]
        mean = sum(opened) / len(opened)
        return [{"("} if n > mean else {"["} for n in opened]

    return batched(answer)


def by_the_place_in_the_batch() -> object:
    return batched(lambda prefixes: [{"("} if i % 2 else {"["} for i in range(len(prefixes))])


class Leaking:
    """Its state goes on from wave to wave."""

    def __init__(self) -> None:
        self._steps = 0

    def reset(self, n: int) -> None:
        """Forgets nothing."""

    def step(self, ids: np.ndarray) -> np.ndarray:
        self._steps += 1
        return np.full((len(ids), 4), self._steps % 7 / 7)


UNSOUND = {
    at_random: {"repeats", "companions", "causal"},
    at_random_in_large_batches: {"repeats"},
    at_random_behind_the_twentieth_symbol: {"repeats"},
    by_the_mean_of_the_batch: {"companions"},
    by_the_place_in_the_batch: {"companions"},
    Leaking: {"repeats"},
}
"""Models, and the checks that each fails at least."""


@pytest.mark.parametrize("found_by", CHECKED_BY)
@pytest.mark.parametrize("model", UNSOUND, ids=lambda model: model.__name__)
def test_a_model_whose_answers_do_not_follow_from_the_prefix_is_found(
    model: Callable[[], object], found_by: Checked, examples: SetExamples, tmp_path: Path
) -> None:
    passed = found_by(model(), examples, tmp_path / "out")
    assert list(passed) == ["repeats", "companions", "causal"]
    assert {name for name, ok in passed.items() if not ok} >= UNSOUND[model]


@pytest.mark.parametrize("found_by", CHECKED_BY)
def test_a_sound_model_passes(found_by: Checked, examples: SetExamples, tmp_path: Path) -> None:
    passed = found_by(next_symbol_oracle(DYCK2), examples, tmp_path / "out")
    assert passed == dict.fromkeys(("repeats", "companions", "causal"), True)


@pytest.mark.parametrize("found_by", CHECKED_BY)
def test_one_string_can_be_asked_about(found_by: Checked, examples: SetExamples, tmp_path: Path) -> None:
    assert all(found_by(next_symbol_oracle(DYCK2), examples.take([0]), tmp_path / "out").values())


def test_an_audit_that_was_left_out_is_recorded_and_asks_nothing(
    examples: SetExamples, tmp_path: Path
) -> None:
    waves: list[int] = []
    model = SimpleNamespace(reset=waves.append, step=lambda ids: np.zeros((len(ids), 4)))
    assert run_object(model, examples, tmp_path / "without", audit=False)["audit"] == {
        "done": False,
        "checks": [],
    }
    assert waves == [1024, 76]
    audit = run_object(model, examples, tmp_path / "with")["audit"]
    assert audit["done"] and waves[2:] == [1024, 76, 1024, 1024]


def test_the_prefix_of_a_difference_is_shown(examples: SetExamples, tmp_path: Path) -> None:
    """Waves are told apart by the calls of reset: only the first is right about strings of three symbols."""
    waves: list[int] = []
    places: list[int] = []

    def reset(n: int) -> None:
        waves.append(n)
        places.clear()

    def step(ids: np.ndarray) -> np.ndarray:
        places.append(0)
        odd = len(places) == 3 and len(waves) > 2
        return np.full((len(ids), 4), float(odd))

    audit = run_object(SimpleNamespace(reset=reset, step=step), examples, tmp_path / "out")["audit"]
    repeats = audit["checks"][0]
    shown = " ".join(examples.strings.texts(DYCK2.language.alphabet)[0].split()[:3])
    assert repeats["detail"] == f"1,024 of 1,024 strings differ, such as after `{shown}`"


# -- the same prefix in different strings

TEXTS = st.lists(st.text("()", min_size=1, max_size=4), min_size=1, max_size=6)


@given(TEXTS, st.data())
def test_equal_prefixes_with_different_answers_are_found_and_no_others(
    texts: list[str], data: st.DataObject
) -> None:
    strings = Strings.from_texts(DYCK2.language.alphabet, [" ".join(text) for text in texts])
    flat = st.lists(
        st.tuples(st.integers(0, 1), st.booleans()), min_size=len(strings.ids), max_size=len(strings.ids)
    )
    answers = data.draw(flat)
    by_prefix: dict[str, set[int]] = {}
    prefixes = (text[: i + 1] for text in texts for i in range(len(text)))
    for prefix, (mask, came) in zip(prefixes, answers, strict=True):
        if came:
            by_prefix.setdefault(prefix, set()).add(mask)
    causal = all(len(masks) == 1 for masks in by_prefix.values())
    masks, came = (
        np.array(values, kind) for values, kind in zip(zip(*answers, strict=True), ("<u8", bool), strict=True)
    )
    examples = SetExamples(DYCK2, "test", strings, np.zeros(len(masks), np.uint64), "d")
    predictions = Predictions({"predicted": masks}, came, strings.offsets)
    model: Any = LocalModel(lambda prefix: {"("})
    model.load(SimpleNamespace(alphabet=("(", ")"), columns=("(", ")"), answer="sets"))
    checks = {
        check.name: check
        for check in Audit(model, Loaded("predict", "sets", False, {}), examples, predictions, 0.5).checks()
    }
    assert checks["causal"].passed == causal
