"""Whether two results differ, from the command line."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.stats import binomtest

from helpers.synthetic_results import write_result
from marnn_bench.cli import main

ROWS = np.arange(400)


def compare(a: Path, b: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["compare", str(a), str(b), *options])


def compared(a: Path, b: Path) -> dict[str, Any]:
    done = compare(a, b, "--format", "json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def accurate(*accuracies: float) -> np.ndarray:
    """Runs that have the first strings right, up to their accuracy: [runs, 400]."""
    return np.rint(400 * np.array(accuracies))[:, None] > ROWS


def test_single_runs_are_judged_by_mcnemar_and_only_these_two(tmp_path: Path) -> None:
    right = np.zeros((2, 400), bool)
    right[0, :100] = right[1, 90:130] = True
    a, b = (write_result(tmp_path / name, row) for name, row in zip("ab", right, strict=True))
    found = compared(a, b)
    assert found["difference"]["mcnemar"] == {
        "only_a": 90, "only_b": 30, "p": pytest.approx(binomtest(30, 120).pvalue),
    }  # fmt: skip
    assert (found["difference"]["permutation_p"], found["verdict"]) == (None, "A is better")
    assert found["difference"]["value"] == -0.15
    assert found["difference"]["interval"]["lower"] < -0.15 < found["difference"]["interval"]["upper"] < 0
    assert "This speaks of these two runs only" in compare(a, b).stdout


def test_answers_to_a_stream_are_not_compared_with_answers_to_single_strings(tmp_path: Path) -> None:
    alone = write_result(tmp_path / "a", np.ones(60, bool), task="anbn")
    streams = [
        write_result(tmp_path / name, np.ones(60, bool), task="anbn", protocol={"stream": every})
        for name, every in (("b", 1_000), ("c", 1_000), ("d", 10))
    ]
    assert compare(*streams[:2]).exit_code == 0
    for other in (alone, streams[2]):
        refused = compare(streams[0], other)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "has one stream, reset every 1,000 strings" in refused.stderr


def test_trainings_are_judged_by_the_interval_and_the_permutation_test(tmp_path: Path) -> None:
    a = write_result(tmp_path / "a", accurate(0.1, 0.9, 0.5, 0.2, 0.6))
    b = write_result(tmp_path / "b", accurate(1.0, 0.55, 0.2, 0.1, 0.95))
    found = compared(a, b)
    assert found["difference"]["mcnemar"] is None
    assert found["difference"]["permutation_p"] > 0.5
    assert found["verdict"] == "no difference shown"
    assert "No significant difference between A and B (the interval holds zero)." in compare(a, b).stdout


@pytest.mark.parametrize(
    ("of_a", "of_b", "said"),
    [
        (1, 10, "A has 1 run and B has 10 runs"),
        (2, 2, "A has 2 runs and B has 2 runs"),
        (100, 4, "B has 4 runs"),
    ],
)
def test_too_few_runs_give_no_verdict_and_cannot_fail(
    of_a: int, of_b: int, said: str, tmp_path: Path
) -> None:
    a, b = (
        write_result(tmp_path / "a", accurate(*[0.9] * of_a)),
        write_result(tmp_path / "b", accurate(*[0.1] * of_b)),
    )
    found = compared(a, b)
    assert (found["verdict"], found["difference"]["interval"]) == ("no verdict", None)
    assert found["difference"]["value"] == pytest.approx(-0.8)
    text = " ".join(compare(a, b).stdout.split())
    assert "No verdict: " in text
    assert said in text
    refused = compare(a, b, "--fail-if-worse")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert said in refused.stderr
    assert "--runs 5" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_a_clear_difference_is_found_whichever_comes_first(tmp_path: Path) -> None:
    worse = write_result(tmp_path / "worse", accurate(0.1, 0.2, 0.15, 0.12, 0.18))
    better = write_result(tmp_path / "better", accurate(0.9, 0.8, 0.95, 0.99, 0.7))
    assert compared(worse, better)["verdict"] == "B is better"
    assert compared(better, worse)["verdict"] == "A is better"
    assert "A is significantly better than B" in compare(better, worse).stdout


def test_fail_if_worse_fails_only_then(tmp_path: Path) -> None:
    worse, better = (write_result(tmp_path / str(share), accurate(share)) for share in (0.5, 0.9))
    failed = compare(better, worse, "--fail-if-worse")
    assert failed.exit_code == 1
    assert failed.stderr == f"Error: {worse} is significantly worse than {better}.\n"
    assert "A is significantly better" in failed.stdout
    assert compare(worse, better, "--fail-if-worse").exit_code == 0
    assert compare(worse, worse, "--fail-if-worse").exit_code == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"law": "uniform"}, ("data digest",)),
        ({"task": "dyck3"}, ("task and split", "dyck2, test", "dyck3, test")),
        ({"split": "train"}, ("task and split", "dyck2, test", "dyck2, train")),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_results_on_different_strings_are_not_compared(
    changed: dict[str, Any], said: tuple[str, ...], tmp_path: Path
) -> None:
    a, b = write_result(tmp_path / "a", accurate(0.5)), write_result(tmp_path / "b", accurate(0.5), **changed)
    done = compare(a, b)
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert all(part in done.stderr for part in (*said, str(a), str(b)))


def test_an_edited_result_is_not_compared(tmp_path: Path) -> None:
    a, b = (write_result(tmp_path / name, accurate(0.5)) for name in "ab")
    path = b / "result.json"
    path.write_text(path.read_text().replace("0.5", "0.6", 1))
    assert path.read_text() != (a / "result.json").read_text()
    done = compare(a, b)
    assert done.exit_code == 5
    assert done.stderr == f"Error: {b} is damaged: result.json was edited. Run `marnn-bench eval` again.\n"


def test_the_text_fits_80_columns_and_names_both(tmp_path: Path) -> None:
    a = write_result(tmp_path / "a", accurate(*[0.0] * 6), model="a-model-with-a-very-long-name", lost=123)
    b = write_result(tmp_path / "b", accurate(*[1.0] * 300))
    text = compare(a, b).stdout
    assert f"A: {a}\nB: {b}\n" in text
    assert max(len(line) for line in text.splitlines() if str(tmp_path) not in line) <= 80
    assert "a-model-with-a-very-lon… ¹" not in text
    assert "a-model-with-a-very-lo… ¹" in text
    assert "\n¹ 123 strings lack answers and count as wrong.\n" in text


def test_a_difference_of_one_string_in_very_many_does_not_print_as_none(tmp_path: Path) -> None:
    right = np.ones((2, 30_000), bool)
    right[0, 0] = False
    a, b = (write_result(tmp_path / name, row) for name, row in zip("ab", right, strict=True))
    text = compare(a, b).stdout
    assert "B - A: +0.003 points" in text
    assert text.count("99.997") == 4
