"""A submission from the result to the board, as its maker and a maintainer run the commands."""

import json
import shutil
from pathlib import Path

import pytest

from helpers.command_line import marnn, succeed
from helpers.hostile_submissions import HOSTILE, PLACE


def test_a_result_is_submitted_validated_and_shown_with_its_standing(result: Path, tmp_path: Path) -> None:
    succeed("submit", result, "--name", "Knows it", "--out", "leaderboard/submissions", cwd=tmp_path)
    folder = tmp_path / "leaderboard/submissions/knows-it"
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
        f"{PLACE}/errors.jsonl", f"{PLACE}/result.json", f"{PLACE}/samples.parquet", "submission.json",
    ]  # fmt: skip
    said = succeed("leaderboard", "validate", "leaderboard/submissions", "--format", "json", cwd=tmp_path)
    (found,) = json.loads(said)
    assert (found["standing"], found["tasks"]) == ("re-scored", "1")
    shown = succeed(
        *("leaderboard", "show", "--results", "leaderboard", "--task", "anbncn", "--by", "task"), cwd=tmp_path
    )
    assert "Knows it" in shown and "Not ranked: re-scored." in shown


def test_one_bad_submission_is_named_and_the_others_are_still_judged(sound: Path, tmp_path: Path) -> None:
    good = shutil.copytree(sound, tmp_path / "all" / sound.name)
    bad = shutil.copytree(sound, tmp_path / "all" / "another")
    outcome = marnn("leaderboard", "validate", "all", cwd=tmp_path)
    assert outcome.code == 5 and "1 of 2 refused" in outcome.error
    assert f"{good.name}: re-scored" in outcome.out
    assert f"{bad.name}: refused: the folder of Knows it is called knows-it" in outcome.out


def test_what_would_be_refused_is_not_written(result: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(result, tmp_path / "result")
    (folder / "samples.parquet").write_bytes(b"no samples")
    outcome = marnn("submit", folder, "--name", "x", cwd=tmp_path)
    assert outcome.code == 5 and not [*tmp_path.glob("submissions/*")]


@pytest.mark.parametrize("name", ["<b>", "con", "-x", "a/b", ""])
def test_a_name_that_cannot_be_is_refused_with_what_can(name: str, result: Path, tmp_path: Path) -> None:
    outcome = marnn("submit", result, f"--name={name}", cwd=tmp_path)
    assert outcome.code == 2 and "letters, digits" in outcome.error


def test_a_submission_is_never_overwritten(result: Path, tmp_path: Path) -> None:
    succeed("submit", result, "--name", "x", cwd=tmp_path)
    assert "Choose another --name" in marnn("submit", result, "--name", "X", cwd=tmp_path).error


def test_nothing_of_a_hostile_submission_reaches_the_terminal_as_it_is(sound: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(sound, tmp_path / sound.name)
    HOSTILE["name: an escape"](folder)
    (folder.parent / "\x1b[2Jx").mkdir()
    outcome = marnn("leaderboard", "validate", tmp_path, cwd=tmp_path)
    assert outcome.code == 5 and "\x1b" not in outcome.out + outcome.err
