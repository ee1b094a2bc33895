"""The column log_prob: on disk, in manifest and card, read back by us and by `datasets`, verified."""

import json
import os
import re
import subprocess
import sys
from math import log
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.brute_force import small_window
from helpers.command_line import marnn, succeed
from helpers.forgery import Change, edit_receipt, forge, replace_cell
from helpers.small_data import digests
from marnn_bench.errors import DataError
from marnn_bench.generators.window import Window
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_split
from marnn_bench.store.verify import verify
from marnn_bench.store.write import generate
from marnn_bench.task import Task
from marnn_bench.tasks.registry import builtin_tasks, find_task

NAME = "dyck2--lm"
ROWS = {"train": 300, "test": 200}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    generate(find_task(NAME).with_splits(ROWS), tmp_path / "d")
    return tmp_path / "d"


def table(folder: Path, split: str = "test") -> pa.Table:
    (path,) = folder.glob(f"data/{NAME}/{split}-*.parquet")
    return pq.read_table(path)


def nats_per_symbol(rows: pa.Table) -> float:
    return -sum(rows["log_prob"].to_pylist()) / sum(length + 1 for length in rows["length"].to_pylist())


# -- what is written and read


def test_rows_read_back_have_the_probabilities_of_their_law(data: Path) -> None:
    assert table(data).schema.names == ["input", "log_prob", "length", "depth"]
    for split in ROWS:
        examples = read_split(data, NAME, split)
        task = examples.task
        expected = task.law(split).log_prob(examples.strings, task.split(split).window)
        assert np.array_equal(examples.log_probs, expected)
        assert examples.bound == pytest.approx(nats_per_symbol(table(data, split)), rel=1e-12)
        some = examples.take([5, 2])
        assert some[1]["log_prob"] == examples[2]["log_prob"] == expected[2]


def test_other_views_have_no_bound(tmp_path: Path) -> None:
    generate(find_task("dyck2").with_splits({"train": 20, "test": 20}), tmp_path)
    examples = read_split(tmp_path, "dyck2", "test")
    assert "log_prob" not in examples[0] and not hasattr(examples, "bound")


def test_manifest_and_card_say_the_bound(data: Path) -> None:
    splits = read_manifest(data)["tasks"][NAME]["splits"]
    card = (data / "README.md").read_text()
    for split, entry in splits.items():
        nats = nats_per_symbol(table(data, split))
        assert entry["bound_nats_per_symbol"] == pytest.approx(nats, rel=1e-12)
        assert f"{split} {nats:.6f} nats ({nats / log(2):.6f} bits)" in card
    row, again = [json.loads(line) for line in re.findall(r'^{"input".*}$', card, re.MULTILINE)]
    assert row == again and row["log_prob"] in table(data, "train")["log_prob"].to_pylist()
    generate(find_task("dyck3").with_splits(ROWS), data)
    others = read_manifest(data)["tasks"]["dyck3"]["splits"].values()
    assert [entry["bound_nats_per_symbol"] for entry in others] == [None, None]


def test_the_bound_is_that_of_all_files(tmp_path: Path) -> None:
    """Of 140,000 rows in three files."""
    task = find_task(NAME).with_splits({"train": 140_000, "test": 1})
    generate(task, tmp_path, shard_rows=65_536)
    files = [pq.read_table(path) for path in sorted(tmp_path.rglob("train-*.parquet"))]
    entry = read_manifest(tmp_path)["tasks"][NAME]["splits"]["train"]
    assert [file.num_rows for file in files] == [65_536, 65_536, 8_928]
    assert entry["bound_nats_per_symbol"] == pytest.approx(
        nats_per_symbol(pa.concat_tables(files)), rel=1e-12
    )
    list(verify(tmp_path, workers=2))


def every_next_symbol_task() -> list[Task]:
    """All whose laws are exact, with windows of short strings."""
    names = [
        name for name, task in builtin_tasks().items() if task.view.name == "next-symbol" and name != "dyck5"
    ]
    tasks = [find_task(f"{name}--lm") for name in names]
    return [
        task.with_splits(
            dict.fromkeys(task.splits, 50), windows=dict.fromkeys(task.splits, small_window(task.language))
        )
        for task in tasks
    ]


def test_every_task_is_written_verified_and_read(tmp_path: Path) -> None:
    tasks = every_next_symbol_task()
    for task in tasks:
        generate(task, tmp_path)
    assert len(list(verify(tmp_path))) == sum(len(task.splits) for task in tasks)
    for task in tasks:
        for split in task.splits:
            examples = read_split(tmp_path, task.name, split)
            assert np.isfinite(examples.log_probs).all()


LOAD = """
import json, sys, datasets
test = datasets.load_dataset(sys.argv[1], "dyck2--lm", split="test")
print(json.dumps([test.features["log_prob"].dtype, test["log_prob"][:]]))
"""


def test_datasets_reads_the_probabilities_to_the_bit(data: Path, tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    environment = {**os.environ, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-c", LOAD, str(data)]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert json.loads(said) == ["float64", table(data)["log_prob"].to_pylist()]


# -- what is verified


def scaled(factor: float) -> Change:
    """What makes all probabilities of a table larger or smaller."""

    def change(rows: pa.Table) -> pa.Table:
        index = rows.column_names.index("log_prob")
        values = np.array(rows["log_prob"].to_pylist()) * factor
        return rows.set_column(index, rows.schema.field(index), pa.array(values))

    return change


def test_the_last_bits_of_a_probability_may_differ(data: Path) -> None:
    """They do between machines; the digest does not know them."""
    before = digests(data)
    forge(data, NAME, "test", scaled(1 + 1e-14))
    assert table(data)["log_prob"].to_pylist() != read_split_again(data)
    assert digests(data) == before
    edit_nats(data, factor=1 + 1e-14)
    list(verify(data))


def read_split_again(data: Path) -> list[float]:
    """The probabilities as they are computed now."""
    examples = read_split(data, NAME, "test")
    law, window = examples.task.law("test"), examples.task.split("test").window
    return law.log_prob(examples.strings, window).tolist()


def edit_nats(data: Path, factor: float) -> None:
    """Make the receipt of the test agree with probabilities that are changed by this factor, then all else."""
    (path,) = data.glob(f".receipts/{NAME}/test-*.json")
    edit_receipt(path, nats=json.loads(path.read_text())["nats"] * factor)


@pytest.mark.parametrize(
    ("column", "value", "fault"),
    [
        ("log_prob", -1.0, "row 3: has another log_prob than the law gives"),
        ("log_prob", float("nan"), "row 3: has another log_prob than the law gives"),
        ("log_prob", -float("inf"), "row 3: has another log_prob than the law gives"),
        ("depth", 60, "row 3: has another depth than the automaton gives"),
    ],
)
def test_a_changed_number_is_found(column: str, value: float, fault: str, data: Path) -> None:
    forge(data, NAME, "test", replace_cell(column, 3, value))
    outcome = marnn("verify", data, cwd=data.parent)
    assert outcome.code == 5
    assert fault in outcome.error


def test_a_changed_sum_is_found(data: Path) -> None:
    edit_nats(data, factor=1 + 1e-9)
    with pytest.raises(DataError, match="bound_nats_per_symbol is not what the data says"):
        list(verify(data))


def test_a_probability_that_was_edited_is_not_read(data: Path) -> None:
    """Though no digest holds it: the file is another one than the manifest's."""
    (path,) = data.glob(f"data/{NAME}/test-*.parquet")
    pq.write_table(replace_cell("log_prob", 3, -1.0)(pq.read_table(path)), path)
    with pytest.raises(DataError, match="its sha256 is not that of the manifest"):
        read_split(data, NAME, "test")


def test_a_bound_of_nothing_is_zero(tmp_path: Path) -> None:
    """a^3 b^3 is the only string of its window."""
    generate(find_task("anbn--lm").with_splits({"test": 5}, windows={"test": Window(3, 3)}), tmp_path)
    examples = read_split(tmp_path, "anbn--lm", "test")
    assert examples.bound == 0
    list(verify(tmp_path))


# -- the command line


def test_language_modelling_is_asked_for_by_a_view(tmp_path: Path) -> None:
    said = succeed(
        "generate",
        "--task",
        "dyck3",
        "--view",
        "language-modelling",
        "--rows",
        "50",
        "--out",
        "d",
        cwd=tmp_path,
    )
    assert "dyck3--lm" in said
    assert [*read_manifest(tmp_path / "d")["tasks"]] == ["dyck3--lm"]
    succeed("verify", "d", cwd=tmp_path)
    shown = succeed("tasks", "show", "dyck3--lm", cwd=tmp_path)
    assert re.search(r"log_prob +-\d+\.\d{6}", shown)
    assert "Draws are independent" in shown


def test_all_tasks_that_can_be_asked_are_written_and_one_that_cannot_is_named(tmp_path: Path) -> None:
    command = ("generate", "--all", "--view", "language-modelling", "--rows", "5", "--out", "d")
    outcome = marnn(*command, cwd=tmp_path)
    assert outcome.code == 0
    assert "dyck5 is left out: dyck5--lm test_long: law enclosed" in outcome.err
    expected = {f"{name}--lm" for name, task in builtin_tasks().items() if task.view.name == "next-symbol"}
    assert {*read_manifest(tmp_path / "d")["tasks"]} == expected - {"dyck5--lm"}
