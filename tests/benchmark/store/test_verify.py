"""Verifying: every kind of damage and every edit is found and named."""

import contextlib
import copy
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from helpers.command_line import marnn
from helpers.forgery import edit_receipt, forge, replace_cell
from helpers.small_data import small
from marnn_bench.errors import DataError, MarnnError
from marnn_bench.store.card import dataset_card
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.read import read_split
from marnn_bench.store.verify import verify
from marnn_bench.store.write import describe, generate
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task


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
        ("input", "( )", f"row {row}: has another"),
    ):
        before = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
        forge(data, "dyck3", "train", replace_cell(column, row, value))
        with pytest.raises(DataError, match=message.replace("(", r"\(")):
            list(verify(data))
        for path, content in before.items():
            path.write_bytes(content)
    forge(data, "dyck3", "train", lambda table: table.slice(0, 299))
    with pytest.raises(DataError, match="train has 300 rows; those of the files that are listed are 299"):
        list(verify(data))


def test_a_right_row_in_another_order_is_still_not_the_split(data: Path) -> None:
    forge(data, "dyck3", "test", lambda table: table.take(pa.array([1, 0, *range(2, 200)])))
    with pytest.raises(
        DataError, match=r"row 0: has another input: the row is not what dyck3 1\.0 generates"
    ):
        list(verify(data))


def test_a_split_of_another_major_version_is_decided_by_the_automaton_alone(tmp_path: Path) -> None:
    generate(replace(small("dyck3"), version="0.9"), tmp_path)
    assert [v.regenerated for v in verify(tmp_path)] == [False, False]
    forge(tmp_path, "dyck3", "test", lambda table: table.take(pa.array([0, 0, *range(2, 200)])))
    with pytest.raises(DataError, match="row 1: repeats an earlier one"):
        list(verify(tmp_path))


# -- what the folder says of itself


TINY = find_task("dyck3").with_splits({"train": 30, "test": 20})
WEIGHTED = find_task("dyck3--lm").with_splits({"train": 30, "test": 20})


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values of JSON that hold no others."""
    if isinstance(value, dict | list) and value:
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def edited(value: Any) -> Any:
    """Another value of the same type."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return value + "0"
        case _:
            return 0


def parent(content: Any, path: tuple[Any, ...]) -> Any:
    """What holds the value at this path."""
    for key in path[:-1]:
        content = content[key]
    return content


@pytest.mark.parametrize("task", [TINY, WEIGHTED], ids=["dyck3", "dyck3--lm"])
@pytest.mark.parametrize("receipts", [True, False], ids=["generated", "from the Hub"])
def test_every_field_of_a_manifest_is_verified(task: Task, receipts: bool, tmp_path: Path) -> None:
    """In a copy from the Hub, which has no receipts, too."""
    generate(task, tmp_path)
    if not receipts:
        shutil.rmtree(tmp_path / ".receipts")
    list(verify(tmp_path))
    manifest = read_manifest(tmp_path)
    for path in leaves(manifest):
        changed = copy.deepcopy(manifest)
        parent(changed, path)[path[-1]] = edited(parent(manifest, path)[path[-1]])
        (tmp_path / "manifest.json").write_text(json.dumps(changed))
        with contextlib.suppress(LookupError, TypeError, AttributeError):
            (tmp_path / "README.md").write_text(dataset_card(changed, tmp_path))
        with pytest.raises(DataError):
            list(verify(tmp_path))
            pytest.fail(f"{path} can be edited")


@pytest.mark.parametrize("task", [TINY, WEIGHTED], ids=["dyck3", "dyck3--lm"])
def test_every_field_of_a_receipt_is_verified(task: Task, tmp_path: Path) -> None:
    """Though manifest and card agree with it."""
    generate(task, tmp_path)
    path = tmp_path / f".receipts/{task.name}/test-00000-of-00001.json"
    receipt = json.loads(path.read_text())
    for place in leaves(receipt):
        changed = copy.deepcopy(receipt)
        parent(changed, place)[place[-1]] = edited(parent(receipt, place)[place[-1]])
        with pytest.raises(DataError):
            edit_receipt(path, **changed)
            list(verify(tmp_path))
            pytest.fail(f"{place} can be edited")
    edit_receipt(path, **receipt)
    list(verify(tmp_path))


def test_a_leak_report_is_computed_again(tmp_path: Path) -> None:
    generate(TINY, tmp_path)
    path = tmp_path / ".receipts/dyck3.json"
    report = json.loads(path.read_text())
    path.write_text(json.dumps({**report, "overlap": {"train, test": 7}}))
    describe(tmp_path)
    with pytest.raises(DataError, match=r"dyck3 leaks\.overlap\.train, test is not what the data says"):
        list(verify(tmp_path))


@pytest.mark.parametrize(
    "name", ["README.md", ".receipts/dyck3.json", ".receipts/dyck3/test-00000-of-00001.json"]
)
def test_a_file_that_was_edited_or_lost_is_found(name: str, tmp_path: Path) -> None:
    generate(TINY, tmp_path)
    path = tmp_path / name
    text = path.read_text()
    for change in (text.replace("2", "3", 1), text + "x", ""):
        path.write_text(change)
        with pytest.raises(DataError):
            list(verify(tmp_path))
    path.unlink()
    with pytest.raises(DataError):
        list(verify(tmp_path))


def test_a_file_that_is_not_listed_is_found_what_git_and_the_hub_keep_is_not(data: Path) -> None:
    (data / ".cache/huggingface").mkdir(parents=True)
    (data / ".cache/huggingface/x.lock").write_text("")
    (data / ".gitattributes").write_text("")
    list(verify(data))
    (data / "data/dyck3/more.parquet").write_text("")
    with pytest.raises(DataError, match=r"more\.parquet does not belong to the manifest"):
        list(verify(data))


@pytest.mark.parametrize("name", ["/etc/passwd", "data/../../x.parquet", "../x.parquet", "data/\0", ""])
def test_a_path_that_leaves_the_folder_is_refused(name: str, data: Path) -> None:
    manifest = read_manifest(data)
    manifest["tasks"]["dyck3"]["splits"]["test"]["shards"][0]["file"] = name
    (data / "manifest.json").write_text(json.dumps(manifest))
    for use in (lambda: list(verify(data)), lambda: read_split(data, "dyck3", "test")):
        with pytest.raises(DataError, match="shards/0/file is wrong or missing"):
            use()


def test_a_link_is_no_file(data: Path) -> None:
    path = data / "data/dyck3/test-00000-of-00001.parquet"
    path.rename(data.parent / "elsewhere")
    path.symlink_to(data.parent / "elsewhere")
    with pytest.raises(DataError, match=r"test-00000-of-00001\.parquet is a link"):
        list(verify(data))


def test_metadata_of_a_file_are_verified(data: Path) -> None:
    forge(data, "dyck3", "test", lambda table: table.replace_schema_metadata({"marnn_bench": "{}"}))
    with pytest.raises(DataError, match="has other columns or metadata"):
        list(verify(data))


def test_an_empty_manifest_and_a_missing_task_are_found(data: Path) -> None:
    generate(small("dyck2"), data)
    manifest = read_manifest(data)
    for tasks in ({}, {"dyck2": manifest["tasks"]["dyck2"]}):
        (data / "manifest.json").write_text(json.dumps({**manifest, "tasks": tasks}))
        (data / "README.md").write_text(dataset_card({**manifest, "tasks": tasks}, data))
        with pytest.raises(DataError, match=r"holds no finished task|tasks\.dyck3 is not what"):
            list(verify(data))


# -- damage at random

SEEDS = range(2_000)


def mutated(content: Any, random: Random) -> Any:
    """JSON with one value, key or element removed, replaced, or put elsewhere."""
    content = copy.deepcopy(content)
    path = random.choice(list(places(content)))
    holder, key = parent(content, path), path[-1]
    others = [None, True, -1, 0, 10**30, 1.5, float("nan"), "", "x\ny", "9" * 50, [], {}, [[]], {"": {}}]
    match random.randrange(5):
        case 0:
            del holder[key]
        case 1:
            holder[key] = random.choice(others)
        case 2:
            holder[key] = copy.deepcopy(
                holder[random.choice(list(holder)) if isinstance(holder, dict) else -1]
            )
        case 3 if isinstance(holder, dict):
            holder[random.choice(["", "x", "../x", *holder])] = holder.pop(key)
        case _:
            holder[key] = edited(holder[key])
    return content


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values of JSON."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from places(inner, (*path, key))


def test_a_damaged_description_is_an_error_of_one_line(tmp_path: Path) -> None:
    """Manifests (of generated folders, and of copies from the Hub), receipts and leak reports, 2,000 times."""
    generated, copied = tmp_path / "generated", tmp_path / "copied"
    generate(TINY, generated)
    shutil.copytree(generated, copied, ignore=shutil.ignore_patterns(".receipts"))
    targets = [generated / "manifest.json", copied / "manifest.json", generated / ".receipts/dyck3.json"]
    targets.append(generated / ".receipts/dyck3/train-00000-of-00001.json")
    intact = {path: path.read_text() for path in targets}
    outcomes = Counter[int]()
    for seed in SEEDS:
        path = targets[seed % len(targets)]
        content = json.loads(intact[path])
        changed = mutated(content, Random(seed))
        path.write_text(json.dumps(changed))
        try:
            list(verify(copied if copied in path.parents else generated))
            outcomes[0] += 1
            assert changed == content, seed
        except MarnnError as error:
            assert "\n" not in str(error), seed
            outcomes[error.exit_code] += 1
        path.write_text(intact[path])
    assert set(outcomes) <= {0, 5}
    assert outcomes[5] > 1_800
