"""Runs that are asked side by side: what comes of it is what comes of each alone, whatever fails."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.evaluations import run
from helpers.model_files import errors, small_data, write_model
from marnn_bench.errors import LimitError, ModelError
from marnn_bench.evaluation.answering import RUNS_AT_ONCE
from marnn_bench.processes.limits import Limits

RUNS = RUNS_AT_ONCE + 3

MODEL = '''
"""Answers by a hash of run and prefix. `fails` is what one of its runs does at a prefix."""
import json, os, time
import numpy as np

def fails(scores, hit):
    {fails}

room = np.empty((1024, 64))

def in_one_array(bits):
    scores = room[: len(bits), : bits.shape[1]]
    scores[:] = bits
    return scores

class Run:
    def __init__(self, task):
        self.run, self.columns = task.run, len(task.columns)

    def reset(self, n):
        self.hashes = np.full(n, self.run, np.uint64)
        return self.scores()

    def step(self, ids):
        self.hashes = (self.hashes * np.uint64(31) + ids.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        self.hashes ^= self.hashes >> np.uint64(29)
        scores = self.scores()
        if self.run == {run} and (hit := self.hashes % np.uint64(19997) == 5).any():
            scores[hit] = fails(scores, hit)
        return scores

    def scores(self):
        bits = self.hashes[:, None] >> np.arange(self.columns, dtype=np.uint64) & np.uint64(1)
        return {scores}
'''
TOGETHER = "\nload = Run\n"
ALONE = """
def load(task):
    global reset, step
    model = Run(task)
    reset, step = model.reset, model.step
reset = step = print
"""
SIGMOIDS, IN_ONE_ARRAY = "bits.astype(float)", "in_one_array(bits)"
DISTRIBUTIONS = "(1 + bits) / (1 + bits).sum(1, keepdims=True)"
KEPT = ("runs", "summary", "trivial", "audit", "protocol")
FAILURES = {
    "nothing": "return scores[hit]",
    "NaN": "return np.nan",
    "an exception": "raise ValueError('so it goes')",
    "death": "os._exit(3)",
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two waves of tasks of several views."""
    return small_data(
        tmp_path_factory.mktemp("data"), "dyck2", "sequence-copy", "dyck2--lm", "dyck2--recognition"
    )


def write(folder: Path, how: str, fails: str = "nothing", scores: str = SIGMOIDS, failing: int = 5) -> Path:
    source = (
        MODEL.replace("{fails}", FAILURES[fails]).replace("{scores}", scores).replace("{run}", str(failing))
    )
    return write_model(folder, source + how)


def outcome(out: Path, result: dict[str, Any]) -> dict[str, Any]:
    """All that does not say when and by which file."""
    of_file = json.loads((out / "result.json").read_text())
    return {
        **{name: of_file[name] for name in KEPT},
        "samples": (out / "samples.parquet").read_bytes(),
        "errors": [{**error, "traceback": None} for error in errors(out)],
        "interface": result["model"]["interface"],
    }


def both(
    data: Path, tmp_path: Path, task: str = "dyck2", keep_going: bool = False, **model: Any
) -> dict[str, Any]:
    """What comes of the runs side by side, which is what comes of them one by one."""
    found = []
    for name, how in (("together", TOGETHER), ("alone", ALONE)):
        file, out = write(tmp_path / name, how, **model), tmp_path / f"{name}-out"
        found.append(outcome(out, run(file, data, out, task, runs=RUNS, keep_going=keep_going)))
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize(
    ("task", "scores"),
    [
        ("dyck2", SIGMOIDS),
        ("dyck2", IN_ONE_ARRAY),
        ("dyck2--recognition", SIGMOIDS),
        ("sequence-copy", SIGMOIDS),
        ("dyck2--lm", DISTRIBUTIONS),
    ],
)
def test_runs_side_by_side_answer_as_each_alone(task: str, scores: str, data: Path, tmp_path: Path) -> None:
    found = both(data, tmp_path, task, scores=scores)
    assert found["interface"] == "step" and len(found["runs"]) == RUNS
    assert all(check["passed"] for check in found["audit"]["checks"])


@pytest.mark.parametrize("fails", ["NaN", "an exception", "death"])
def test_a_run_that_fails_costs_no_other(fails: str, data: Path, tmp_path: Path) -> None:
    found = both(data, tmp_path, keep_going=True, fails=fails)
    assert {error["run"] for error in found["errors"]} == {5}


def test_the_first_failure_ends_it_with_the_words_of_a_run_alone(data: Path, tmp_path: Path) -> None:
    """What was answered before stays."""
    said = []
    for name, how in (("together", TOGETHER), ("alone", ALONE)):
        with pytest.raises(ModelError) as failed:
            run(write(tmp_path / name, how, "NaN"), data, tmp_path / f"{name}-out", runs=RUNS)
        said.append((str(failed.value), errors(tmp_path / f"{name}-out")))
        kept = {path.name for path in (tmp_path / f"{name}-out" / ".parts").glob("*.arrow")}
        assert {f"{run:05d}-{wave:05d}.arrow" for run in range(5) for wave in range(2)} <= kept
    assert said[0] == said[1] and "run 5, test row" in said[0][0]


def test_limits_hold_for_runs_side_by_side(data: Path, tmp_path: Path) -> None:
    """Four of them take more memory than is allowed, one does not; one that is too slow is stopped."""
    source = write(tmp_path / "model", "")
    big = "\nclass Big(Run):\n    def __init__(self, task):\n        super().__init__(task)\n        self.held = np.ones(6_500_000)\n"
    source.write_text(source.read_text() + big + "load = Big\n")
    result = run(source, data, tmp_path / "out", runs=RUNS, limits=Limits(memory=200 << 20))
    assert len(result["runs"]) == RUNS
    source.write_text(source.read_text() + "Run.reset = lambda self, n: time.sleep(60)\n")
    with pytest.raises(LimitError, match="did not answer within 1 s"):
        run(source, data, tmp_path / "slow", runs=RUNS, limits=Limits(timeout=1))
