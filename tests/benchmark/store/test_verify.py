"""Verifying: every kind of damage and every edit is found and named."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from helpers.command_line import marnn
from helpers.forgery import forge, replace_cell
from helpers.small_data import small
from marnn_bench.errors import DataError
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_split
from marnn_bench.store.verify import verify
from marnn_bench.store.write import generate


@pytest.fixture
def data(tmp_path: Path) -> Path:
    generate(small("dyck3"), tmp_path / "d")
    return tmp_path / "d"


def test_every_kind_of_damage_is_found_and_named(data: Path) -> None:
    list(verify(data))
    path = data / "data/dyck3/test-00000-of-00001.parquet"
    intact, manifest = path.read_bytes(), (data / "manifest.json").read_text()
    flipped = bytearray(intact)
    flipped[len(intact) // 2] ^= 1
    for content in (bytes(flipped), intact[: len(intact) // 2], b""):
        path.write_bytes(content)
        outcome = marnn("verify", data, cwd=data.parent)
        assert outcome.code == 5
        assert "test-00000-of-00001.parquet is damaged or edited" in outcome.error
    path.unlink()
    assert "is missing" in marnn("verify", data, cwd=data.parent).error
    path.write_bytes(intact)
    (data / "manifest.json").write_text(manifest[:100])
    assert "manifest.json is damaged" in marnn("verify", data, cwd=data.parent).error
    (data / "manifest.json").unlink()
    assert marnn("verify", data, cwd=data.parent).code == 5


def test_rows_that_were_edited_together_with_the_manifest_are_found(data: Path) -> None:
    train = read_split(data, "dyck3", "train")
    texts = train.strings.texts(train.task.language.alphabet)
    row = next(i for i, text in enumerate(texts) if len(text) == 7)
    answers = train.take([row]).answers.tolist()
    for column, value, message in (
        ("next", [answers[0] ^ 1, *answers[1:]], f"row {row}: has another next than the automaton gives"),
        ("input", "( ) ) )", f"row {row}: is no string of dyck3"),
        ("input", "( x ) )", f"row {row}: 'x' is not in the alphabet"),
        ("input", "( )", "repeats an earlier one"),
    ):
        before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
        forge(data, "dyck3", "train", replace_cell(column, row, value))
        with pytest.raises(DataError, match=message.replace("(", r"\(")):
            list(verify(data))
        for path, content in before.items():
            path.write_bytes(content)
    forge(data, "dyck3", "train", lambda table: table.slice(0, 299))
    with pytest.raises(DataError, match="its rows are not those of the manifest"):
        list(verify(data))


def test_a_right_row_in_another_order_is_still_not_the_split(data: Path) -> None:
    forge(data, "dyck3", "test", lambda table: table.take(pa.array([1, 0, *range(2, 200)])))
    with pytest.raises(DataError, match=r"is not what dyck3 1\.0 generates"):
        list(verify(data))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda task: task["columns"].reverse(), "another columns than the task"),
        (lambda task: task["splits"].pop("test"), "lacks the split test"),
        (lambda task: task["splits"]["train"].update(symbols=1), "not those of the manifest"),
        (lambda task: task["splits"]["train"].update(key="0"), "is not what dyck3"),
    ],
)
def test_an_edited_manifest_is_found(data: Path, change: Any, message: str) -> None:
    manifest = read_manifest(data)
    change(manifest["tasks"]["dyck3"])
    (data / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=message):
        list(verify(data))
