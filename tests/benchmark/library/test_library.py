"""The benchmark from Python: the same data and the same figures as the command line's."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import marnn_bench
from helpers.command_line import succeed
from helpers.model_files import write_model, write_trained
from helpers.paths import MODELS
from marnn_bench.errors import ModelError, UsageError
from marnn_bench.store.manifest import read_manifest


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library") / "data"
    return marnn_bench.generate("dyck2", str(folder), rows={"train": 60, "test": 1_100})


def openers(prefix: tuple[str, ...]) -> set[str]:
    return {"(", "["}


def test_generate_writes_what_the_command_writes(data: Path, tmp_path: Path) -> None:
    rows = ("--rows", "train=60", "--rows", "test=1100")
    succeed("generate", "--task", "dyck2", *rows, "--out", "data", cwd=tmp_path)
    assert read_manifest(tmp_path / "data") == read_manifest(data)


@pytest.mark.parametrize("as_object", [False, True])
def test_a_function_or_an_object_gets_the_figures_of_its_file(
    as_object: bool, data: Path, tmp_path: Path
) -> None:
    class Openers:
        predict = staticmethod(openers)

    found = marnn_bench.evaluate(Openers() if as_object else openers, "dyck2", data=data)
    write_model(tmp_path, 'def predict(prefix): return {"(", "["}')
    shown = succeed(
        "eval", "my_model.py", "--task", "dyck2", "--data", data, "--format", "json", cwd=tmp_path
    )
    record = json.loads(shown)
    assert all(found.record[name] == record[name] for name in ("task", "runs", "summary", "trivial"))
    assert marnn_bench.evaluate(tmp_path / "my_model.py", "dyck2", data=data).record["runs"] == record["runs"]


def test_every_run_of_a_train_folder_is_asked(data: Path, tmp_path: Path) -> None:
    result = marnn_bench.evaluate(write_trained(tmp_path), "dyck2", data=data)
    assert [run["metrics"]["sequence_accuracy"]["value"] for run in result.record["runs"]] == [0, 1, 0]


def test_results_are_tables_and_lists_of_strings(data: Path) -> None:
    result = marnn_bench.evaluate(openers, "dyck2", data=data, rows=1_030)  # more than a wave
    table = result.to_pandas()
    assert len(result) == len(table) == 1_030
    assert table.correct.mean() == result.accuracy
    for row in (0, 1_029, -1):
        wrong = [a != p for a, p in zip(result[row]["answers"], result[row]["predicted"], strict=True)]
        assert result[row]["first_error"] == (wrong.index(True) if any(wrong) else -1)
        assert result[row]["input"] == table.input.iloc[row]
    with pytest.raises(IndexError, match="1,030 strings, none at 1030"):
        result[1_030]
    assert "sequence accuracy" in repr(result) and max(map(len, repr(result).splitlines())) <= 80


def test_examples_have_a_printed_form_of_80_columns(data: Path) -> None:
    examples = marnn_bench.read_split(data, "dyck2", "test")
    assert max(map(len, repr(examples).splitlines())) <= 80
    assert examples.to_pandas().iloc[7].to_dict() == examples[7]


@given(st.lists(st.integers(0, 2**40 - 1), max_size=20))
def test_k_hot_vectors_are_the_binary_digits(masks: list[int]) -> None:
    vectors = marnn_bench.k_hot(np.array(masks, np.uint64), 40)
    assert vectors.shape == (len(masks), 40)
    assert [int("".join(map(str, row[::-1])), 2) for row in vectors.tolist()] == masks


def test_an_error_of_the_model_carries_its_traceback(data: Path) -> None:
    def broken(prefix: tuple[str, ...]) -> set[str]:
        raise KeyError("nowhere")

    with pytest.raises(ModelError, match="broken: predict raised KeyError") as raised:
        marnn_bench.evaluate(broken, "dyck2", data=data)
    assert "in broken" in raised.value.__notes__[0]


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("dyck2-recognition", {}, "has no dyck2-recognition. Add it with"),
        ("dyck2", {"rows": 2_000}, "has 1,100 rows here, not 2000"),
        ("dyck2", {"split": "exam"}, "has no split 'exam'"),
        ("dyck9", {}, "no task 'dyck9'"),
        ("dyck2", {"runs": 0}, "at least one run"),
        ("dyck2", {"rows": 1.5}, "not 1.5"),
        (None, {}, "named by a string"),
    ],
)
def test_what_cannot_be_evaluated_says_why(
    task: str, options: dict[str, object], message: str, data: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        marnn_bench.evaluate(openers, task, data=data, **options)  # type: ignore[arg-type]


def test_a_mask_with_a_bit_beyond_the_columns_is_refused() -> None:
    with pytest.raises(ValueError, match="more bits than 2 columns"):
        marnn_bench.k_hot([4], ["(", ")"])


def test_train_writes_a_folder_that_evaluate_takes(data: Path, tmp_path: Path) -> None:
    folder = marnn_bench.train("rnn", "dyck2", tmp_path / "rnn", runs=2, rows=5, epochs=1, data=data)
    assert len(marnn_bench.evaluate(folder, "dyck2", data=data, rows=10).record["runs"]) == 2


def test_dir_shows_what_there_is() -> None:
    assert {"evaluate", "generate", "train", "read_split", "k_hot", "find_task"} <= set(dir(marnn_bench))
    assert all(hasattr(marnn_bench, name) for name in dir(marnn_bench))


def test_a_step_model_of_this_process_is_asked_like_its_file(data: Path) -> None:
    import sys

    sys.path.insert(0, str(MODELS))
    try:
        import bracket_stack
    finally:
        sys.path.remove(str(MODELS))
    assert marnn_bench.evaluate(bracket_stack, "dyck2", data=data).accuracy == 1.0
