"""Hidden splits: committed to, answered, and opened by whoever gets the key."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from helpers.command_line import marnn, succeed
from helpers.model_files import write_model

MODEL = """
    tasks = ("dyck1",)

    def predict(prefix):
        depth = prefix.count("(") - prefix.count(")")
        return {"(", ")"} if depth else {"("}
"""
TASKS = ("--task", "dyck1")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with a key and hidden splits of dyck1."""
    (tmp_path / "key").write_bytes(bytes(range(32)))
    write_model(tmp_path, MODEL)
    succeed(
        *("leaderboard", "commit-hidden", *TASKS, "--secret-key-file", "key", "--out", "board/hidden/one"),
        cwd=tmp_path,
    )
    return tmp_path


def submit(place: Path, name: str) -> None:
    succeed("leaderboard", "answer", "my_model.py", "board/hidden/one", "--out", f"runs/{name}", cwd=place)
    succeed(
        *("submit", f"runs/{name}/one", "--name", name, "--hidden", "board/hidden/one"),
        *("--out", "board/submissions"),
        cwd=place,
    )


def standings(place: Path) -> dict[str, str]:
    said = succeed("leaderboard", "validate", "board/submissions", "--format", "json", cwd=place)
    return {found["submission"]: found["standing"] for found in json.loads(said)}


def open_up(place: Path) -> None:
    succeed(
        *("leaderboard", "show-key", "board/hidden/one", "--secret-key-file", "key"),
        *("--submissions", "board/submissions"),
        cwd=place,
    )


def test_answers_are_claims_until_the_key_is_shown_and_late_ones_stay_so(place: Path) -> None:
    submit(place, "early")
    assert standings(place) == {"early": "claimed"}
    open_up(place)
    submit(place, "late")
    assert standings(place) == {"early": "hidden", "late": "claimed"}


def test_released_strings_have_no_labels_and_are_not_those_of_the_public_split(place: Path) -> None:
    released = pq.read_table(place / "board/hidden/one/inputs/dyck1.parquet")
    assert released.column_names == ["input"]
    succeed("generate", *TASKS, "--out", "data", cwd=place)
    (public,) = (place / "data/data/dyck1").glob("test-*.parquet")
    texts = set(pq.read_table(public)["input"].to_pylist())
    assert released.num_rows == len(texts)
    assert len(texts & set(released["input"].to_pylist())) < len(texts) / 100


def test_the_same_key_draws_the_same_strings_and_another_draws_others(place: Path) -> None:
    (place / "other").write_bytes(bytes(32))
    for key, out in (("key", "again"), ("other", "others")):
        succeed(*("leaderboard", "commit-hidden", *TASKS, "--secret-key-file", key, "--out", out), cwd=place)
    first, same, other = (
        json.loads((place / folder / "commitment.json").read_text())["tasks"]["dyck1"]["digest"]
        for folder in ("board/hidden/one", "again", "others")
    )
    assert first == same != other


def test_another_key_than_was_committed_to_opens_nothing(place: Path) -> None:
    (place / "other").write_bytes(bytes(32))
    outcome = marnn(
        *("leaderboard", "show-key", "board/hidden/one", "--secret-key-file", "other"),
        *("--submissions", "."),
        cwd=place,
    )
    assert outcome.code == 5 and "is not the key" in outcome.error
    assert not (place / "board/hidden/one/key").exists()


def test_inputs_that_were_exchanged_after_the_commitment_are_found(place: Path) -> None:
    submit(place, "early")
    path = place / "board/hidden/one/inputs/dyck1.parquet"
    table = pq.read_table(path)
    pq.write_table(table.take([1, 0, *range(2, table.num_rows)]), path)
    outcome = marnn(
        *("leaderboard", "show-key", "board/hidden/one", "--secret-key-file", "key"),
        *("--submissions", "board/submissions"),
        cwd=place,
    )
    assert outcome.code == 5 and "are not those that the key draws" in outcome.error


@pytest.mark.parametrize("length", [0, 31, 65])
def test_a_key_that_can_be_guessed_is_refused(length: int, place: Path) -> None:
    (place / "short").write_bytes(bytes(length))
    outcome = marnn(
        *("leaderboard", "commit-hidden", *TASKS, "--secret-key-file", "short", "--out", "x"), cwd=place
    )
    assert outcome.code == 2 and "32 to 64 bytes" in outcome.error


def test_a_key_never_lies_in_what_is_published(place: Path) -> None:
    (place / "out").mkdir()
    (place / "out" / "key").write_bytes(bytes(32))
    outcome = marnn(
        *("leaderboard", "commit-hidden", *TASKS, "--secret-key-file", "out/key", "--out", "out"), cwd=place
    )
    assert outcome.code == 2 and "Keep the key elsewhere" in outcome.error


def test_what_has_every_string_cannot_be_hidden(place: Path) -> None:
    outcome = marnn(
        *("leaderboard", "commit-hidden", "--task", "anbncn", "--secret-key-file", "key", "--out", "x"),
        cwd=place,
    )
    assert outcome.code == 2 and "None of these tasks can be hidden" in outcome.error
