"""marnn-bench reproduce, as a user types it."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.command_line import marnn, succeed
from helpers.jobs import processes_in, wait_for
from marnn_bench.leaderboard.reproduce.tables import REPRODUCTIONS

QUICK = ("--runs", "2", "--epochs", "1", "--rows", "50")
TWO_ROWS = ("--model", "rnn", "--model", "stack-rnn-gumbel")
FILES = ("training/checkpoint.safetensors", "training/curves.csv", "test/samples.parquet")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small dyck2 in its data."""
    folder = tmp_path_factory.mktemp("reproduced")
    succeed("generate", "--task", "dyck2", "--rows", "60", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def whole(place: Path) -> dict[str, bytes]:
    """What two rows of Table 2 come to, one after the other and undisturbed."""
    succeed("reproduce", "suzgun2019-table2", *QUICK, *TWO_ROWS, "--jobs", "1", "--out", "whole", cwd=place)
    return content(place / "whole")


def content(out: Path) -> dict[str, bytes]:
    """All that does not depend on when it was made."""
    entries = [path.parent for path in out.glob("*/*/test")]
    files = [out / "table.json", out / "table.md", *(entry / file for entry in entries for file in FILES)]
    return {str(file.relative_to(out)): file.read_bytes() for file in files}


def test_two_rows_are_trained_evaluated_and_printed(place: Path, whole: dict[str, bytes]) -> None:
    assert len(whole) == 2 + 2 * len(FILES)
    record = json.loads(whole["table.json"])
    assert [row["model"] for row in record["rows"]] == ["rnn", "stack-rnn-gumbel"]
    for row in record["rows"]:
        result = json.loads((place / "whole" / row["ours"]["folder"] / "result.json").read_bytes())
        assert row["ours"]["engine"] == result["model"]["training"]["engine"]
        spread = result["summary"]["metrics"]["sequence_accuracy"]
        assert {name: row["ours"][name] for name in spread} == spread
        assert row["ours"]["solved"]["runs"] == result["summary"]["solved"]["runs"]
        assert row["ours"]["deviations"] == {
            "rows": {"paper": 5000, "here": 50},
            "epochs": {"paper": 3, "here": 1},
        }
        assert row["ours"]["departures"] == ["test rows 60 instead of 5000"]
    assert record["rows"][0]["published"]["model"] == "Vanilla RNN"
    note = (
        "Not as in the paper: rows 50 instead of 5000, epochs 1 instead of 3, test rows 60 instead of 5000."
    )
    assert note in whole["table.md"].decode()


def test_what_is_done_is_not_done_again(place: Path, whole: dict[str, bytes]) -> None:
    """By two processes or by one, the same comes of it; of other options nothing does."""
    before = {path: path.stat().st_mtime_ns for path in (place / "whole").glob("*/*/t*/*")}
    command = ("reproduce", "suzgun2019-table2", *QUICK, *TWO_ROWS, "--out", "whole")
    again = marnn(*command, "--jobs", "2", "--format", "json", cwd=place)
    assert again.code == 0
    assert json.loads(again.out) == json.loads(whole["table.json"])
    assert "2/2  " in again.err
    assert {path: path.stat().st_mtime_ns for path in (place / "whole").glob("*/*/t*/*")} == before
    other = marnn(*command, "--seed", "1", "--jobs", "1", cwd=place)
    assert other.code == 2
    assert other.error.endswith(
        "training is not empty. Choose another folder, or replace what is there with --overwrite."
    )
    assert content(place / "whole") == whole


def test_a_killed_command_goes_on_where_it_was(place: Path, whole: dict[str, bytes]) -> None:
    """Killed while it trains, and once more when the first row is done; it ends in the same bytes."""
    command = ["reproduce", "suzgun2019-table2", *QUICK, *TWO_ROWS, "--jobs", "2", "--out", "killed"]
    for end in ("*/*/training/.partial", "*/*/test"):
        process = subprocess.Popen(
            [sys.executable, "-m", "marnn_bench", *command],
            cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait_for(
            lambda end=end, process=process: [*(place / "killed").glob(end)] or process.poll() is not None
        )
        process.kill()
        process.wait()
        wait_for(lambda: not processes_in(place))
    assert not (place / "killed" / "table.json").exists()
    succeed(*command, cwd=place)
    assert content(place / "killed") == whole


def test_ctrl_c_says_that_the_same_command_continues(place: Path) -> None:
    command = ["reproduce", "suzgun2019-table2", *QUICK, *TWO_ROWS, "--jobs", "2", "--out", "interrupted"]
    process = subprocess.Popen(
        [sys.executable, "-m", "marnn_bench", *command],
        cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(lambda: [*(place / "interrupted").glob("*/*/training")])
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("The same command continues where it stopped.\nInterrupted.\n")
    assert "Traceback" not in err


def test_a_preset_asks_several_splits_and_prints_another_metric(place: Path) -> None:
    """Closing brackets on both tests of Bernardy 2018, at the preset's rate; beside the paper's choice of epochs the honest one."""
    succeed("generate", "--task", "dyck5", "--rows", "90", cwd=place)
    asked = ("--preset", "laptop", "--model", "russ", "--runs", "2", "--epochs", "2")
    succeed("reproduce", "bernardy2018-section5", *asked, "--jobs", "1", "--out", "small", cwd=place)
    record = json.loads((place / "small" / "table.json").read_bytes())
    assert [(row["split"], row["metric"]) for row in record["rows"]] == [
        ("test_long", "closing_accuracy"),
        ("test_deep", "closing_accuracy"),
    ]
    training = json.loads(next((place / "small").glob("russ/*/*/training/training.json")).read_bytes())
    assert (training["recipe"]["learning_rate"], training["recipe"]["epochs"]) == (3e-3, 2)
    selected = training["selected"]
    for row in record["rows"]:
        result = json.loads((place / "small" / row["ours"]["folder"] / "result.json").read_bytes())
        assert row["ours"]["values"] == [
            run["metrics"]["closing_accuracy"]["value"] for run in result["runs"]
        ]
        for run, curve in zip(result["runs"], row["ours"]["by_position"], strict=True):
            cells = [(cell["position"], cell["value"]) for cell in run["closing_by_position"]]
            assert cells == [*zip(row["ours"]["positions"], curve, strict=True)]
        assert row["ours"]["chosen_by"] == {
            "test": selected["test accuracy"],
            "validation": selected["by_validation"]["test accuracy"],
        }
    page = (place / "small" / "table.md").read_text()
    assert page.startswith("# Bernardy 2018, section 5, preset laptop: dyck5\n")
    assert "learning_rate 0.003 instead of 0.0001" in page
    assert "| test_deep " in page


def test_a_small_grid_ends_in_a_picture(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two rates, by a model on a task."""
    pytest.importorskip("altair")
    from click.testing import CliRunner

    from marnn_bench.cli import main
    from marnn_bench.leaderboard.reproduce import command
    from marnn_bench.leaderboard.reproduce.tables import Reproduction

    grid = Reproduction("grid", "a grid", ("dyck2",), ("rnn",), (0.001, 0.01), (3,))
    monkeypatch.setattr(command, "find_reproduction", lambda name, preset: grid)
    monkeypatch.chdir(place)
    done = CliRunner().invoke(
        main,
        [
            "reproduce",
            "grid",
            "--runs",
            "2",
            "--rows",
            "9",
            "--jobs",
            "1",
            "--out",
            "grid",
            "--format",
            "csv",
        ],
    )
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines() == [
        "task,model,epochs,.001,.01",
        "dyck2,rnn ¹,3,0,0",
    ]
    trained = json.loads((place / "grid/rnn/dyck2/rate-0.001-epochs-3/training/training.json").read_bytes())
    assert (trained["recipe"]["learning_rate"], trained["recipe"]["epochs"]) == (0.001, 3)
    picture = (place / "grid" / "solved.svg").read_text()
    assert "percent that solve the task" in picture
    assert picture.count(">0</text>") >= 2


def test_alone_it_lists_what_there_is(tmp_path: Path) -> None:
    listed = json.loads(succeed("reproduce", "--format", "json", cwd=tmp_path))
    assert [it["name"] for it in listed] == [reproduction.name for reproduction in REPRODUCTIONS]
    assert {it["name"]: it["trainings"] for it in listed}["suzgun2019-table2"] == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("suzgun2019-table9",),
            "There is no 'suzgun2019-table9' to reproduce. Did you mean suzgun2019-table6",
        ),
        (
            ("suzgun2019-table2", "--model", "gru"),
            "suzgun2019-table2 has no row 'gru': its rows are rnn, lstm,",
        ),
        (
            ("suzgun2019-learning-rates", "--epochs", "2"),
            "suzgun2019-learning-rates varies the epochs: leave",
        ),
        (
            ("suzgun2019-table2", "--preset", "laptop"),
            "suzgun2019-table2 has no preset laptop: leave out --preset, or take paper.",
        ),
        (("suzgun2019-table2", "--data", "nowhere"), "There is no folder nowhere."),
        (("suzgun2019-table2", *QUICK, "--device", "tpu"), "There is no device 'tpu'"),
    ],
)
def test_what_cannot_be_reproduced_is_named(place: Path, arguments: tuple[str, ...], message: str) -> None:
    refused = marnn("reproduce", *arguments, "--out", "refused", cwd=place)
    assert refused.code == 2
    assert refused.error.startswith(message)
    assert not [*(place / "refused").glob("**/*.json")]


def test_a_folder_holds_one_table(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "table.json").write_text('{"name": "suzgun2019-table3"}')
    refused = marnn("reproduce", "suzgun2019-table2", "--out", "mine", cwd=tmp_path)
    assert refused.error == "mine holds suzgun2019-table3, not suzgun2019-table2: choose another --out."
    (tmp_path / "mine" / "table.json").write_text('{"name": "bernardy2018-figure2"}')
    refused = marnn("reproduce", "bernardy2018-figure2", "--preset", "laptop", "--out", "mine", cwd=tmp_path)
    assert refused.error == "mine holds the preset paper, not laptop: choose another --out."
