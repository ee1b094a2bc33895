"""The folder of a result: what may be in it, whose it is, and which parts are taken for good."""

import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from marnn_bench.errors import DataError, UsageError
from marnn_bench.evaluation.results import Part, Policy, ResultFolder, integrity

WAVES = [range(4), range(4, 6)]
RUNS = range(2)
ABOUT = {"task": "t", "columns": ["a", "b"]}


def part(run: int, wave: int, shift: int = 0) -> Part:
    """Answers that tell where they belong."""
    rows = WAVES[wave]
    answers = [[run, row + shift] for row in rows]
    table = pa.table({"answer": pa.array(answers, pa.list_(pa.uint8())), "text": [f"{row}" for row in rows]})
    return Part(run, wave, rows, table, [{"run": run, "rows": [rows[0]], "message": f"{run} {wave}"}])


def write_parts(folder: ResultFolder) -> None:
    for run in RUNS:
        for wave, rows in enumerate(WAVES):
            if not folder.has(run, wave, rows):
                folder.write(part(run, wave))


def join_all(folder: ResultFolder) -> None:
    with folder.joining(WAVES, ABOUT) as join:
        for run in RUNS:
            join(run)


def finish(path: Path, key: str = "k", other: Policy = "refuse") -> dict[str, Any]:
    """A whole result, continued where it was left."""
    folder = ResultFolder(path, key, other)
    with folder.writing():
        write_parts(folder)
        join_all(folder)
        return folder.commit({"schema_version": 1})


def contents(path: Path) -> dict[str, bytes]:
    return {str(f.relative_to(path)): f.read_bytes() for f in sorted(path.rglob("*")) if f.is_file()}


def begin(path: Path, key: str = "k") -> None:
    """An evaluation that ends before its result does."""
    folder = ResultFolder(path, key)
    with folder.writing():
        write_parts(folder)


# -- what it holds


def test_tables_of_any_columns_are_joined_by_run_and_row(tmp_path: Path) -> None:
    record = finish(tmp_path / "r")
    found = pq.read_table(tmp_path / "r" / "samples.parquet")
    assert found.column_names == ["run", "row", "answer", "text"]
    assert found.schema.types[:2] == [pa.uint16(), pa.uint32()]
    assert found["run"].to_pylist() == [0] * 6 + [1] * 6
    assert found["row"].to_pylist() == [*range(6)] * 2
    assert found["answer"].to_pylist() == [[run, row] for run in RUNS for row in range(6)]
    of_run = ResultFolder(tmp_path / "r", "k").table(1)
    assert of_run.equals(found.slice(6)) and record["samples"]["rows"] == 12


def test_a_lone_file_of_samples_says_what_it_is_of(tmp_path: Path) -> None:
    finish(tmp_path / "r")
    (tmp_path / "r" / "samples.parquet").rename(tmp_path / "found.parquet")
    about = json.loads(pq.read_schema(tmp_path / "found.parquet").metadata[b"marnn_bench"])
    assert about == {**ABOUT, "key": "k"}


def test_the_record_covers_every_file(tmp_path: Path) -> None:
    record = finish(tmp_path / "r")
    files = contents(tmp_path / "r")
    assert set(files) == {"samples.parquet", "errors.jsonl", "result.json"}
    for entry in (record["samples"], record["errors"]):
        assert entry["sha256"] == sha256(files[entry["file"]]).hexdigest()
    assert [json.loads(line)["message"] for line in files["errors.jsonl"].splitlines()] == [
        "0 0", "0 1", "1 0", "1 1",
    ]  # fmt: skip
    assert record["errors"]["rows"] == 4 and record["integrity"] == integrity(record)
    assert ResultFolder(tmp_path / "r", "k").read() == record


def test_a_table_of_other_rows_is_refused(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path / "r", "k")
    with folder.writing(), pytest.raises(ValueError, match="2 answers to 4 rows"):
        folder.write(Part(0, 0, WAVES[0], part(0, 1).table, []))


# -- whose folder it is


@pytest.mark.parametrize("policy", ["refuse", "move", "replace"])
def test_a_complete_result_is_read_and_that_of_another_key_is_not(tmp_path: Path, policy: Policy) -> None:
    record = finish(tmp_path / "r")
    before = contents(tmp_path / "r")
    assert ResultFolder(tmp_path / "r", "k", policy).state() == "complete"
    other = ResultFolder(tmp_path / "r", "another", policy)
    if policy == "refuse":
        for ask in (other.state, other.writing().__enter__):
            with pytest.raises(UsageError, match="holds the result of something else"):
                ask()
    else:
        assert other.state() == "other"
    assert ResultFolder(tmp_path / "r", "k").read() == record and contents(tmp_path / "r") == before


def test_another_result_is_moved_as_a_whole(tmp_path: Path) -> None:
    finish(tmp_path / "r")
    (tmp_path / "r" / "notes.txt").write_text("mine")
    before = contents(tmp_path / "r")
    for i in (1, 2):
        folder = ResultFolder(tmp_path / "r", f"k{i}", "move")
        with folder.writing():
            assert folder.moved_to == tmp_path / f"r.{i}"
        finish(tmp_path / "r", f"k{i}")
    assert contents(tmp_path / "r.1") == before and "notes.txt" not in contents(tmp_path / "r")
    assert json.loads(contents(tmp_path / "r.2")["result.json"])["resume_key"] == "k1"


def test_another_result_is_replaced_and_what_is_no_result_stays(tmp_path: Path) -> None:
    finish(tmp_path / "r")
    (tmp_path / "r" / "notes.txt").write_text("mine")
    finish(tmp_path / "r", "another", "replace")
    assert set(contents(tmp_path / "r")) == {"samples.parquet", "errors.jsonl", "result.json", "notes.txt"}
    finish(tmp_path / "new", "another")
    assert contents(tmp_path / "r").items() >= contents(tmp_path / "new").items()


def test_a_result_that_is_complete_by_now_is_not_made_again(tmp_path: Path) -> None:
    """As when another command has ended between a look and the lock."""
    finish(tmp_path / "r")
    before = contents(tmp_path / "r")
    with pytest.raises(UsageError, match=r"holds this result by now; --overwrite"):
        finish(tmp_path / "r")
    assert contents(tmp_path / "r") == before


def test_an_edited_result_is_not_taken_for_this_one(tmp_path: Path) -> None:
    record = finish(tmp_path / "r")
    for edited in ('{"cut', "[]", "null", json.dumps({**record, "schema_version": 2})):
        (tmp_path / "r" / "result.json").write_text(edited)
        assert ResultFolder(tmp_path / "r", "k", "move").state() == "other"


def test_foreign_files_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "thesis.tex").write_text("x")
    for policy in ("refuse", "replace"):
        with pytest.raises(UsageError, match="holds other files"):
            finish(tmp_path / "r", "k", policy)
    assert contents(tmp_path / "r") == {"thesis.tex": b"x"}
    finish(tmp_path / "r", "k", "move")
    assert contents(tmp_path / "r.1") == {"thesis.tex": b"x"}


def test_a_folder_that_was_made_for_nothing_goes(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="is a file"):
        ResultFolder(tmp_path / "file", "k").state()
    with pytest.raises(OSError, match="Not a directory"):
        finish(tmp_path / "file" / "r")
    assert contents(tmp_path) == {"file": b"x"}


# -- one writer


def test_the_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path / "r", "k")
    with folder.writing():
        for key in ("k", "another"):
            with pytest.raises(
                UsageError, match=rf"r is being written by process {os.getpid()} on .*--out\."
            ):
                finish(tmp_path / "r", key, "replace")
        write_parts(folder)
    assert finish(tmp_path / "r")["samples"]["rows"] == 12


@pytest.mark.parametrize("again", [False, True])
def test_a_folder_that_is_deleted_under_it_holds_nothing(tmp_path: Path, again: bool) -> None:
    """Nor is another evaluation disturbed that has begun in its place."""
    folder = ResultFolder(tmp_path / "r", "k")
    with folder.writing():
        write_parts(folder)
        for file in tmp_path.rglob("*"):
            if file.is_file():
                file.unlink()
        if again:
            finish(tmp_path / "r", "another")
        before = contents(tmp_path)
        for act in (
            lambda: folder.write(part(0, 0)),
            lambda: folder.write_error({"rows": []}),
            lambda: join_all(folder),
            lambda: folder.commit({}),
        ):
            with pytest.raises(UsageError, match="r was removed while it was being written"):
                act()
    assert contents(tmp_path) == before


# -- parts


def test_parts_of_another_key_or_other_rows_are_made_again(tmp_path: Path) -> None:
    """As a command leaves them that wrote the folder before there was a lock."""
    begin(tmp_path / "other", "another")
    finish(tmp_path / "whole")
    for wrong in ("another key", "another run", "other rows"):
        out = tmp_path / wrong
        begin(out)
        here = out / ".parts" / "00000-00001.arrow"
        if wrong == "another key":
            here.write_bytes((tmp_path / "other" / ".parts" / here.name).read_bytes())
        elif wrong == "another run":
            here.write_bytes((out / ".parts" / "00001-00001.arrow").read_bytes())
        else:
            assert not ResultFolder(out, "k").has(0, 1, range(4, 7))
            here.write_bytes((out / ".parts" / "00000-00000.arrow").read_bytes())
        assert not ResultFolder(out, "k").has(0, 1, WAVES[1])
        finish(out)
        assert contents(out) == contents(tmp_path / "whole")


def test_a_part_that_is_damaged_anywhere_is_made_again(tmp_path: Path) -> None:
    """Every bit of it flipped in turn; and cut after every byte."""
    finish(tmp_path / "whole")
    begin(tmp_path / "r")
    folder = ResultFolder(tmp_path / "r", "k")
    path = tmp_path / "r" / ".parts" / "00000-00000.arrow"
    whole = path.read_bytes()
    damaged = [whole[:i] for i in range(len(whole))] + [whole + b"x", bytes(4), b"PAR1"]
    for i in range(len(whole)):
        damaged += [whole[:i] + bytes([whole[i] ^ 1 << bit]) + whole[i + 1 :] for bit in (0, 3, 7)]
    for content in damaged:
        path.write_bytes(content)
        assert not folder.has(0, 0, WAVES[0])
    path.write_bytes(damaged[len(whole) // 2])
    finish(tmp_path / "r")
    assert contents(tmp_path / "r") == contents(tmp_path / "whole")


def test_a_part_that_vanishes_before_the_end_is_named(tmp_path: Path) -> None:
    folder = ResultFolder(tmp_path / "r", "k")
    with folder.writing():
        write_parts(folder)
        (tmp_path / "r" / ".parts" / "00001-00000.arrow").unlink()
        with pytest.raises(DataError, match=r"00001-00000.arrow was changed. Give the same command again"):
            join_all(folder)
    finish(tmp_path / "whole")
    finish(tmp_path / "r")
    assert contents(tmp_path / "r") == contents(tmp_path / "whole")


def test_parts_that_were_not_removed_any_more_go_with_the_next_look(tmp_path: Path) -> None:
    begin(tmp_path / "parts")
    record = finish(tmp_path / "r")
    before = contents(tmp_path / "r")
    (tmp_path / "parts" / ".parts").rename(tmp_path / "r" / ".parts")
    assert ResultFolder(tmp_path / "r", "k").read() == record
    assert contents(tmp_path / "r") == before and not (tmp_path / "r" / ".parts").exists()
