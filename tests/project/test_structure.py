"""The house rules: what imports what, what the wheel holds, which examples in docstrings are true."""

import doctest
import importlib
import shutil
import subprocess
import sys
import zipfile
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import architecture
from architecture import FOLDERS, ROOMS, SETUPTOOLS, module_of, room_of, sources
from helpers.paths import ROOT

every_source = pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))

OF_THE_BOARD = {ROOT / "leaderboard" / name for name in ("results", "submissions", "hidden")}
"""What is ranked: of the repository and its site, not of the package."""

MOST_LINES, MOST_FILES = 400, 14
"""Of a file, which holds one idea, and of a room, in which a file is found without reading a list."""


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_what_it_may(room: str) -> None:
    """ROOMS in tools/architecture.py says what that is."""
    for path, imported in architecture.imports().items():
        if room_of(path) == room:
            wrong = {room_of(other) for other in imported} - architecture.allowed(room) - {room}
            assert not wrong, f"{path.relative_to(ROOT)} imports from {', '.join(wrong)}"


def test_no_imports_go_in_a_circle() -> None:
    """Neither of files nor of rooms; graphlib names the circle."""
    TopologicalSorter(architecture.imports()).prepare()
    TopologicalSorter(architecture.room_imports()).prepare()


def test_the_picture_and_the_table_of_the_rooms_are_up_to_date() -> None:
    """If not: make docs"""
    assert set(ROOMS) == {room_of(path) for path in sources()}
    assert architecture.PICTURE.read_text() == architecture.draw()
    assert architecture.PAGE.read_text() == architecture.page()


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("import marnn_bench", "numpy click"),
        ("import marnn_bench.cli", "numpy pyarrow torch numba tabulate"),
        ("import marnn_bench.generators.languages.dyck", "numba nltk pyarrow marnn_bench.task"),
        ("from marnn_bench.tasks.registry import all_tasks; all_tasks()", "numba nltk pyarrow torch"),
        ("import marnn_bench.store.read", "numba nltk torch datasets"),
        ("import marnn_bench.baselines", "torch"),
        ("from marnn_bench.baselines.models.registry import all_baselines; all_baselines()", "torch"),
        ("import marnn_bench.leaderboard", "altair pyarrow"),
    ],
)
def test_light_imports_stay_light(program: str, absent: str) -> None:
    check = f"{program}; import sys; print(sorted(set({absent.split()!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@every_source
def test_examples_in_docstrings_are_true(path: Path) -> None:
    module = importlib.import_module(module_of(path))
    assert doctest.testmod(module).failed == 0


def test_packages_are_listed() -> None:
    """An editable install finds an unlisted package; a wheel does not hold it."""
    found = {module_of(path) for path in sources() if path.name == "__init__.py"}
    assert set(SETUPTOOLS["packages"]) == found


def test_the_wheel_holds_every_source_and_data_file(tmp_path: Path) -> None:
    ignored = (".git", *(ROOT / ".gitignore").read_text().replace("/", "").split())
    source = shutil.copytree(ROOT, tmp_path / "source", ignore=shutil.ignore_patterns(*ignored))
    options = ["-q", "--no-deps", "--no-build-isolation", "-w", str(tmp_path)]
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, "."], cwd=source, check=True, capture_output=True
    )
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts and not OF_THE_BOARD & {*path.parents}:
                assert f"{package.replace('.', '/')}/{path.relative_to(ROOT / folder)}" in held
    assert not any(name.startswith(("tests", "perf", "docs", "tools")) for name in held)
    assert not any("leaderboard/results/" in name for name in held)


def test_files_are_short_and_rooms_are_not_full() -> None:
    assert [str(p) for p in sources() if len(p.read_text().splitlines()) > MOST_LINES] == []
    rooms = [room_of(path) for path in architecture.imports()]
    assert {room for room in rooms if rooms.count(room) > MOST_FILES} == set()


def test_there_is_no_folder_that_shadows_the_package() -> None:
    assert not (ROOT / "marnn_bench").exists()


def test_what_strangers_send_lies_in_no_package() -> None:
    assert not [path for path in sources() if OF_THE_BOARD & {*path.parents}]


@pytest.mark.parametrize("script", sorted((ROOT / "perf").glob("*.py")), ids=lambda p: p.name)
def test_what_measures_speed_still_finds_what_it_measures(script: Path) -> None:
    """Its imports, which nothing else checks between two measurements."""
    program = f"import runpy, sys; sys.path.insert(0, {str(script.parent)!r}); runpy.run_path({str(script)!r}, run_name='x')"
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
