"""Workflows: what they run exists, and what checks strangers' files has no rights."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import click
import pytest
import yaml

from helpers.paths import ROOT
from marnn_bench.cli import main

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
every_workflow = pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)


def read(path: Any) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(path.read_text())
    return found


def lines(workflow: dict[Any, Any]) -> Iterator[list[str]]:
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            for line in step.get("run", "").splitlines():
                yield shlex.split(line)


def leaf(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that a line of `marnn-bench` names, and its arguments."""
    command: click.Command = main
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, words
        command, words = found, words[1:]
    return command, words


@every_workflow
def test_every_command_of_a_workflow_is_one(path: Any) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for program, *arguments in lines(read(path)):
        match program:
            case "make":
                assert arguments[0] in targets
            case "marnn-bench":
                command, words = leaf(arguments)
                command.make_context(program, [*words])
            case _:
                assert program == "python"


@every_workflow
def test_a_workflow_has_no_more_rights_than_it_says_and_ends(path: Any) -> None:
    workflow = read(path)
    assert workflow["permissions"]["contents"] == "read"
    assert "pull_request_target" not in workflow[True]  # YAML reads `on` as true
    for name, job in workflow["jobs"].items():
        assert "timeout-minutes" in job or name == "publish"


def test_submissions_are_checked_by_the_program_that_was_there_before_them() -> None:
    (workflow,) = (read(path) for path in WORKFLOWS if path.stem == "submissions")
    assert workflow["permissions"] == {"contents": "read"}
    program, sent = (step["with"] for step in workflow["jobs"]["validate"]["steps"][:2])
    assert "base.sha" in program["ref"] and "ref" not in sent
    installed = [line for line in lines(workflow) if "install" in line]
    assert installed == [["python", "-m", "pip", "install", f"./{program['path']}"]]


def test_the_changelog_names_the_version() -> None:
    version = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version and f"\n## {version[1]}" in (ROOT / "CHANGELOG.md").read_text()
