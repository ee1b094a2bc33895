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


def test_single_runs_are_judged_by_mcnemar(tmp_path: Path) -> None:
    right = np.zeros((2, 400), bool)
    right[0, :100] = right[1, 90:130] = True
    a, b = (write_result(tmp_path / name, row) for name, row in zip("ab", right, strict=True))
    found = compared(a, b)
    assert found["mcnemar"] == {
        "run_a": 0, "run_b": 0, "only_a": 90, "only_b": 30, "p": pytest.approx(binomtest(30, 120).pvalue),
    }  # fmt: skip
    assert (found["decided_by"], found["verdict"]) == ("mcnemar", "A is better")
    assert found["difference"]["value"] == -0.15
    assert found["difference"]["lower"] < -0.15 < found["difference"]["upper"] < 0


def test_many_runs_are_judged_by_the_interval_and_mcnemar_is_of_the_median_runs(tmp_path: Path) -> None:
    a = write_result(tmp_path / "a", accurate(0.1, 0.9, 0.5, 0.2, 0.6))
    b = write_result(tmp_path / "b", accurate(1.0, 0.55, 0.2, 0.1, 0.95))
    found = compared(a, b)
    assert (found["mcnemar"]["run_a"], found["mcnemar"]["run_b"]) == (2, 1)
    assert (found["mcnemar"]["only_a"], found["mcnemar"]["only_b"]) == (0, 20)
    assert found["mcnemar"]["p"] < 1e-5
    assert found["decided_by"] == "difference"
    assert found["verdict"] == "no difference shown"
    assert "No significant difference" in compare(a, b).stdout


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
        ({"digest": "ab" * 32}, ("data digest", "d1d1", "abab")),
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
    done = compare(a, b)
    assert done.exit_code == 5
    assert done.stderr == f"Error: {b} is damaged: result.json was edited. Run `marnn-bench eval` again.\n"


def test_the_text_fits_80_columns_and_names_both(tmp_path: Path) -> None:
    a = write_result(tmp_path / "a", accurate(0.0, 0.0), model="a-model-with-a-very-long-name")
    b = write_result(tmp_path / "b", accurate(1.0, 1.0, 1.0))
    text = compare(a, b).stdout
    assert f"A: {a}\nB: {b}\n" in text
    assert max(len(line) for line in text.splitlines() if str(tmp_path) not in line) <= 80
    assert "With 2 runs the interval is somewhat too narrow" in " ".join(text.split())
