"""`marnn-bench check`: what it tries on a model file, what it prints, and how it ends."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from helpers.command_line import marnn, succeed
from helpers.model_files import small_data, write_model, write_trained
from helpers.paths import MODELS
from marnn_bench.asking.process import ModelProcess
from marnn_bench.errors import ModelError
from marnn_bench.evaluation.checks import Check, Checker
from marnn_bench.examples import Examples
from marnn_bench.processes.limits import Limits
from marnn_bench.store.read import read_split

Write = Callable[[str], Path]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Examples:
    """Strings of dyck2."""
    return read_split(small_data(tmp_path_factory.mktemp("data"), "dyck2"), "dyck2", "test")


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a model file into a folder of its own."""
    return partial(write_model, tmp_path / "model")


def check(file: Path, examples: Examples) -> list[Check]:
    """Every check of a model."""
    with ModelProcess(file, Limits()) as model:
        return list(Checker(model, file.name).run(examples))


@pytest.mark.parametrize(
    "model", ["openers", "hashing_step", "hashing_predict_batch", "hashing_predict", "bracket_stack"]
)
def test_a_sound_model_passes(model: str, examples: Examples) -> None:
    found = check(MODELS / f"{model}.py", examples)
    assert [one.name for one in found] == ["loads", "answers", "repeats", "companions", "causal"]
    assert all(one.passed for one in found)


def test_a_failing_model_fails_at_once(write: Write, examples: Examples) -> None:
    with pytest.raises(ModelError, match=r"^my_model.py: predict answered NaN, at prefix `"):
        check(write("def predict(prefix): return [float('nan')] * 4"), examples)


def test_a_wave_of_full_size_is_asked(write: Write, examples: Examples) -> None:
    """A model that has no room for it is found here, and not after an hour."""
    file = write("def predict_batch(prefixes): return [{'('}] * min(len(prefixes), 1023)")
    with pytest.raises(ModelError, match="gave 1023 answers to 1024 prefixes"):
        check(file, examples)


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
