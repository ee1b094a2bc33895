"""Every command in README and docs is run, as it stands, in an empty folder."""

import re
import shlex
from pathlib import Path

import pytest

import api
import quickstart
import readme
from helpers.command_line import marnn
from helpers.paths import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
QUICK = ["--epochs", "1", "--rows", "50"]
"""What is added to `train`, so that a page takes seconds; the demo trains in full."""


def commands(page: Path) -> list[list[str]]:
    """The commands behind a $ sign in the console blocks of a page."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line.removeprefix("$ "), comments=True) for line in lines]


def model_files(page: Path) -> dict[str, str]:
    """The files that Python blocks show, by the name in their first comment."""
    blocks = re.findall(r"```python\n# (\S+\.py)\n(.*?)```", page.read_text(), re.DOTALL)
    return dict(blocks)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_commands_of_a_page_work(page: Path, tmp_path: Path) -> None:
    for name, content in model_files(page).items():
        (tmp_path / name).write_text(content)
    for program, *arguments in commands(page):
        assert program == "marnn-bench"
        quick = QUICK if arguments[0] == "train" else []
        outcome = marnn(*arguments, *quick, cwd=tmp_path)
        assert outcome.code == 0, f"{arguments}: {outcome.err}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_python_blocks_of_a_page_run(page: Path) -> None:
    """One after the other, but for those that are files of their own."""
    names: dict[str, object] = {}
    for block in re.findall(r"```python\n(?!# \S+\.py)(.*?)```", page.read_text(), re.DOTALL):
        exec(block, names)  # noqa: S102


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_the_table_of_tasks_in_the_readme_is_up_to_date() -> None:
    """If not: make docs"""
    assert readme.README.read_text() == readme.readme()


def test_the_page_of_the_library_is_up_to_date() -> None:
    """If not: make docs"""
    assert api.API.read_text() == api.page()


def test_the_notebook_runs_and_finds_what_it_says() -> None:
    outputs = [o for cell in quickstart.executed().cells for o in cell.get("outputs", ())]
    assert "1.0" in [o.get("data", {}).get("text/plain") for o in outputs]


def test_every_command_of_the_program_says_in_one_line_what_it_does() -> None:
    """The list that `--help` prints without importing a command says what the command itself does."""
    import importlib

    from marnn_bench.cli import COMMANDS

    for name, (place, line) in COMMANDS.items():
        module, _, attribute = place.partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert (command.help or "").strip().splitlines()[0] == line, name
