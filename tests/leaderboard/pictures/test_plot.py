"""`marnn-bench plot`: what is drawn, and what cannot be."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.synthetic_results import read_record, write_result
from marnn_bench.cli import main
from marnn_bench.leaderboard.boards import make_boards
from marnn_bench.leaderboard.pictures.curves import chart_of
from marnn_bench.leaderboard.pictures.first_errors import first_errors
from marnn_bench.leaderboard.pictures.groupings import GROUPINGS
from marnn_bench.leaderboard.pictures.models_on_tasks import models_on_tasks
from marnn_bench.leaderboard.results import read_result


def plot(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["plot", *map(str, arguments)])


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base, random = tmp_path_factory.mktemp("results"), np.random.default_rng(1)
    for task in ("dyck2", "dyck2--recognition", "dyck2--lm", "dyck5"):
        write_result(base / task, random.random((3, 200)) < 0.7, task=task, split=_test(task))
    return base


def _test(task: str) -> str:
    return "test_long" if task == "dyck5" else "test"


def data_of(chart: Any) -> list[dict[str, Any]]:
    """The points of a chart, in whatever layer they are."""
    datasets: dict[str, list[dict[str, Any]]] = chart.to_dict()["datasets"]
    return [point for points in datasets.values() for point in points]


@pytest.mark.parametrize(
    ("task", "by"),
    [
        ("dyck2", "length"),
        ("dyck2", "depth"),
        ("dyck2", "symbol-depth"),
        ("dyck2", "first-error"),
        ("dyck2", "task"),
        ("dyck2--recognition", "negative"),
        ("dyck2--recognition", "edits"),
        ("dyck2--lm", "length"),
        ("dyck2--lm", "depth"),
        ("dyck5", "bracket-position"),
        ("dyck5", "bracket-distance"),
        ("dyck5", "bracket-depth"),
    ],
)
def test_every_picture_can_be_drawn(task: str, by: str, results: Path, tmp_path: Path) -> None:
    done = plot(results / task, "--by", by, "--out", tmp_path / "picture.svg")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "picture.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("task", "by", "clue"),
    [
        ("dyck2", "negative", "choose length, depth"),
        ("dyck2--lm", "first-error", "language modelling"),
        ("dyck2--lm", "task", "nats"),
    ],
)
def test_what_cannot_be_drawn_is_said(task: str, by: str, clue: str, results: Path, tmp_path: Path) -> None:
    done = plot(results / task, "--by", by, "--out", tmp_path / "picture.svg")
    assert done.exit_code == 2
    assert clue in done.output


def boards(folders: Sequence[Path]) -> Any:
    return make_boards([read_result(folder) for folder in folders])


def test_a_curve_is_the_mean_over_runs(results: Path) -> None:
    record = read_record(results / "dyck2")
    points = data_of(chart_of(boards([results / "dyck2"]), GROUPINGS["depth"]))
    drawn = {point["group"]: point["mean"] for point in points if "lower" in point}
    for place, cell in enumerate(record["runs"][0]["by_depth"]):
        mean = np.mean([run["by_depth"][place]["value"] for run in record["runs"]])
        assert drawn[cell["depth"]] == pytest.approx(100 * mean)


def test_the_curve_of_first_errors_ends_at_the_share_of_wrong_strings(results: Path) -> None:
    record = read_record(results / "dyck2")
    points = data_of(first_errors(boards([results / "dyck2"])))
    shares = [point["percent"] for point in points if "percent" in point]
    wrong = 1 - np.mean([run["metrics"]["sequence_accuracy"]["value"] for run in record["runs"]])
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(100 * wrong)


def test_the_heat_map_has_the_medians_of_shares_alone(results: Path) -> None:
    folders = [results / task for task in ("dyck2", "dyck2--recognition", "dyck2--lm")]
    points = data_of(models_on_tasks(boards(folders)))
    drawn = {point["task"]: point["percent"] for point in points if "task" in point}
    medians = {
        record["task"]["name"]: 100 * record["summary"]["metrics"][record["summary"]["headline"]]["median"]
        for record in map(read_record, folders[:2])
    }
    assert drawn == pytest.approx(medians)
