"""Lay the four folders out as an importable tree of links: for mypy, and for running a checkout that is not installed."""

import shutil
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Make build/tree/marnn_bench anew."""
    mapping = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["package-dir"]
    tree = ROOT / "build" / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    for package, folder in mapping.items():
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                link = tree.joinpath(*package.split("."), file.relative_to(ROOT / folder))
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(file)


if __name__ == "__main__":
    main()
