"""Models that fail: where it ends, what stays, and what each failure costs if the evaluation goes on."""

import shutil
from collections.abc import Callable
from functools import partial
from math import ceil, log2
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from helpers.evaluations import audit_of, run, run_object
from helpers.model_files import errors, samples, small_data, write_model
from helpers.paths import MODELS
from marnn_bench.asking.ask import MAX_LONE_FAILURES
from marnn_bench.asking.waves import waves_of
from marnn_bench.errors import LimitError, ModelError
from marnn_bench.examples import SetExamples, as_sets
from marnn_bench.generators.strings import Strings
from marnn_bench.processes.limits import Limits
from marnn_bench.store.read import read_split
from marnn_bench.tasks.joulin2015 import ANBN

Write = Callable[[str], Path]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two waves of dyck2."""
    return small_data(tmp_path_factory.mktemp("data"), "dyck2")


@pytest.fixture(scope="session")
def test_split(data: Path) -> SetExamples:
    """The 1,100 strings that are asked."""
    return as_sets(read_split(data, "dyck2", "test"))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a model file into a folder of its own."""
    return partial(write_model, tmp_path / "model")


def test_the_first_failure_ends_it_and_what_was_answered_stays(
    data: Path, tmp_path: Path, write: Write
) -> None:
    file = write(
        """
        import os
        waves = 0
        def reset(n):
            global waves
            waves += 1
        def step(ids):
            if waves == 2 and os.path.exists("../broken"):
                raise ValueError("so it goes")
            print(waves, file=open("../asked", "a"))
            return [[1, 0, 1, 0]] * len(ids)
        """
    )
    out, broken = tmp_path / "out", tmp_path / "broken"
    broken.touch()
    with pytest.raises(
        ModelError, match=r"step raised ValueError: so it goes, at test rows 1024-1099, after 1 symbol\."
    ):
        run(file, data, out, audit=False)
    assert sorted(path.name for path in (out / ".parts").iterdir()) == [
        "00000-00000.arrow",
        "files.json",
        "key",
    ]
    (error,) = errors(out)
    assert (error["kind"], error["rows"], error["symbol"]) == ("raised", list(range(1024, 1100)), 0)
    assert "so it goes" in error["traceback"]
    assert not (out / "result.json").exists()

    broken.unlink()
    (tmp_path / "asked").unlink()
    result = run(file, data, out, audit=False)
    assert set((tmp_path / "asked").read_text().split()) == {"1"}  # one wave was missing
    assert result["runs"] == run(file, data, tmp_path / "again", audit=False)["runs"]
    assert errors(out) == []


def test_keep_going_counts_what_fails_as_wrong(data: Path, tmp_path: Path) -> None:
    """Rows 3 and 5 fail at their 40th symbol; where the process dies, the string that does it is found."""
    test = read_split(data, "dyck2", "test")
    prefixes = [
        tuple(test.task.language.alphabet.symbols[i] for i in test.strings[row][:40]) for row in (3, 5, 1030)
    ]
    shutil.copy(MODELS / "bracket_stack.py", tmp_path)
    source = f"""
        import os
        from bracket_stack import load, predict as know
        def predict(prefix):
            if prefix == {prefixes[0]}:
                return [float("nan")] * 4
            if prefix == {prefixes[1]}:
                raise ValueError("one string")
            if prefix == {prefixes[2]}:
                os._exit(1)
            return know(prefix)
        """
    file = write_model(tmp_path, source)
    result = run(file, data, tmp_path / "out", keep_going=True)
    found = samples(tmp_path / "out")
    wrong = [row for row, correct in enumerate(found["correct"]) if not correct]
    assert wrong == [3, 5, 1030]
    assert {found["first_error"][row] for row in wrong} == {39}
    for row, masks in enumerate(found["predicted"]):
        missing = [place for place, mask in enumerate(masks) if mask is None]
        assert missing == (list(range(39, len(masks))) if row in wrong else [])
    assert {error["kind"] for error in errors(tmp_path / "out")} == {"answer", "raised", "died"}
    assert result["errors"]["rows"] == len(wrong)


def test_limits_stop_and_do_not_keep_from_resuming(data: Path, tmp_path: Path, write: Write) -> None:
    file = write(
        """
        import time
        def predict_batch(prefixes):
            if len(prefixes) < 77: time.sleep(1.5 if len(prefixes[0]) == 1 else 0)
            return [set()] * len(prefixes)
        """
    )
    with pytest.raises(
        LimitError, match=r"did not answer within 1 s; .* so far, at test rows 1024-1099.*--timeout 3"
    ):
        run(file, data, tmp_path / "out", limits=Limits(timeout=1))
    assert run(file, data, tmp_path / "out", limits=Limits(timeout=30))["samples"]["rows"] == 1100


# -- what fails as a whole is asked again in halves


FATAL = {
    "died": ("os._exit(1)", 500),
    "raised": ("raise ValueError('one of you')", 500),
    "time": ("time.sleep(60)", 1030),
}
"""How one string makes its whole wave fail: the kind of failure -> what happens, and the row."""


@pytest.mark.parametrize("kind", FATAL)
def test_a_string_that_takes_its_wave_along_costs_itself_alone(
    kind: str, data: Path, test_split: SetExamples, tmp_path: Path, write: Write
) -> None:
    act, row = FATAL[kind]
    prefix = tuple(test_split.strings.texts(test_split.task.language.alphabet)[row].split()[:30])
    file = write(
        f"""
        import os, time
        def predict_batch(prefixes):
            if {prefix} in prefixes: {act}
            return [{{"("}} if len(prefix) < 30 else {{"["}} for prefix in prefixes]
        """
    )
    result = run(file, data, tmp_path / "out", keep_going=True, limits=Limits(timeout=2))
    lacking = {
        row: masks.index(None)
        for row, masks in enumerate(samples(tmp_path / "out")["predicted"])
        if None in masks
    }
    assert lacking == {row: 29} and result["errors"]["rows"] == 1
    (error,) = errors(tmp_path / "out")
    assert (error["kind"], error["rows"], error["prefix"].split()) == (kind, [row], list(prefix))
    assert audit_of(result) == dict.fromkeys(("repeats", "companions", "causal"), True)


def test_where_every_string_fails_it_ends_after_few_attempts(test_split: SetExamples, tmp_path: Path) -> None:
    attempts: list[int] = []

    def step(ids: np.ndarray) -> np.ndarray:
        raise ValueError("never")

    result = run_object(
        SimpleNamespace(reset=attempts.append, step=step), test_split, tmp_path / "out", keep_going=True
    )
    assert result["errors"]["rows"] == len(test_split)
    metrics = result["runs"][0]["metrics"]
    assert metrics["sequence_accuracy"]["value"] == metrics["position_accuracy"]["value"] == 0
    sizes = [len(wave) for wave in waves_of(len(test_split))]
    assert len(attempts) <= sum(2 * (MAX_LONE_FAILURES + ceil(log2(size))) for size in sizes)
    concerned = [row for error in errors(tmp_path / "out") for row in error["rows"]]
    assert sorted(concerned) == [*range(len(test_split))]


def test_strings_that_fail_alone_do_not_make_others_fail(test_split: SetExamples, tmp_path: Path) -> None:
    """Every string of which the 60th symbol is asked."""

    def predict(prefix: tuple[str, ...]) -> set[str]:
        return {"("} if len(prefix) < 60 else {}[prefix]

    result = run_object(predict, test_split, tmp_path / "out", keep_going=True)
    long = np.flatnonzero(test_split.strings.lengths >= 60).tolist()
    assert sorted(row for error in errors(tmp_path / "out") for row in error["rows"]) == long
    predicted = samples(tmp_path / "out")["predicted"]
    assert [row for row, masks in enumerate(predicted) if None in masks] == long
    assert result["errors"]["rows"] == len(long)
    assert all(audit_of(result).values())


def test_a_failure_is_listed_once_however_often_its_string_is_asked(
    data: Path, test_split: SetExamples, tmp_path: Path, write: Write
) -> None:
    """Row 3 fails by itself in each of the waves and halves that row 500 ends."""
    alone, together = (test_split.strings.texts(test_split.task.language.alphabet)[row] for row in (3, 500))
    file = write(
        f"""
        import os
        def predict(prefix):
            if prefix == {tuple(alone.split()[:20])}: raise ValueError("one string")
            if prefix == {tuple(together.split()[:30])}: os._exit(1)
            return {{"("}}
        """
    )
    result = run(file, data, tmp_path / "out", keep_going=True, audit=False)
    assert [error["rows"] for error in errors(tmp_path / "out")] == [[3], [500]]
    assert result["errors"]["rows"] == 2


# -- streams


@pytest.mark.parametrize("place", range(12))
def test_in_a_stream_the_strings_behind_a_failure_lack_answers(place: int, tmp_path: Path) -> None:
    """Four strings a segment, which begins with the last symbol of the string before: the second fails at some place."""
    texts = ["a b", "a a b b", "a b"] * 4
    strings = Strings.from_texts(ANBN.language.alphabet, [*texts, "a b"])
    examples = SetExamples(ANBN, "test", strings, ANBN.view.answers(ANBN.language, strings), digest="")

    class Failing:
        def reset(self, n: int) -> None:
            self.fed = 0

        def step(self, ids: np.ndarray) -> np.ndarray:
            self.fed += 1
            scores = np.tile([0.1, 0.2, 0.3], (len(ids), 1))
            if self.fed == place + 1:
                scores[1] = np.nan
            return scores

    result = run_object(Failing(), examples, tmp_path, keep_going=True, stream=4)
    predicted = samples(tmp_path)["predicted"]
    lacking = [row for row, answers in enumerate(predicted) if None in answers]
    (error,) = errors(tmp_path)
    assert error["rows"] == lacking and result["errors"]["rows"] == len(lacking)
    said = predicted[lacking[0]].index(None)  # answers that came about the first of them
    assert error["prefix"] == " ".join([*texts, "a b"][lacking[0]].split()[: said + 1])
