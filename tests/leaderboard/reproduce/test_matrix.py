"""Models on tasks: which are trained on which, and how they are shown."""

import json
from pathlib import Path
from typing import Any

from helpers.command_line import succeed
from marnn_bench.leaderboard.reproduce.entries import Options, experiment_of, fits
from marnn_bench.leaderboard.reproduce.matrix import narrow_tables, wide_table
from marnn_bench.leaderboard.reproduce.tables import SIDE_BY_SIDE, find_reproduction
from marnn_bench.tasks.suites import CORE

RECOGNITION = {"unary-addition-recognition", "dyck2-recognition", "palindrome-recognition"}
STREAMS = {"anbncn", "binary-addition"}
"""Of the core suite, the tasks whose strings are drawn without end, and end with END."""

LAST = len(SIDE_BY_SIDE) - 1


def test_each_model_is_trained_on_the_tasks_that_it_can_learn() -> None:
    """A distribution over one column says nothing; a stream shows neither fixed rows nor outputs."""
    matrix = find_reproduction("matrix")
    entries = [it for it in matrix.entries() if fits(experiment_of(matrix, it, Options(10)))]
    trained = {model: {it.task for it in entries if it.model == model} for model in SIDE_BY_SIDE}
    for model in ("rnn", "stack-lstm", "baby-ntm", "transformer-rotary", "state-space-negative"):
        assert trained[model] == {*CORE}
    for model in ("neural-queue-lstm", "deep-lstm-1", "russ", "bernardy-lstm-40"):
        assert trained[model] == {*CORE} - RECOGNITION
    for model in ("joulin-rnn-40", "joulin-stack-rnn"):
        assert trained[model] == STREAMS


def test_large_models_are_trained_smaller_and_all_by_similar_effort() -> None:
    matrix = find_reproduction("matrix")
    for entry in matrix.entries():
        experiment = experiment_of(matrix, entry, Options(10))
        assert getattr(experiment.sizes, "hidden", 0) <= (100 if entry.task == "binary-addition" else 40)
        assert experiment.recipe.selection != "test accuracy"
        if not experiment.recipe.stream:
            assert experiment.recipe.epochs * experiment.recipe.fresh_rows == 15_000


def made_up() -> dict[str, Any]:
    """A record in which each model is as good as its place, but the last one, which has one task alone."""
    rows = [
        {
            "model": model,
            "task": task,
            "ours": {"median": place / LAST, "solved": {"runs": 10 * (place == LAST)}, "runs": 10},
        }
        for place, model in enumerate(SIDE_BY_SIDE)
        for task in CORE
        if place < LAST or task == "dyck2"
    ]
    return {"name": "matrix", "options": {"runs": 10}, "rows": rows}


def test_every_model_has_a_line_and_every_task_a_column() -> None:
    table = wide_table(made_up())
    assert [*table.headers] == ["model", *CORE]
    lines = {line[0]: dict(zip(table.headers, line, strict=True)) for line in table.rows}
    assert [*lines] == [*SIDE_BY_SIDE]
    assert lines["lstm"]["svo-sov"] == "6.67"
    assert lines[SIDE_BY_SIDE[-1]]["dyck2"] == "100.00 (10)"
    assert lines[SIDE_BY_SIDE[-1]]["svo-sov"] == ""


def test_a_terminal_is_wide_enough() -> None:
    printed = [str(table) for table in narrow_tables(made_up())]
    assert max(len(line) for text in printed for line in text.splitlines()) <= 80


def test_the_command_says_how_long_it_takes_and_draws(tmp_path: Path) -> None:
    asked = "reproduce", "matrix", "--model", "joulin-rnn-40", "--runs", "1", "--epochs", "1", "--rows", "20"
    succeed("generate", "--task", "anbncn", "--task", "binary-addition", cwd=tmp_path)
    printed = succeed(*asked, "--jobs", "1", cwd=tmp_path)
    assert "joulin-rnn-40" in printed
    out = tmp_path / "runs" / "matrix-laptop"
    record = json.loads((out / "table.json").read_text())
    assert {row["task"] for row in record["rows"]} == STREAMS
    assert len(record["left_out"]) == len(SIDE_BY_SIDE) - 1
    drawn = (out / "matrix.svg").read_text()
    assert "joulin-rnn-40" in drawn
    assert "binary-addition" in drawn
