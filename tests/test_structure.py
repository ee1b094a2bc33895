"""The house rules: what imports what, what the wheel holds, which examples in docstrings are true."""

import ast
import doctest
import importlib
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
FOLDERS = {"generators": "marnn_bench.generators", "benchmark": "marnn_bench", "baselines": "marnn_bench.baselines",
           "leaderboard": "marnn_bench.leaderboard"}  # fmt: skip
MAY_IMPORT = {
    "generators": {"generators"},
    "benchmark": {"generators", "benchmark"},
    "baselines": {"generators", "benchmark", "baselines"},
    "leaderboard": {"generators", "benchmark", "leaderboard"},
}
SOURCES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def module_of(path: Path) -> str:
    """The name that a source file is imported by."""
    folder, *rest = path.relative_to(ROOT).with_suffix("").parts
    parts = [part for part in rest if part != "__init__"]
    return ".".join([FOLDERS[folder], *parts])


def folder_of(module: str) -> str | None:
    """The top-level folder that a module lies in, if it is ours."""
    if module.split(".")[0] != "marnn_bench":
        return None
    inner = [*module.split("."), ""][1]
    return inner if inner in FOLDERS else "benchmark"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_import_runs_up_the_list_of_packages(path: Path) -> None:
    allowed = MAY_IMPORT[path.relative_to(ROOT).parts[0]]
    for node in ast.walk(ast.parse(path.read_text())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        for name in names:
            assert folder_of(name) in {None, *allowed}, f"{path} imports {name}"


@pytest.mark.parametrize(
    ("program", "absent"),
    [
        ("import marnn_bench", "numpy click"),
        ("import marnn_bench.cli", "numpy pyarrow torch numba tabulate"),
        ("import marnn_bench.generators.languages.dyck", "numba nltk pyarrow marnn_bench.task"),
        ("from marnn_bench.tasks.registry import all_tasks; all_tasks()", "numba nltk pyarrow torch"),
        ("import marnn_bench.store.read", "numba nltk torch datasets"),
        ("import marnn_bench.baselines", "torch"),
        ("import marnn_bench.leaderboard", "altair pyarrow"),
    ],
)
def test_light_imports_stay_light(program: str, absent: str) -> None:
    check = f"{program}; import sys; print(sorted(set({absent.split()!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_in_docstrings_are_true(path: Path) -> None:
    module = importlib.import_module(module_of(path))
    assert doctest.testmod(module).failed == 0


def test_packages_are_listed() -> None:
    """An editable install finds an unlisted package; a wheel does not hold it."""
    found = {module_of(path) for path in SOURCES if path.name == "__init__.py"}
    assert set(CONFIG["packages"]) == found


def test_the_wheel_holds_every_source_and_data_file(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        tmp_path,
        ".",
    ]
    source = tmp_path / "source"
    tracked = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in tracked.stdout.splitlines():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    for folder, package in FOLDERS.items():
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert f"{package.replace('.', '/')}/{path.relative_to(ROOT / folder)}" in held
    assert not any(name.startswith(("tests", "perf", "docs")) for name in held)


def test_no_file_is_longer_than_one_idea() -> None:
    assert [str(p) for p in SOURCES if len(p.read_text().splitlines()) > 400] == []


def test_there_is_no_folder_that_shadows_the_package() -> None:
    assert not (ROOT / "marnn_bench").exists()
