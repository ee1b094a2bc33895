"""What all commands print: tables of 80 columns, and progress where there is no terminal."""

import json
from pathlib import Path

import pytest

from helpers.command_line import succeed
from marnn_bench.commands import output
from marnn_bench.commands.output import progress


def test_progress_without_a_terminal_is_a_line_from_time_to_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 4.0, 11.0, 12.0, 25.0])
    monkeypatch.setattr(output.time, "monotonic", lambda: next(seconds))
    with progress(4_000, "generate dyck2", "row") as bar:
        for _ in range(4):
            bar.update(1_000)
    assert capsys.readouterr().err.splitlines() == [
        "generate dyck2: 2,000 rows, 50%, 11 s",
        "generate dyck2: 4,000 rows, 100%, 25 s",
    ]


@pytest.mark.parametrize("task", ["unary-addition-recognition", "dyck5", "marked-palindrome-recognition"])
def test_tables_of_long_names_and_laws_fit_a_terminal(task: str, tmp_path: Path) -> None:
    shown = succeed("generate", "--task", task, "--rows", "60", cwd=tmp_path)
    shown += succeed("verify", "data", cwd=tmp_path) + succeed("tasks", "show", task, cwd=tmp_path)
    assert max(map(len, shown.splitlines())) <= 80


def test_a_suite_chooses_boards(tmp_path: Path) -> None:
    shown = json.loads(
        succeed("leaderboard", "show", "--task", "suzgun2019", "--format", "json", cwd=tmp_path)
    )
    assert [board["task"]["name"] for board in shown][:3] == ["dyck2", "dyck3", "dyck6"]
