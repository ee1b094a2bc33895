"""Splits of all strings, of so many of each size, endless ones, and recognition splits, on disk."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from helpers.command_line import marnn, succeed
from helpers.definitions import DEFINITIONS
from helpers.forgery import forge, replace_cell
from marnn_bench.errors import DataError, UsageError
from marnn_bench.fresh import EPOCH_DRAWS, fresh_blocks, fresh_strings
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window
from marnn_bench.store.content import contents
from marnn_bench.store.manifest import read_manifest
from marnn_bench.store.verify import verify
from marnn_bench.store.write import generate
from marnn_bench.task import Split, Task
from marnn_bench.tasks.registry import find_task

PALINDROME = find_task("marked-palindrome")


def with_splits(**splits: Split) -> Task:
    return replace(PALINDROME, splits=splits)


def texts(task: Task, split: str) -> list[str]:
    content = contents(task)[split]
    return content.strings(0, len(content)).texts(task.language.alphabet)


# -- all, of each size


def test_all_is_every_string_of_the_window_in_order() -> None:
    task = with_splits(test=Split("all", Window(1, 7)))
    found = texts(task, "test")
    everything = [row for size in range(1, 8) for row in PALINDROME.language.enumerate(size)]
    assert found == Strings.from_ids(PALINDROME.language.alphabet, everything).texts(
        PALINDROME.language.alphabet
    )
    assert len(found) == 1 + 3 + 9 + 27


def test_all_leaves_out_what_an_earlier_split_has_unless_it_says_why() -> None:
    train, rest = Split(10, Window(1, 7)), Split("all", Window(1, 7))
    apart = with_splits(train=train, test=rest)
    assert not set(texts(apart, "train")) & set(texts(apart, "test"))
    assert len(texts(apart, "test")) == 30
    assert len(texts(with_splits(train=train, test=replace(rest, overlaps="as in the paper")), "test")) == 40


def test_so_many_of_each_size_and_fewer_where_fewer_exist() -> None:
    task = with_splits(test=Split(5, Window(1, 9), per_size=True))
    lengths = [len(text.split()) for text in texts(task, "test")]
    assert {size: lengths.count(size) for size in (1, 3, 5, 7, 9)} == {1: 1, 3: 3, 5: 5, 7: 5, 9: 5}
    assert lengths == sorted(lengths)
    assert len(set(texts(task, "test"))) == 19


def test_blocks_across_segments_are_the_whole() -> None:
    task = with_splits(test=Split(5, Window(1, 9), per_size=True))
    content = contents(task)["test"]
    parts = [content.strings(first, min(first + 4, 19)) for first in range(0, 19, 4)]
    assert Strings.concatenate(parts).ids.tolist() == content.strings(0, 19).ids.tolist()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rows": 0}, "at least one row"),
        ({"rows": "all", "per_size": True}, "Rows of each size"),
        ({"rows": "fresh"}, "distinct must be False"),
    ],
)
def test_a_split_that_cannot_be_says_why(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Split(**{"rows": 1, "window": Window(1, 3), **wrong})  # type: ignore[arg-type]


# -- endless


FRESH = with_splits(train=Split("fresh", Window(1, 49), distinct=False), test=Split(20, Window(51, 53)))


def test_an_endless_split_is_the_same_in_blocks_of_any_size() -> None:
    whole = fresh_strings(FRESH, "train", 3, 0, 100)
    for rows in (1, 7, 100):
        blocks = fresh_blocks(FRESH, "train", 3, rows)
        parts = Strings.concatenate([next(blocks) for _ in range(-(-100 // rows))])
        assert parts.slice(0, 100).ids.tolist() == whole.ids.tolist()


def test_epochs_share_no_draw() -> None:
    first, second = (fresh_strings(FRESH, "train", epoch, 0, 50) for epoch in (0, 1))
    assert first.ids.tolist() != second.ids.tolist()
    with pytest.raises(UsageError, match="Epochs are numbered"):
        fresh_strings(FRESH, "train", 0, EPOCH_DRAWS - 1, 2)
    with pytest.raises(UsageError, match="is not endless"):
        fresh_strings(FRESH, "test", 0, 0, 2)


def test_an_endless_split_is_written_when_a_number_of_rows_is_asked(tmp_path: Path) -> None:
    generate(FRESH, tmp_path / "without")
    assert [*read_manifest(tmp_path / "without")["tasks"]["marked-palindrome"]["splits"]] == ["test"]
    generate(FRESH.with_splits({"train": 30}), tmp_path / "with")
    (path,) = (tmp_path / "with").rglob("train-*.parquet")
    written = pq.read_table(path).column("input").to_pylist()
    assert written == fresh_strings(FRESH, "train", 0, 0, 30).texts(FRESH.language.alphabet)


# -- recognition


def test_labels_and_edits_are_true(tmp_path: Path) -> None:
    """Read back from Parquet: labels by a definition, edits by the plain recurrence of Levenshtein."""
    task = find_task("dyck2--recognition").with_splits({"train": 200, "test": 100})
    generate(task, tmp_path)
    (definition,) = (d for d in DEFINITIONS if d.language == task.language)
    rows = [row for path in tmp_path.rglob("*.parquet") for row in pq.read_table(path).to_pylist()]
    assert sum(row["label"] for row in rows) == 150
    for row in rows:
        assert definition.member(tuple(row["input"].split())) == row["label"]
        assert row["label"] == (row["negative"] == "") == (row["edits"] == 0)
    kinds = [row["negative"] for row in rows if not row["label"]]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == dict.fromkeys(
        ("random", "edit", "swap", "permuted", "guided"), 30
    )
    list(verify(tmp_path))


MALI = find_task("dyck2-recognition")


@pytest.mark.parametrize(
    ("column", "other", "message"),
    [
        ("label", True, "has another label than the automaton gives"),
        ("negative", "", "is not what dyck2-recognition 1.0 generates"),
        ("edits", 9, "is not what dyck2-recognition 1.0 generates"),
    ],
)
def test_a_changed_label_is_found(column: str, other: object, message: str, tmp_path: Path) -> None:
    """Though the manifest was made to agree: labels by the automaton, the rest by generating again."""
    generate(MALI.with_splits(dict.fromkeys(MALI.splits, 40)), tmp_path)
    row = pq.read_table(next(tmp_path.rglob("train-*.parquet")))["label"].to_pylist().index(False)
    forge(tmp_path, "dyck2-recognition", "train", replace_cell(column, row, other))
    with pytest.raises(DataError, match=re.escape(message)):
        list(verify(tmp_path))


def test_splits_that_depend_on_each_other_are_verified_with_the_rows_that_were_asked(tmp_path: Path) -> None:
    generate(MALI.with_splits({"train": 60, "test_60": 40, "test_480": 20, "test_960": 20}), tmp_path / "a")
    list(verify(tmp_path / "a"))
    generate(find_task("dyck1-short").with_splits({"train": 100}), tmp_path / "b")
    list(verify(tmp_path / "b"))


def test_lengths_beyond_16_bits_are_written_as_they_are(tmp_path: Path) -> None:
    """a^n b^k c^nk with n + k = 600 has up to 90,600 symbols."""
    task = find_task("unary-multiplication").with_splits(windows={"test": Window(600, 600)})
    generate(task, tmp_path)
    (path,) = tmp_path.rglob("test-*.parquet")
    table = pq.read_table(path)
    assert max(table["length"].to_pylist()) == 600 + 300 * 300
    assert table["length"].to_pylist() == [len(text.split()) for text in table["input"].to_pylist()]


def test_the_card_says_what_gives_a_label_away(tmp_path: Path) -> None:
    generate(MALI.with_splits(dict.fromkeys(MALI.splits, 40)), tmp_path / "d")
    report = json.loads((tmp_path / "d/.receipts/dyck2-recognition.json").read_text())
    swaps = report["shortcuts"]["train"]["accuracy"]["swap"]
    assert swaps["length"] == swaps["symbol counts"] == 0.5
    card = (tmp_path / "d/README.md").read_text()
    assert swaps["regular envelope"] > 0.9
    assert (
        "accuracy by one feature alone | length | first symbol | last symbol | symbol counts | regular envelope"
        in card
    )
    succeed("verify", "d", cwd=tmp_path)


def test_recognition_is_asked_for_by_a_view(tmp_path: Path) -> None:
    succeed(
        "generate", "--task", "dyck3", "--view", "recognition", "--rows", "50", "--out", "d", cwd=tmp_path
    )
    tasks = read_manifest(tmp_path / "d")["tasks"]
    assert [*tasks] == ["dyck3--recognition"]
    assert tasks["dyck3--recognition"]["splits"]["train"]["window"] == "2:50"
    outcome = marnn(
        "generate", "--task", "string-reversal", "--view", "recognition", "--out", "d", cwd=tmp_path
    )
    assert outcome.code == 2
    assert "only next-symbol tasks can be asked as recognition" in outcome.error


def test_depths_and_sizes_of_negatives_are_not_written() -> None:
    batch = contents(find_task("dyck2--recognition"))["train"].batch(0, 10)
    assert batch.schema.names == ["input", "label", "negative", "edits", "length"]
    assert np.array_equal(batch["length"], [len(text.split()) for text in batch["input"].to_pylist()])
