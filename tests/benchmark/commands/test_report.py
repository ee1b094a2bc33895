"""What `eval` prints of results that lack answers, failed their audit, or are nearly all right."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from helpers.command_line import succeed
from marnn_bench.cli import main
from marnn_bench.commands.report import accuracy_table, report, results_table

FAILS_AT_TIMES = """
def predict(prefix):
    if len(prefix) == 7 and prefix[0] == "[":
        raise ValueError("no idea")
    return {"(", "["}
"""


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A result that lost answers: what was printed, and the record."""
    folder = tmp_path_factory.mktemp("evaluated")
    (folder / "model.py").write_text(FAILS_AT_TIMES)
    succeed("generate", "--task", "dyck2", "--rows", 30, "--out", "data", cwd=folder)
    shown = succeed(
        "eval", "model.py", "--task", "dyck2", "--data", "data", "--out", "result", "--keep-going", cwd=folder
    )
    record = json.loads((folder / "result" / "result.json").read_text())
    return {"shown": shown, "record": record, "folder": folder}


def test_lost_answers_are_said_below_every_table(evaluated: dict[str, Any]) -> None:
    lost = evaluated["record"]["errors"]["rows"]
    assert 0 < lost < 30
    line = f"\n¹ {lost} strings lack answers and count as wrong.\n"
    assert "\nmodel ¹ " in evaluated["shown"]
    assert line in evaluated["shown"]
    board = CliRunner().invoke(main, ["leaderboard", "show", str(evaluated["folder"] / "result")]).stdout
    mark = next(text for text in board.splitlines() if text.startswith("ours: model ")).split()[2]
    assert f"\n{mark} {line.strip()[2:]}" in board


def test_the_overview_of_several_results_marks_those_with_doubts(evaluated: dict[str, Any]) -> None:
    record = evaluated["record"]
    clean = record | {"errors": {"rows": 0}}
    checks = [{"name": "same answers alone", "passed": False, "detail": ""}]
    audited = clean | {"audit": {"done": True, "checks": checks}}
    table = results_table([clean, record, audited], ["", "", ""])
    assert [row[0] for row in table.rows] == ["dyck2", "dyck2 ¹", "dyck2 ²"]
    assert [note[:3] for note in table.notes] == [f"¹ {record['errors']['rows']}"[:3], "² F"]


def test_all_but_one_right_does_not_print_as_all(evaluated: dict[str, Any]) -> None:
    record = json.loads(json.dumps(evaluated["record"] | {"errors": {"rows": 0}}))
    score = {"value": 358831 / 358832, "lower": 0.9999842, "upper": 0.99999951}
    (run,) = record["runs"]
    run["metrics"]["sequence_accuracy"] |= score
    record["summary"]["metrics"]["sequence_accuracy"]["median"] = score["value"]
    assert accuracy_table(record).rows[0][1] == "0.999997  [0.99998, 0.9999995]"
    assert results_table([record], [""]).rows[0][3:5] == ["0.999997", "[0.99998, 0.9999995]"]


def test_solved_is_said_of_several_runs_only(evaluated: dict[str, Any]) -> None:
    record = evaluated["record"]
    assert "of 1 runs" not in report(record)
    assert "\nsolved" not in report(record)
    summary = record["summary"] | {
        "solved": {"threshold": 0.99, "runs": 1999, "share": 0.9995, "lower": 0.997, "upper": 0.99991}
    }
    many = record | {"runs": record["runs"] * 2000, "summary": summary}
    assert "solved (>= 0.99): 1999 of 2000 runs, 0.9995 [0.997, 0.9999]" in report(many)
