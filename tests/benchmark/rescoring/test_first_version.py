"""Results of schema version 1 are read, scored again and shown by what is found."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from helpers.forged_results import set_field
from helpers.synthetic_results import TRAIN_ROWS, read_record, write_record, write_result
from marnn_bench.cli import main
from marnn_bench.errors import DataError
from marnn_bench.evaluation.records import SAMPLES
from marnn_bench.leaderboard.results import read_result
from marnn_bench.rescoring.rescore import believe, rescore

RIGHT = np.random.default_rng(5).random((3, 40)) < [[0.2], [0.5], [0.9]]
LOST = 3

LATER = ("area_under_curve", "extrapolation_ratio")
"""What runs do not have in version 1."""


@pytest.fixture
def now(tmp_path: Path) -> Path:
    return write_result(tmp_path / "now", RIGHT, lost=LOST)


@pytest.fixture
def first(now: Path, tmp_path: Path) -> Path:
    """The same result as version 1 wrote it: metrics beside the entries of a run, 64 bits a mask, no split but its own."""
    folder = tmp_path / "first"
    folder.mkdir()
    record = read_record(now)
    task = {name: value for name, value in record["task"].items() if name not in ("headline", "splits")}
    for part in (*record["runs"], record["summary"], *record["trivial"]):
        part |= part.pop("metrics")
        part.pop("headline", None)
        for name in LATER:
            part.pop(name, None)
    for run in record["runs"]:
        run |= {"longest_solved": None}
        run["position_accuracy"] |= {"lower": 0.1, "upper": 0.9, "n": task["symbols"]}
    errors = {"file": "errors.jsonl", "rows": LOST}
    record |= {"schema_version": 1, "task": task, "errors": errors}
    del record["audit"]
    write_first_samples(now, folder)
    write_record(folder, record)
    return folder


def write_first_samples(now: Path, folder: Path) -> None:
    table = pq.read_table(now / SAMPLES)
    masks = [
        [2**64 - 1 if mask is None else mask for mask in string] for string in table["predicted"].to_pylist()
    ]
    kinds = {
        "run": pa.uint16(),
        "row": pa.uint32(),
        "predicted": pa.list_(pa.field("element", pa.uint64(), nullable=False)),
        "correct": pa.bool_(),
        "first_error": pa.int32(),
    }
    schema = pa.schema([pa.field(name, kind, nullable=False) for name, kind in kinds.items()])
    columns: dict[str, list[Any]] = {name: table[name].to_pylist() for name in kinds}
    pq.write_table(
        pa.table(columns | {"predicted": masks}, schema=schema),
        folder / SAMPLES,
        row_group_size=RIGHT.shape[1],
    )


@pytest.fixture(autouse=True)
def own_train(monkeypatch: pytest.MonkeyPatch) -> None:
    """Version 1 does not say how many strings train had: the task's own are taken, here as few as the result had."""
    from marnn_bench.rescoring import data

    whole = data.find_task
    monkeypatch.setattr(data, "find_task", lambda name: whole(name).with_splits({"train": TRAIN_ROWS}))


def test_version_1_is_shown_as_what_was_found(now: Path, first: Path) -> None:
    assert rescore(first).differences == ()
    of_now, of_first = believe(now).record, believe(first).record
    for entry in ("task", "runs", "summary", "trivial"):
        assert of_first[entry] == of_now[entry]
    assert of_first["errors"]["rows"] == LOST
    assert (read_result(first).values() == read_result(now).values()).all()
    shown = CliRunner().invoke(main, ["leaderboard", "show", str(first), str(now)])
    assert shown.exit_code == 0, shown.output
    rows = [line.split()[-7:] for line in shown.stdout.splitlines() if line.startswith("ours: mine")]
    assert len(rows) == 2 and rows[0][-6:] == rows[1][-6:]


@pytest.mark.parametrize(
    "keys",
    [
        ("runs", 0, "sequence_accuracy", "value"),
        ("runs", 0, "by_length", 0, "value"),
        ("runs", 0, "positions_by_depth", 0, "correct"),
        ("summary", "position_accuracy", "mean"),
        ("summary", "solved", "share"),
        ("trivial", 0, "sequence_accuracy"),
        ("errors", "rows"),
        ("task", "symbols"),
    ],
    ids=str,
)
def test_a_forged_figure_of_version_1_is_found(keys: tuple[str | int, ...], first: Path) -> None:
    set_field(first, keys, 0.123)
    assert rescore(first).differing
    with pytest.raises(DataError, match="not what its samples say"):
        believe(first)


@pytest.mark.parametrize("end", ["lower", "upper"])
def test_what_version_1_computed_otherwise_is_not_shown_as_it_says(end: str, first: Path, now: Path) -> None:
    set_field(first, ("runs", 0, "by_length", 0, end), 0.5)
    set_field(first, ("summary", "solved", end), 0.5)
    assert believe(first).record["runs"] == believe(now).record["runs"]
    assert believe(first).record["summary"] == believe(now).record["summary"]


def test_a_mask_of_all_bits_is_no_answer(first: Path) -> None:
    assert read_result(first).lost == LOST
    assert not read_result(first).values()[0, -LOST:].any()
