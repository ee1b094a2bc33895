"""`marnn-bench check`: a sound model passes, and each way of being unsound is found."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import marnn, succeed
from helpers.model_files import small_data, write_model, write_trained
from helpers.paths import MODELS
from marnn_bench.errors import ModelError
from marnn_bench.evaluation.checks import Check, Checker, shared_prefixes
from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.strings import Strings
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task

Write = Callable[[str], Path]
AB = Alphabet.of("a b")


@pytest.fixture(scope="module")
def strings(tmp_path_factory: pytest.TempPathFactory) -> Strings:
    """Strings of dyck2."""
    return read_split(small_data(tmp_path_factory.mktemp("data"), "dyck2"), "dyck2", "train").strings


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a model file into a folder of its own."""
    return partial(write_model, tmp_path / "model")


def check(file: Path, strings: Strings) -> list[Check]:
    """Every check of a model."""
    with ModelProcess(file, Limits()) as model:
        return list(Checker(model, find_task("dyck2"), file.name).run(strings))


def failed(file: Path, strings: Strings) -> set[str]:
    """The checks that a model fails."""
    return {one.name for one in check(file, strings) if not one.passed}


@pytest.mark.parametrize(
    "model", ["openers", "hashing_step", "hashing_predict_batch", "hashing_predict", "bracket_stack"]
)
def test_a_sound_model_passes(model: str, strings: Strings) -> None:
    found = check(MODELS / f"{model}.py", strings)
    assert [one.name for one in found] == ["loads", "answers", "repeats", "companions", "causal"]
    assert all(one.passed for one in found)


def test_a_model_that_answers_by_chance_is_found(write: Write, strings: Strings) -> None:
    file = write("import random\ndef predict(prefix): return {random.choice('()[]')}")
    assert failed(file, strings) == {"repeats", "companions", "causal"}


def test_state_that_reset_does_not_clear_is_found(write: Write, strings: Strings) -> None:
    file = write(
        """
        import numpy as np
        steps = 0
        def reset(n): pass
        def step(ids):
            global steps
            steps += 1
            return np.full((len(ids), 4), steps < 10)
        """
    )
    assert "repeats" in failed(file, strings)


def test_an_answer_that_depends_on_the_others_of_the_batch_is_found(write: Write, strings: Strings) -> None:
    """As batch normalisation in training mode does."""
    file = write(
        """
        def predict_batch(prefixes):
            lengths = [sum(s in "([" for s in p) for p in prefixes]
            return [{"("} if n > sum(lengths) / len(lengths) else {"["} for n in lengths]
        """
    )
    assert failed(file, strings) >= {"companions"} and "repeats" not in failed(file, strings)


def test_an_answer_that_depends_on_the_place_in_the_batch_is_found(write: Write, strings: Strings) -> None:
    file = write(
        "def predict_batch(prefixes): return [{'('} if i % 2 else {'['} for i in range(len(prefixes))]"
    )
    assert "companions" in failed(file, strings)


def test_the_first_difference_is_shown(write: Write, strings: Strings) -> None:
    file = write(
        """
        from itertools import count
        calls = count()
        def reset(n): next(calls)
        def step(ids): return [[int(repr(calls)[6:-1]) % 2, 0, 1, 0]] * len(ids)
        """
    )
    repeats = {one.name: one for one in check(file, strings)}["repeats"]
    assert repeats.detail.startswith("after `") and repeats.detail.endswith("` first {( [}, then {[}")


def test_a_failing_model_fails_at_once(write: Write, strings: Strings) -> None:
    with pytest.raises(ModelError, match=r"^my_model.py: predict answered NaN, at prefix `"):
        check(write("def predict(prefix): return [float('nan')] * 4"), strings)


@given(st.lists(st.text("ab", max_size=5), min_size=1, max_size=8))
def test_shared_prefixes_are_those_that_strings_agree_in(texts: list[str]) -> None:
    pairs = shared_prefixes(Strings.from_texts(AB, [" ".join(text) for text in texts]), most=3)
    longest = max(
        (i for one in texts for other in texts for i in range(min(len(one), len(other))) if one[:i] == other[:i] and one[i] != other[i]),
        default=None,
    )  # fmt: skip
    assert (pairs[0].shared if pairs else None) == longest and len(pairs) <= 3
    for shared, first, second in pairs:
        assert (
            texts[first][:shared] == texts[second][:shared] and texts[first][shared] != texts[second][shared]
        )


def test_strings_that_share_no_prefix_are_checked_too(strings: Strings) -> None:
    assert not failed(MODELS / "openers.py", strings.take(np.array([0])))


# -- the command line


def test_check_says_what_it_tried_and_what_to_type_next(tmp_path: Path) -> None:
    ended = marnn("check", MODELS / "hashing_step.py", "--task", "string-reversal", cwd=tmp_path)
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["ok", name] for name in ("loads", "answers", "repeats", "companions", "causal")
    ]
    assert max(map(len, lines)) <= 80
    assert f"Next: marnn-bench eval {MODELS / 'hashing_step.py'} --task string-reversal\n" in ended.err


def test_check_of_an_unsound_model_ends_with_1(write: Write, tmp_path: Path) -> None:
    file = write("import random\ndef predict(prefix): return {random.choice('()[]')}")
    ended = marnn("check", file, "--task", "dyck2", cwd=tmp_path)
    assert ended.code == 1
    assert ended.out.count("FAIL") == 3
    assert "the same prefix in different ways (repeats, companions, causal)" in ended.error


def test_check_as_json(write: Write, tmp_path: Path) -> None:
    printed = json.loads(
        succeed("check", MODELS / "openers.py", "--task", "dyck2", "--format", "json", cwd=tmp_path)
    )
    assert printed["task"] == "dyck2" and all(one["passed"] for one in printed["checks"])


def test_check_takes_a_train_folder(tmp_path: Path) -> None:
    succeed("check", write_trained(tmp_path / "trained"), "--task", "dyck2", cwd=tmp_path)


def test_check_of_a_file_without_a_door_says_where_it_is_explained(write: Write, tmp_path: Path) -> None:
    ended = marnn("check", write("x = 1"), "--task", "dyck2", cwd=tmp_path)
    assert ended.code == 3
    assert (
        ended.error
        == "my_model.py defines none of predict, predict_batch, reset + step. See `marnn-bench check --help`."
    )
    explained = succeed("check", "--help", cwd=tmp_path)
    for part in ("def predict(prefix):", "predict_batch(prefixes)", "reset(n), step(ids)", "load(task)"):
        assert part in explained


def test_the_example_in_the_help_is_a_model(write: Write, tmp_path: Path) -> None:
    lines = succeed("check", "--help", cwd=tmp_path).splitlines()
    start = lines.index(next(line for line in lines if "# my_model.py" in line))
    source = "\n".join(line[6:] for line in lines[start : start + 3])
    succeed("check", write(source), "--task", "dyck2", cwd=tmp_path)
