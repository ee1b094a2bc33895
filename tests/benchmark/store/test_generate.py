"""Generating: what is written, the same content every way, the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.command_line import marnn, succeed
from helpers.definitions import DEFINITIONS, Definition
from helpers.small_data import SMALL, digests, small
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.strings import Strings
from marnn_bench.store.columns import read_answers, read_strings, to_batch, to_texts
from marnn_bench.store.digest import block_digest
from marnn_bench.store.read import read_split
from marnn_bench.store.verify import verify
from marnn_bench.store.write import generate
from marnn_bench.task import Task
from marnn_bench.tasks.registry import builtin_tasks, find_task
from marnn_bench.views import SetView


@pytest.fixture
def data(tmp_path: Path) -> Path:
    generate(small("dyck3"), tmp_path / "d")
    return tmp_path / "d"


# -- what is written


@pytest.mark.parametrize("name", builtin_tasks())
def test_every_row_is_decided_again_by_the_definition(name: str, tmp_path: Path) -> None:
    """Read back from Parquet: sizes in the window, no string twice, every answer that of a definition."""
    task = small(name)
    generate(task, tmp_path)
    definition = next((d for d in DEFINITIONS if d.language == task.language), None)
    for split, wanted in task.splits.items():
        rows = [
            row
            for path in sorted(tmp_path.rglob(f"{split}-*.parquet"))
            for row in pq.read_table(path).to_pylist()
        ]
        assert rows or wanted.rows == "fresh"
        assert not wanted.distinct or len({row["input"] for row in rows}) == len(rows)
        for row in rows[:: max(1, len(rows) // 40)]:
            string = tuple(row["input"].split())
            assert len(string) == row["length"]
            assert row.get("n", row["length"]) in wanted.window
            if definition and len(string) <= 120:
                check_answers(task, definition, string, row)


def check_answers(task: Task, definition: Definition, string: tuple[str, ...], row: dict[str, Any]) -> None:
    """The answers of a row against a definition that has no automaton."""
    if task.view.name == "recognition":
        assert row["label"] == definition.member(string)
    elif task.view.name == "next-symbol":
        shown = [{task.columns[i] for i in range(len(task.columns)) if mask >> i & 1} for mask in row["next"]]
        assert shown == [definition.next_set(string[: i + 1]) & set(task.columns) for i in range(len(string))]
    elif task.view.name == "synchronous":
        half = len(string) // 2
        assert tuple(row["target"].split()) == ("#",) * half + string[:half][::-1]


def test_pandas_and_duckdb_read_the_files(data: Path) -> None:
    import duckdb
    import pandas

    path = data / "data/dyck3/test-00000-of-00001.parquet"
    frame = pandas.read_parquet(path)
    assert list(frame.columns) == ["input", "next", "length", "depth"]
    assert (frame["input"].str.split().str.len() == frame["length"]).all()
    assert (frame["next"].map(len) == frame["length"]).all()
    (total,) = duckdb.sql(f"select sum(length) from '{path}'").fetchall()[0]
    assert total == frame["length"].sum()


def test_a_file_that_stands_alone_can_be_decoded(data: Path) -> None:
    metadata = pq.read_schema(data / "data/dyck3/test-00000-of-00001.parquet").metadata
    about = json.loads(metadata[b"marnn_bench"])
    assert (about["task"], about["version"], about["columns"]) == (
        "dyck3",
        "1.0",
        ["(", ")", "[", "]", "{", "}"],
    )


LOAD = "import sys, datasets; d = datasets.load_dataset(sys.argv[1], 'dyck3'); print(len(d['train']), d['test'][0]['input'])"


def test_datasets_serves_the_rows_that_are_there_now(tmp_path: Path) -> None:
    """Its cache knows a folder by name and card alone: other rows after --overwrite, another folder of equal name."""
    environment = {**os.environ, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}

    def load(folder: Path) -> str:
        command = [sys.executable, "-c", LOAD, str(folder)]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    one, other = tmp_path / "one" / "d", tmp_path / "other" / "d"
    generate(small("dyck3"), one)
    generate(small("dyck3", "uniform"), other)
    first = load(one)
    assert (
        first.split(" ", 1)[1].strip()
        == read_split(one, "dyck3", "test").strings.take([0]).texts(find_task("dyck3").language.alphabet)[0]
    )
    assert load(other) != first
    generate(find_task("dyck3").with_splits({"train": 301, "test": 200}), one, overwrite=True)
    assert load(one).startswith("301 ")


# -- the same content every way


def test_digests_do_not_depend_on_workers_files_or_order(tmp_path: Path) -> None:
    task = find_task("dyck2").with_splits({"train": 200_000, "test": 70_000})
    generate(task, tmp_path / "a", workers=1)
    generate(task, tmp_path / "b", workers=3, shard_rows=65_536)
    assert digests(tmp_path / "a") == digests(tmp_path / "b")
    assert len(list((tmp_path / "b/data/dyck2").glob("train-*-of-00004.parquet"))) == 4
    assert [v.rows for v in verify(tmp_path / "b")] == [200_000, 70_000]


def test_a_longer_split_begins_with_the_shorter_one(tmp_path: Path) -> None:
    generate(small("dyck2"), tmp_path / "short")
    generate(find_task("dyck2").with_splits({"train": 1_000, "test": 1_000}), tmp_path / "long")
    for split, rows in SMALL.items():
        short, long = (read_split(tmp_path / name, "dyck2", split) for name in ("short", "long"))
        assert np.array_equal(long.take(range(rows)).strings.ids, short.strings.ids)


def test_overlapping_splits_share_no_string(tmp_path: Path) -> None:
    from dataclasses import replace

    task = find_task("marked-palindrome")
    splits = {
        "train": replace(task.splits["train"], rows=150),
        "test": replace(task.splits["train"], rows=100),
    }
    generate(replace(task, splits=splits), tmp_path)
    train, test = (
        pq.read_table(path).column("input").to_pylist() for path in sorted(tmp_path.rglob("*.parquet"))[::-1]
    )
    assert (len(train), len(test)) == (150, 100)
    assert not set(train) & set(test)


def test_a_killed_run_resumes_and_ends_in_the_same_content(tmp_path: Path) -> None:
    command = [
        "generate",
        "--task",
        "dyck2",
        "--rows",
        "300000",
        "--law",
        "uniform",
        "--shard-rows",
        "65536",
        "--workers",
        "1",
        "--out",
    ]
    process = subprocess.Popen([sys.executable, "-m", "marnn_bench", *command, "killed"], cwd=tmp_path)
    while len(list((tmp_path / "killed/.receipts").rglob("*.json"))) < 2:
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = {path: path.stat().st_mtime_ns for path in (tmp_path / "killed").rglob("*.parquet")}
    assert 2 <= len(finished) < 10
    succeed(*command, "killed", cwd=tmp_path)
    assert all(path.stat().st_mtime_ns == before for path, before in finished.items())
    succeed(*command, "whole", cwd=tmp_path)
    assert digests(tmp_path / "killed") == digests(tmp_path / "whole")
    assert not list((tmp_path / "killed").rglob("*.part"))


# -- columns


SET_TASKS = [task for task in builtin_tasks().values() if isinstance(task.view, SetView)]


@pytest.mark.parametrize("task", SET_TASKS, ids=lambda t: t.name)
def test_columns_are_read_as_they_were_written(task: Task) -> None:
    sizes = task.language.sizes(task.splits["train"].window)[:5]
    rows = [row for size in sizes for row in islice(task.language.enumerate(size), 200)]
    strings = Strings.from_ids(task.language.alphabet, rows)
    batch = to_batch(task, "train", strings)
    table = pa.Table.from_batches([batch])
    read = read_strings(task, table, "here")
    answers = read_answers(task, table, read, "here")
    assert read.ids.tolist() == strings.ids.tolist()
    assert read.offsets.tolist() == strings.offsets.tolist()
    assert answers.tolist() == task.view.answers(task.language, strings).tolist()


def test_the_digest_sees_every_cell_and_no_slicing() -> None:
    batch = pa.record_batch({"input": ["a b", "c"], "next": pa.array([[1, 2], [3]], pa.list_(pa.uint32()))})
    seen = {block_digest(batch)}
    for other in (
        {"input": ["a", "b c"], "next": pa.array([[1, 2], [3]], pa.list_(pa.uint32()))},
        {"input": ["a b", "c"], "next": pa.array([[1], [2, 3]], pa.list_(pa.uint32()))},
        {"input": ["a b", "c"], "next": pa.array([[1, 2], [4]], pa.list_(pa.uint32()))},
        {"input": ["a b", "c"], "next": pa.array([[1, 2], [3]], pa.list_(pa.uint64()))},
        {"text": ["a b", "c"], "next": pa.array([[1, 2], [3]], pa.list_(pa.uint32()))},
    ):
        seen.add(block_digest(pa.record_batch(other)))
    assert len(seen) == 6
    longer = pa.concat_tables([pa.Table.from_batches([batch])] * 2).combine_chunks().to_batches()[0]
    assert block_digest(longer.slice(2, 2)) == block_digest(batch)


@pytest.mark.parametrize(
    "name", ["anbncn", "dyck3", "string-reversal", "svo-sov", "dyck2--recognition", "dyck2--lm"]
)
def test_a_block_in_pieces_has_the_digest_and_the_rows_of_the_whole(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = small(name)
    generate(task, tmp_path / "whole")
    monkeypatch.setattr("marnn_bench.store.content.PIECE_SYMBOLS", 1_000)
    monkeypatch.setattr("marnn_bench.store.content.GROUP_ROWS", 16)
    generate(task, tmp_path / "pieces")
    assert digests(tmp_path / "pieces") == digests(tmp_path / "whole")
    files = sorted(tmp_path.rglob("test-*.parquet"))
    assert pq.read_table(files[0]).equals(pq.read_table(files[1]))
    pieces, whole = (pq.ParquetFile(path).metadata.num_row_groups for path in files)
    assert whole == 1 < pieces
    list(verify(tmp_path / "pieces"))


def test_texts_are_symbols_of_any_width_with_spaces_between() -> None:
    for alphabet in (Alphabet.of("a b"), Alphabet.of("ab ( 中文 é"), Alphabet.of(map(str, range(300)))):
        ids = [[0], [], [1, 0, 1], [], [len(alphabet) - 1] * 5]
        strings = Strings.from_ids(alphabet, ids)
        assert to_texts(alphabet, strings).to_pylist() == strings.texts(alphabet)
        assert to_texts(alphabet, strings.slice(1, 4)).to_pylist() == strings.slice(1, 4).texts(alphabet)


def test_answers_are_stored_as_places_in_a_dictionary(data: Path) -> None:
    """A file lists the few different sets once; without that it is a third larger."""
    group = pq.ParquetFile(data / "data/dyck3/test-00000-of-00001.parquet").metadata.row_group(0)
    encodings = {group.column(i).path_in_schema: group.column(i).encodings for i in range(group.num_columns)}
    assert "RLE_DICTIONARY" in encodings["next.list.element"]


# -- the command line


def test_the_first_example_of_the_documentation(tmp_path: Path) -> None:
    succeed("generate", "--task", "dyck3", "--out", "d", cwd=tmp_path)
    first = digests(tmp_path / "d")
    succeed("verify", "d", cwd=tmp_path)
    succeed("generate", "--task", "dyck3", "--out", "e", "--workers", "2", cwd=tmp_path)
    assert digests(tmp_path / "e") == first


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--task", "dyk3"], "There is no task 'dyk3'. Did you mean dyck3 or dyck6 or dyck5?"),
        ([], "Name a task with --task"),
        (["--task", "dyck3", "--rows", "many"], "--rows many is not N or SPLIT=N"),
        (["--task", "dyck3", "--rows", "dev=5"], "dyck3 has no split 'dev'; it has train, test."),
        (["--task", "dyck3", "--law", "normal"], "dyck3 has no law 'normal'"),
        (["--task", "dyck3", "--shard-rows", "1000"], "--shard-rows must be a multiple of 65,536"),
    ],
)
def test_a_wrong_option_says_what_to_do(arguments: list[str], message: str, tmp_path: Path) -> None:
    outcome = marnn("generate", *arguments, "--out", "d", cwd=tmp_path)
    assert outcome.code == 2
    assert message in outcome.error
    assert not (tmp_path / "d").exists()


def test_a_window_without_strings_is_named(tmp_path: Path) -> None:
    outcome = marnn("generate", "--task", "dyck3", "--window", "7:7", "--out", "d", cwd=tmp_path)
    assert (outcome.code, outcome.error) == (2, "dyck3 has no strings in the window 7:7. Try 7:8.")


def test_a_recognition_split_of_one_row_has_a_card(tmp_path: Path) -> None:
    """A member alone: of the two kinds of rows, those that there are are shown."""
    generate(find_task("dyck1-recognition").with_splits({"train": 1}), tmp_path)
    _, tasks = (tmp_path / "README.md").read_text().split("\n## Tasks\n")
    assert tasks.count('"label": ') == 1


def test_more_distinct_rows_than_exist_names_their_number(tmp_path: Path) -> None:
    window = ("--window", "train=2:5")
    outcome = marnn("generate", "--task", "marked-palindrome", *window, "--out", "d", cwd=tmp_path)
    assert outcome.code == 2
    assert outcome.error.startswith("marked-palindrome has 12 strings in the window 2:5, not 5,000")


def test_json_is_all_that_is_on_standard_output(tmp_path: Path) -> None:
    out = succeed(
        "generate", "--task", "dyck2", "--rows", "20", "--out", "d", "--format", "json", cwd=tmp_path
    )
    assert json.loads(out)["dyck2"]["splits"]["train"]["rows"] == 20
    assert json.loads(succeed("verify", "d", "--format", "json", cwd=tmp_path))[0]["regenerated"] is True


def test_a_window_too_wide_to_count_is_refused_at_once(tmp_path: Path) -> None:
    outcome = marnn(
        "generate", "--task", "dyck2", "--window", "2:100000000", "--out", "d", cwd=tmp_path, timeout=20
    )
    assert outcome.code == 2
    assert "too wide" in outcome.error


def test_an_endless_split_is_pointed_out(tmp_path: Path) -> None:
    outcome = marnn("generate", "--task", "anbn", "--out", "d", cwd=tmp_path)
    assert "anbn train is endless: --rows train=N writes N rows of it." in outcome.err
