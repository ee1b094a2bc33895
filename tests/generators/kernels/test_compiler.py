"""Compiled code: never stale, and there without any folder to keep it in. Real processes on a copy of the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.paths import ROOT

PROGRAM = """
import numpy as np
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.window import Window
law = Dyck(2).law("uniform")
print(law.draw(Window(40, 40), 1, np.arange(1, dtype=np.uint64)).texts(law.language.alphabet)[0])
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The package copied into a folder that can be imported from."""
    package = tmp_path / "site" / "marnn_bench"
    for folder in ("benchmark", "generators"):
        target = package if folder == "benchmark" else package / folder
        shutil.copytree(ROOT / folder, target, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "site"


def run(site: Path, **environment: str) -> str:
    """What the program prints with this copy of the package."""
    settings = {"PATH": os.environ["PATH"], "PYTHONPATH": str(site), **environment}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=site, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_an_edited_helper_is_seen_though_its_caller_is_cached(copy: Path, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    before = run(copy, MARNN_CACHE=cache)
    assert run(copy, MARNN_CACHE=cache) == before
    helper = copy / "marnn_bench/generators/kernels/philox.py"
    helper.write_text(helper.read_text().replace("0xD2511F53", "0xD2511F55"))
    after = run(copy, MARNN_CACHE=cache)
    assert after != before
    assert after == run(copy, MARNN_CACHE=str(tmp_path / "other"))


def test_a_read_only_install_without_a_home_works_uncached(copy: Path, tmp_path: Path) -> None:
    """A file where the cache folder should be cannot be written below, whoever asks."""
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    expected = run(copy, MARNN_CACHE=str(tmp_path / "cache"))
    for path in [copy, *copy.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        assert run(copy, MARNN_CACHE=str(blocked / "below"), HOME=str(blocked)) == expected
        assert run(copy, XDG_CACHE_HOME=str(blocked), HOME=str(blocked)) == expected
        assert not list(copy.rglob("*.nbi")), "numba fell back on a cache beside the sources"
    finally:
        for path in [copy, *copy.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)


def test_the_cache_is_used_by_the_next_process(copy: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    run(copy, MARNN_CACHE=str(cache))
    files = {path: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")}
    assert files
    run(copy, MARNN_CACHE=str(cache))
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*.nbc")} == files
