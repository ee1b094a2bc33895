"""What all commands print: tables of 80 columns, and progress where there is no terminal."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.command_line import succeed
from marnn_bench.commands import output
from marnn_bench.commands.output import Footnotes, progress, show_percent, show_points, show_share


def test_progress_without_a_terminal_is_a_line_from_time_to_time(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter([0.0, 0.5, 2.0, 11.0, 25.0])
    monkeypatch.setattr(output.time, "monotonic", lambda: next(seconds))
    with progress(4_000, "generate dyck2", "row") as bar:
        for _ in range(4):
            bar.update(1_000)
    assert capsys.readouterr().err.splitlines() == [
        "generate dyck2: 2,000 rows, 1,000 a second, 50%, 2 s left",
        "generate dyck2: 4,000 rows, 160 a second, 100%, 0 s left",
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


@given(st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_a_share_reads_as_all_or_none_only_if_it_is(hits: tuple[int, int]) -> None:
    correct, n = hits
    share = correct / n
    for shown, whole in ((show_share(share), 1), (show_percent(share), 100), (show_points(share)[1:], 100)):
        assert (float(shown) == 0) == (correct == 0)
        assert (float(shown) == whole) == (correct == n)
        assert abs(float(shown) - whole * share) <= 0.5 * 10 ** -len(shown.partition(".")[2]) + 1e-12


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.5, "50.00"), (0.99994, "99.99"), (0.99996, "99.996"), (0.00004, "0.004"), (1 - 1e-17, "100.00")],
)
def test_decimals_are_added_only_where_they_are_needed(share: float, shown: str) -> None:
    assert show_percent(share) == shown


def test_marks_of_many_notes_are_told_apart() -> None:
    notes = Footnotes.of(map(str, range(12)))
    assert notes.marked("mine", ["0", "11"]) == "mine ¹,¹²"
    assert notes.marked("a-long-name", ["0", "11"], 10) == "a-lo… ¹,¹²"
    assert notes.marked("mine", []) == "mine"
