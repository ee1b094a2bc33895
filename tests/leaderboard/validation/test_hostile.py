"""Submissions are strangers' bytes: whatever they are, one line says why they are refused, and nothing else happens."""

import json
import random
import shutil
from pathlib import Path
from time import perf_counter

import pytest

from helpers.hostile_submissions import HOSTILE, PLACE, sealed
from marnn_bench.errors import DataError
from marnn_bench.leaderboard.validation.checking import check_submission
from marnn_bench.leaderboard.validation.strict_json import parse

SECONDS = 5.0
"""So long may a refusal take on a slow machine."""


def copied(sound: Path, folder: Path) -> Path:
    return Path(shutil.copytree(sound, folder / sound.name))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.name != "pwned")


def test_the_submission_that_all_cases_change_is_sound(sound: Path, tmp_path: Path) -> None:
    folder = copied(sound, tmp_path)
    sealed(folder)
    found = check_submission(folder)
    assert found.entry.name == "Knows it"
    assert found.entry.cells["anbncn"].whole.values.tolist() == [0.0, 1.0]


def test_there_are_more_than_a_hundred_cases() -> None:
    assert len(HOSTILE) >= 100


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_is_refused_in_one_line(
    name: str, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copied(sound, tmp_path)
    HOSTILE[name](folder)
    monkeypatch.chdir(tmp_path)
    before, began = files(tmp_path), perf_counter()
    with pytest.raises(DataError) as caught:
        check_submission(folder)
    said = str(caught.value)
    assert perf_counter() - began < SECONDS
    assert "\n" not in said and "\x1b" not in said and len(said) < 600
    assert files(tmp_path) == before and not (tmp_path / "pwned").exists()


@pytest.mark.parametrize("seed", range(20))
def test_flipped_bytes_of_any_file_are_refused(seed: int, sound: Path, tmp_path: Path) -> None:
    rng, folder = random.Random(seed), copied(sound, tmp_path)
    path = folder / PLACE / rng.choice(["result.json", "samples.parquet"])
    data = bytearray(path.read_bytes())
    for _ in range(rng.choice([1, 10, 100])):
        data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
    path.write_bytes(data)
    with pytest.raises(DataError):
        check_submission(folder)
    sealed(folder)
    with pytest.raises(DataError):
        check_submission(folder)


@pytest.mark.parametrize("seed", range(200))
def test_strict_json_agrees_with_json_wherever_it_agrees_to_read(seed: int) -> None:
    rng = random.Random(seed)
    pieces = ['"', "\\", "{", "}", "[", "]", ",", ":", "1", "-0", "1e3", "NaN", "true", " ", '"a"', "\\u0041"]
    text = "".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12)))
    try:
        found = parse(text.encode(), 1000)
    except ValueError:
        return
    assert found == json.loads(text)
