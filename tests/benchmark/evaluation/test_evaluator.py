"""Whole evaluations: right models score 1, wrong ones what can be counted, and a killed one continues."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from helpers.model_files import errors, samples, small_data, write_model, write_trained
from helpers.paths import MODELS
from marnn_bench.errors import DataError, LimitError, ModelError, UsageError
from marnn_bench.evaluation.evaluator import Evaluation, evaluate
from marnn_bench.evaluation.process import Limits, ModelProcess
from marnn_bench.evaluation.results import ResultFolder, integrity
from marnn_bench.evaluation.source import ModelSource, folder_digest
from marnn_bench.evaluation.waves import NO_ANSWER
from marnn_bench.examples import Examples
from marnn_bench.generators.languages.palindromes import MarkedPalindromes
from marnn_bench.generators.strings import Strings
from marnn_bench.store.read import read_split
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task
from marnn_bench.views import NextSymbol

Record = dict[str, Any]
Write = Callable[[str], Path]


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small splits of some tasks."""
    names = ("dyck2", "dyck3", "hom-palindrome", "marked-palindrome", "string-reversal")
    return small_data(tmp_path_factory.mktemp("data"), *names)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a model file into a folder of its own."""
    return partial(write_model, tmp_path / "model")


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    """The folder of three trained runs."""
    return write_trained(tmp_path / "trained")


def run(
    model: Path, data: Path, out: Path, task: str = "dyck2", *, runs: int | None = None, keep_going: bool = False,
    limits: Limits | None = None,
) -> Record:  # fmt: skip
    """Evaluate as the command does."""
    source, limits = ModelSource.find(model, runs), limits or Limits()
    test, train = (read_split(data, find_task(task), split) for split in ("test", "train"))
    evaluation = Evaluation(source, test, train, limits, keep_going)
    with ModelProcess(source.file, limits) as process:
        return evaluate(process, evaluation, ResultFolder(out, evaluation.key()))


# -- scores


@pytest.mark.parametrize(
    ("model", "task"),
    [("bracket_stack", "dyck2"), ("bracket_stack", "dyck3")]
    + [("mirror_stack", name) for name in ("hom-palindrome", "marked-palindrome", "string-reversal")],
)
def test_a_model_that_knows_the_language_scores_exactly_1(
    model: str, task: str, data: Path, tmp_path: Path
) -> None:
    result = run(MODELS / f"{model}.py", data, tmp_path / "out", task)
    (scores,) = result["runs"]
    assert scores["sequence_accuracy"]["value"] == scores["position_accuracy"]["value"] == 1.0
    assert scores["position_accuracy"]["lower"] == 1.0 and scores["sequence_accuracy"]["lower"] > 0.99
    assert all(cell["value"] == 1.0 for by in ("length", "depth") for cell in scores[f"by_{by}"])
    assert scores["first_error"] == {"strings": 0, "median": None}
    assert scores["longest_solved"] == max(cell["length"] for cell in scores["by_length"])
    assert result["summary"]["solved"]["runs"] == 1


def test_a_constant_model_scores_what_can_be_counted(data: Path, tmp_path: Path) -> None:
    result = run(MODELS / "openers.py", data, tmp_path / "out")
    rows = pq.read_table(data / "data/dyck2/test-00000-of-00001.parquet").to_pylist()
    right = [[mask == 0b0101 for mask in row["next"]] for row in rows]
    (scores,) = result["runs"]
    assert scores["position_accuracy"]["value"] == sum(map(sum, right)) / sum(map(len, right))
    assert scores["sequence_accuracy"]["value"] == sum(map(all, right)) / len(right)
    assert (
        scores["position_accuracy"]["lower"]
        < scores["position_accuracy"]["value"]
        < scores["position_accuracy"]["upper"]
    )
    at_zero = scores["positions_by_depth"][0]
    assert (at_zero["depth"], at_zero["correct"]) == (0, sum(map(sum, right)))


def test_the_three_doors_give_the_same_result(data: Path, tmp_path: Path) -> None:
    results, contents = [], []
    for interface in ("step", "predict_batch", "predict"):
        results.append(run(MODELS / f"hashing_{interface}.py", data, tmp_path / interface, "hom-palindrome"))
        contents.append(samples(tmp_path / interface))
    assert [result["model"]["interface"] for result in results] == ["step", "predict_batch", "predict"]
    assert contents[0] == contents[1] == contents[2]
    assert results[0]["runs"] == results[1]["runs"] == results[2]["runs"]
    assert 0 < results[0]["runs"][0]["position_accuracy"]["value"] < 0.2


def test_samples_can_be_scored_again_without_the_model(data: Path, tmp_path: Path) -> None:
    result = run(MODELS / "hashing_step.py", data, tmp_path / "out", "string-reversal")
    found = samples(tmp_path / "out")
    test = read_split(data, "string-reversal", "test")
    assert found["row"] == list(range(len(test))) and set(found["run"]) == {0}
    for row, predicted in enumerate(found["predicted"]):
        start, end = test.strings.offsets[row : row + 2]
        wrong = np.flatnonzero(test.answers[start:end] != np.array(predicted, np.uint64))
        assert found["correct"][row] == (len(wrong) == 0)
        assert found["first_error"][row] == (wrong[0] if len(wrong) else -1)
    assert np.mean(found["correct"]) == result["runs"][0]["sequence_accuracy"]["value"]


def test_no_wave_has_more_than_1024_strings(data: Path, tmp_path: Path, write: Write) -> None:
    file = write(
        """
        def predict_batch(prefixes):
            print(len(prefixes), {len(p) for p in prefixes}, file=open("asked", "a"))
            return [{"("}] * len(prefixes)
        """
    )
    run(file, data, tmp_path / "out")
    asked = [line.split() for line in (file.parent / "asked").read_text().splitlines()]
    assert {int(n) for n, _ in asked[:52]} == {1024} and asked[0] == ["1024", "{1}"]
    assert [int(n) for n, lengths in asked if lengths == "{1}"] == [1024, 76]


# -- the directory of a result


def test_what_a_result_holds(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    result = run(MODELS / "openers.py", data, out)
    assert sorted(path.name for path in out.iterdir()) == ["errors.jsonl", "result.json", "samples.parquet"]
    assert json.loads((out / "result.json").read_text()) == result
    assert result["integrity"] == integrity(result)
    assert result["samples"]["sha256"] == hashlib.sha256((out / "samples.parquet").read_bytes()).hexdigest()
    assert result["samples"]["rows"] == 1100 and errors(out) == []
    assert result["task"]["digest"] == read_split(data, "dyck2", "test").digest
    assert (result["task"]["rows"], result["task"]["columns"]) == (1100, ["(", ")", "[", "]"])
    assert result["harness"]["packages"]["numpy"] == np.__version__
    assert result["protocol"]["limits"]["environment"] == {"state": "enforced"}
    assert [answer["name"] for answer in result["trivial"]] == [
        "best constant set",
        "best set by last symbol",
        "counter",
    ]


def test_the_leaderboard_reads_a_result(data: Path, tmp_path: Path) -> None:
    from marnn_bench.leaderboard.results import read_result

    result = run(MODELS / "hashing_step.py", data, tmp_path / "out")
    read = read_result(tmp_path / "out")
    assert read.correct().mean() == result["runs"][0]["sequence_accuracy"]["value"]


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
        run(file, data, out)
    assert sorted(path.name for path in (out / ".parts").iterdir()) == ["00000-00000.parquet", "key"]
    (error,) = errors(out)
    assert (error["kind"], error["rows"], error["symbol"]) == ("raised", list(range(1024, 1100)), 0)
    assert "so it goes" in error["traceback"]
    assert not (out / "result.json").exists()

    broken.unlink()
    (tmp_path / "asked").unlink()
    result = run(file, data, out)
    assert set((tmp_path / "asked").read_text().split()) == {"1"}  # one wave was missing
    assert result["runs"] == run(file, data, tmp_path / "again")["runs"]
    assert errors(out) == []


def test_keep_going_counts_what_fails_as_wrong(data: Path, tmp_path: Path) -> None:
    """Rows 3 and 5 fail at their 40th symbol, and in the second wave the process dies."""
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
    assert wrong == [3, 5, *range(1024, 1100)]
    assert {found["first_error"][row] for row in wrong} == {39}
    assert found["predicted"][3][39:] == [int(NO_ANSWER)] * (test.strings.lengths[3] - 39)
    assert {error["kind"] for error in errors(tmp_path / "out")} == {"answer", "raised", "died"}
    assert result["errors"]["rows"] == len(wrong)


def test_another_result_is_not_touched_without_overwrite(data: Path, tmp_path: Path, write: Write) -> None:
    out, keys = tmp_path / "out", []
    run(MODELS / "openers.py", data, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    test = read_split(data, "dyck2", "test")
    for model in (
        MODELS / "openers.py",
        MODELS / "hashing_step.py",
        write("def predict(prefix): return set()"),
    ):
        keys.append(ResultFolder(out, Evaluation(ModelSource.find(model), test, test).key()))
    assert [folder.state() for folder in keys] == ["complete", "other", "other"]
    assert keys[0].read()["runs"]
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_an_edited_result_is_not_taken_for_this_one(data: Path, tmp_path: Path) -> None:
    result = run(MODELS / "openers.py", data, tmp_path / "out")
    (tmp_path / "out" / "result.json").write_text(json.dumps({**result, "wall_s": 0}))
    assert ResultFolder(tmp_path / "out", result["resume_key"]).state() == "other"


def test_a_damaged_part_is_named(data: Path, tmp_path: Path, write: Write) -> None:
    file = write(
        "def predict_batch(prefixes):\n    if len(prefixes) < 77: 1 / 0\n    return [set()] * len(prefixes)"
    )
    with pytest.raises(ModelError):
        run(file, data, tmp_path / "out")
    (tmp_path / "out" / ".parts" / "00000-00000.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(DataError, match=r"00000-00000.parquet is damaged"):
        run(file, data, tmp_path / "out")


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
        LimitError, match=r"did not answer within 1 s, at test rows 1024-1099.*--wave-seconds"
    ):
        run(file, data, tmp_path / "out", limits=Limits(wave_seconds=1))
    assert run(file, data, tmp_path / "out", limits=Limits(wave_seconds=30))["samples"]["rows"] == 1100


# -- runs


def test_all_runs_of_a_train_folder_are_evaluated(trained: Path, data: Path, tmp_path: Path) -> None:
    result = run(trained, data, tmp_path / "out")
    assert [scores["sequence_accuracy"]["value"] for scores in result["runs"]] == [0.0, 1.0, 0.0]
    assert result["summary"]["solved"]["share"] == 1 / 3
    assert (
        result["model"]["name"] == "stack-rnn" and result["model"]["training"]["published_row"] == "Stack-RNN"
    )
    found = samples(tmp_path / "out")
    assert found["run"] == [0] * 1100 + [1] * 1100 + [2] * 1100
    assert found["predicted"][0][0] == 1 and found["predicted"][2200][0] == 5
    alone = run(MODELS / "bracket_stack.py", data, tmp_path / "alone")
    assert {**result["runs"][1], "run": 0} == alone["runs"][0]


def test_fewer_runs_can_be_asked_and_more_cannot(trained: Path, data: Path, tmp_path: Path) -> None:
    assert len(run(trained, data, tmp_path / "out", runs=2)["runs"]) == 2
    with pytest.raises(UsageError, match=r"holds 3 runs, not 4. Try --runs 3"):
        ModelSource.find(trained, 4)
    run(MODELS / "mirror_stack.py", data, tmp_path / "with-load", "string-reversal", runs=2)
    without_load = write_model(tmp_path, "def predict(prefix): return set()")
    with pytest.raises(UsageError, match="has no load"):
        run(without_load, data, tmp_path / "without-load", runs=2)


def test_a_failed_load_names_its_run(trained: Path, data: Path, tmp_path: Path) -> None:
    (trained / "model.py").write_text(
        "def load(task):\n    if task.run == 2: 1 / 0\ndef predict(prefix): return set()"
    )
    with pytest.raises(ModelError, match=r"load raised ZeroDivisionError: division by zero, at run 2\."):
        run(trained, data, tmp_path / "out")


@pytest.mark.parametrize("content", ["{", "[]", '{"model": "x"}', '{"model": "x", "runs": "many"}'])
def test_a_damaged_training_json_is_named(trained: Path, content: str) -> None:
    (trained / "training.json").write_text(content)
    with pytest.raises(DataError, match=r"training.json is damaged"):
        ModelSource.find(trained)


# -- what a resumed evaluation is compared by


def test_the_digest_of_a_folder_covers_what_a_model_may_read(tmp_path: Path) -> None:
    (tmp_path / "nets").mkdir()
    files = [tmp_path / "model.py", tmp_path / "nets" / "weights.bin"]
    for file in files:
        file.write_bytes(b"1")
    digests = [folder_digest(tmp_path)]
    for file in files:
        file.write_bytes(b"2")
        digests.append(folder_digest(tmp_path))
    files[1].rename(tmp_path / "nets" / "other.bin")
    digests.append(folder_digest(tmp_path))
    assert len(set(digests)) == 4


def test_the_digest_of_a_folder_leaves_out_what_no_model_reads(tmp_path: Path, data: Path) -> None:
    (tmp_path / "model.py").write_bytes(b"1")
    before = folder_digest(tmp_path)
    for name in (".git/HEAD", "__pycache__/model.pyc", "venv/pyvenv.cfg", "runs/mine/.parts/key", ".hidden"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    run(MODELS / "openers.py", data, tmp_path / "runs" / "other")
    (tmp_path / "runs" / "link").symlink_to("nowhere")
    shutil.copytree(data, tmp_path / "data")
    assert folder_digest(tmp_path) == before


def test_no_more_than_so_much_of_a_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files beyond are told apart by their size and time."""
    monkeypatch.setattr("marnn_bench.evaluation.source.MAX_HASHED_BYTES", 10)
    small, large = tmp_path / "a", tmp_path / "b"
    small.write_bytes(b"12345678")
    large.write_bytes(b"12345678")
    digests = [folder_digest(tmp_path)]
    for file, content, changed in ((large, b"87654321", 5), (large, b"11111111", 5), (small, b"87654321", 5)):
        file.write_bytes(content)
        os.utime(file, (changed, changed))
        digests.append(folder_digest(tmp_path))
    assert digests[0] != digests[1] == digests[2] != digests[3]


def test_more_columns_than_a_mask_can_tell_from_no_answer_are_refused() -> None:
    letters = [tuple(f"{x}{i}" for i in range(31)) for x in "ab"]
    language = MarkedPalindromes(letters[0], letters[1])
    task = Task("wide", "1.0", language, NextSymbol(end=True), {}, "deterministic context-free", "", "")
    examples = Examples(
        task, "test", Strings.from_texts(language.alphabet, ["#"]), np.zeros(1, np.uint64), "d"
    )
    with pytest.raises(UsageError, match="64 columns; at most 63"):
        Evaluation(ModelSource.find(MODELS / "openers.py"), examples, examples)
