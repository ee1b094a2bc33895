"""Every figure of a result follows from its samples, or the result is not believed."""

import json
import shutil
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.forged_results import Keys, at, drop_field, leaves, set_field, some
from helpers.synthetic_results import read_record, write_record, write_result
from marnn_bench.cli import main
from marnn_bench.errors import DataError
from marnn_bench.rescoring.rescore import believe, rescore

RIGHT = np.random.default_rng(5).random((3, 40)) < [[0.2], [0.5], [0.9]]
SCORED = ("task", "runs", "summary", "trivial")


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_result(tmp_path_factory.mktemp("sound") / "result", RIGHT, lost=2)


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sound, tmp_path / "result"))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def refused(folder: Path) -> str:
    """The one printable line by which the result is refused by all that reads results."""
    messages = {run(*command, folder).stderr for command in (("leaderboard", "show"), ("compare", folder))}
    (message,) = messages
    (line,) = message.splitlines()
    assert line.startswith(f"Error: {folder}") and line.isprintable() and len(line) < 600
    again = run("rescore", folder)
    assert again.exit_code == 5 and again.stderr.startswith("Error: ")
    return line


def test_a_sound_result_is_as_it_says(folder: Path) -> None:
    record = read_record(folder)
    rescored = rescore(folder)
    assert (rescored.differing, rescored.differences) == (0, ())
    scored = [[*leaves(record[name])] for name in SCORED]
    assert rescored.figures == sum(map(len, scored))  # and errors.rows; not task.version
    assert believe(folder).record == record


@pytest.mark.parametrize("number", range(40))
def test_any_figure_that_is_another_is_found(number: int, folder: Path) -> None:
    record = read_record(folder)
    every = [(name, *keys) for name in SCORED for keys in leaves(record[name])]
    keys = some([keys for keys in every if keys[:2] != ("task", "version")], 40)[number]
    value = at(record, keys)
    other: Any = f"{value}x" if isinstance(value, str) else not value if isinstance(value, bool) else 0.123
    set_field(folder, keys, other)
    assert refused(folder)
    drop_field(folder, keys)
    assert refused(folder)


CELL = {"length": 1000, "n": 5, "correct": 5, "value": 1.0, "lower": 0.56, "upper": 1.0}


def more_lengths(record: Any) -> None:
    record["runs"][0]["by_length"].append(CELL)


def another_run(record: Any) -> None:
    record["runs"].append(deepcopy(record["runs"][2]) | {"run": 3})


def fewer_runs(record: Any) -> None:
    del record["runs"][2]


def no_runs(record: Any) -> None:
    record["runs"] = []


def another_trivial_answer(record: Any) -> None:
    record["trivial"].append({"name": "another", "metrics": {"sequence_accuracy": 1.0}})


def another_metric(record: Any) -> None:
    record["runs"][0]["metrics"]["bracket_accuracy"] = record["runs"][0]["metrics"]["sequence_accuracy"]


@pytest.mark.parametrize(
    "forge", [more_lengths, another_run, fewer_runs, no_runs, another_trivial_answer, another_metric]
)
def test_entries_more_or_fewer_are_found(forge: Callable[[Any], None], folder: Path) -> None:
    record = read_record(folder)
    forge(record)
    write_record(folder, record)
    refused(folder)


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        (("schema_version",), 3),
        (("schema_version",), True),
        (("schema_version",), 2.0),
        (("runs", 1, "run"), 0),
        (("runs", 1, "run"), 1.0),
        (("runs", 0, "metrics", "sequence_accuracy", "value"), 10**400),
        (("runs", 0, "metrics", "sequence_accuracy", "value"), float("nan")),
        (("runs", 0, "metrics", "sequence_accuracy", "value"), float("inf")),
        (("runs", 0, "metrics", "sequence_accuracy", "value"), {"value": 1.0}),
        (("runs", 0, "by_length", 0, "n"), True),
        (("runs", 0, "by_length"), {}),
        (("runs", 0), "run"),
        (("summary", "headline"), "position_accuracy"),
        (("summary", "solved", "runs"), 3),
        (("summary", "metrics"), None),
        (("trivial", 0, "name"), "a\tb|c\x1b[2J"),
        (("trivial",), {}),
        (("task",), "dyck2"),
        (("task", "rows"), 40.0),
        (("task", "digest"), None),
        (("task", "version"), 1),
        (("task", "law"), "uniform\r"),
        (("task", "columns"), ["(", ")"]),
        (("task", "splits"), {"test": {}}),
        (("task", "splits"), [1]),
        (("task", "splits", "test", "rows"), 41),
        (("task", "splits", "test", "rows"), True),
        (("task", "splits", "train", "window"), "2:51"),
        (("errors", "rows"), 3),
        (("errors", "rows"), None),
        (("errors", "file"), "../errors.jsonl"),
        (("errors",), [2]),
        (("samples", "file"), "/dev/zero"),
        (("samples", "sha256"), "0" * 64),
        (("samples",), None),
        (("model",), None),
    ],
    ids=str,
)
def test_a_forged_field_is_refused(keys: Keys, value: object, folder: Path) -> None:
    set_field(folder, keys, value)
    if keys == ("samples", "sha256"):
        (folder / "samples.parquet").write_bytes(b"PAR1")
    refused(folder)


@pytest.mark.parametrize("entry", ["task", "runs", "summary", "trivial", "samples", "errors", "model"])
def test_a_missing_entry_is_refused(entry: str, folder: Path) -> None:
    drop_field(folder, (entry,))
    refused(folder)


@pytest.mark.parametrize(
    ("keys", "value", "said"),
    [
        (("splits", "test", "rows"), 10**9, "is far from dyck2's own and not made unasked"),
        (("splits", "train", "rows"), 10**9, "is far from dyck2's own"),
        (("splits", "test", "window"), "52:100000", "is far from dyck2's own"),
        (("splits", "test", "rows"), "all", "is far from dyck2's own"),
        (("splits", "test", "law"), f"pcfg:p=1/{10**90},q=1/4", "is far from dyck2's own"),
        (("splits", "test", "rows"), 0, "at least one row"),
        (("splits", "dev"), {}, "has no split 'dev'"),
        (("version",), "7.0", "was evaluated in version 7.0"),
        (("name",), "dyck77", "no task 'dyck77'"),
        (("split",), "dev", "has no split 'dev'"),
    ],
    ids=str,
)
def test_data_that_is_not_the_tasks_is_not_made(keys: Keys, value: object, said: str, folder: Path) -> None:
    set_field(folder, ("task", *keys), value)
    for command in ("rescore",), ("leaderboard", "show"):
        done = run(*command, folder)
        assert (done.exit_code, done.stdout) == (2, "")
        assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_data_that_was_made_when_asked_is_used(folder: Path, tmp_path: Path) -> None:
    splits = read_record(folder)["task"]["splits"]
    rows = [argument for name in splits for argument in ("--rows", f"{name}={splits[name]['rows']}")]
    assert run("generate", "--task", "dyck2", *rows, "--out", tmp_path / "data").exit_code == 0
    assert rescore(folder, tmp_path / "data").differing == 0
    assert run("generate", "--task", "dyck2", "--rows", 30, "--out", tmp_path / "other").exit_code == 0
    with pytest.raises(DataError, match="its data is not dyck2 test"):
        rescore(folder, tmp_path / "other")


def test_a_receipt_is_of_this_result_alone(folder: Path) -> None:
    """An edit after the result was believed is found; a receipt that is cut off is of no use."""
    believed = believe(folder)
    content = believed.receipt.path.read_bytes()
    believed.receipt.path.write_bytes(content[: len(content) // 2])
    assert believe(folder).record == believed.record
    assert believed.receipt.path.read_bytes() == content
    set_field(folder, ("summary", "metrics", "sequence_accuracy", "mean"), 0.9)
    assert "summary.metrics.sequence_accuracy.mean is 0.9, not 0.4" in refused(folder)


# -- the command


def test_results_below_a_folder_are_listed_with_what_differs(folder: Path, tmp_path: Path) -> None:
    good = write_result(tmp_path / "good", RIGHT[:1])
    bad = Path(shutil.copytree(folder, tmp_path / "much" / "bad"))
    record = read_record(bad)
    for of_run in record["runs"]:
        for cell in of_run["by_length"]:
            cell["value"] = 1.5
    write_record(bad, record)
    cut = Path(shutil.copytree(folder, tmp_path / "much" / "cut"))
    (cut / "samples.parquet").write_bytes(b"")
    done = run("rescore", tmp_path)
    lines = done.stdout.splitlines()
    figures = rescore(good).figures
    assert f"{good}: {figures:,} figures, as it says" in lines
    of_bad = lines.index(next(line for line in lines if line.startswith(f"{bad}: ")))
    assert lines[of_bad + 1].startswith("  runs[0].by_length[0].value is 1.5, not ")
    assert lines[of_bad + 6].startswith("  and ") and lines[of_bad + 6].endswith(" more")
    assert (
        lines[of_bad + 8]
        == f"  {cut} is damaged: samples.parquet was edited or cut. Run `marnn-bench eval` again."
    )
    assert done.exit_code == 5
    assert done.stderr.startswith(f"Error: {bad} and 1 more did not pass")
    records = json.loads(run("rescore", tmp_path, "--format", "json").stdout)
    assert [it["differing"] == 0 for it in records] == [True, False, False, True]
    assert run("rescore", good, "--format", "csv").stdout.splitlines()[1].endswith(",as it says")
