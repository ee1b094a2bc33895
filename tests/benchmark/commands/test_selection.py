"""What commands are about: the tasks of a model, suites, the folder of data, where results go."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.command_line import marnn, succeed
from marnn_bench.task import LANGUAGE_CLASSES
from marnn_bench.tasks.registry import all_tasks, builtin_tasks, find_tasks
from marnn_bench.tasks.suites import slug

OPENERS = 'def predict(prefix):\n    return {"("}\n'


def write(folder: Path, text: str = OPENERS) -> None:
    (folder / "my_model.py").write_text(text)


def result(folder: Path) -> dict[str, object]:
    content: dict[str, object] = json.loads((folder / "result.json").read_text())
    return content


def test_the_two_commands_in_an_empty_folder_give_data_and_a_table(tmp_path: Path) -> None:
    write(tmp_path)
    assert "dyck3" in succeed("generate", "--task", "dyck3", cwd=tmp_path)
    shown = succeed("eval", "my_model.py", cwd=tmp_path)
    assert "dyck3 1.0, test: 5,000 strings" in shown and "my_model" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert result(tmp_path / "runs" / "my_model" / "dyck3" / "test")["task"]["name"] == "dyck3"  # type: ignore[index]


def test_without_any_task_eval_names_the_three_ways_to_say_one(tmp_path: Path) -> None:
    write(tmp_path)
    for command in ("eval", "check"):
        ended = marnn(command, "my_model.py", cwd=tmp_path)
        assert ended.code == 2
        assert all(way in ended.error for way in ("--task", "tasks = (", "marnn-bench generate --task"))


@pytest.mark.parametrize(
    ("line", "names"),
    [('tasks = ("dyck1", "dyck2")', ["dyck1", "dyck2"]), ('tasks = "synchronous"', ["string-reversal"])],
)
def test_a_model_file_names_its_tasks(line: str, names: list[str], tmp_path: Path) -> None:
    write(tmp_path, f"{line}\n{OPENERS if len(names) > 1 else 'def predict(prefix): return {chr(35)}'}\n")
    for name in names:
        succeed("generate", "--task", name, "--rows", "20", cwd=tmp_path)
    ended = marnn("eval", "my_model.py", "--format", "json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    shown = json.loads(ended.out)
    found = shown if isinstance(shown, list) else [shown]
    assert [r["task"]["name"] for r in found] == names
    assert f"{names[0]} test is not the canonical split: rows 20." in ended.err


def test_tasks_that_are_no_literal_are_refused(tmp_path: Path) -> None:
    write(tmp_path, f"import os\ntasks = os.listdir()\n{OPENERS}")
    assert "must be written out" in marnn("eval", "my_model.py", cwd=tmp_path).error


def test_several_tasks_and_splits_end_in_one_table(tmp_path: Path) -> None:
    write(tmp_path)
    for name in ("dyck1", "dyck2"):
        succeed("generate", "--task", name, "--rows", "30", cwd=tmp_path)
    arguments = ("eval", "my_model.py", "--task", "dyck1", "--task", "dyck2", "--split", "train,test")
    listed = [*csv.DictReader(succeed(*arguments, "--format", "csv", cwd=tmp_path).splitlines())]
    assert {row["data"] for row in listed} == {"rows 30"}
    assert [(row["task"], row["split"], row["metric"]) for row in listed] == [
        *((task, split, "sequence") for task in ("dyck1", "dyck2") for split in ("train", "test")),
    ]  # fmt: skip
    succeed(*arguments, "--out", "all", cwd=tmp_path)
    assert result(tmp_path / "all" / "dyck2" / "train")
    shown = succeed("leaderboard", "show", "all", cwd=tmp_path)
    assert shown.count("ours: my_model") == 4


def test_an_older_result_is_set_aside_and_only_an_explicit_folder_refuses(tmp_path: Path) -> None:
    write(tmp_path)
    succeed("generate", "--task", "dyck1", "--rows", "30", cwd=tmp_path)
    succeed("eval", "my_model.py", cwd=tmp_path)
    succeed("eval", "my_model.py", "--out", "mine", cwd=tmp_path)
    write(tmp_path, 'def predict(prefix):\n    return {")"}\n')
    moved = marnn("eval", "my_model.py", cwd=tmp_path)
    assert moved.code == 0 and "It is in runs/my_model/dyck1/test.1 now" in moved.err
    folder = tmp_path / "runs" / "my_model" / "dyck1"
    assert result(folder / "test")["model"] != result(folder / "test.1")["model"]
    write(tmp_path, "def predict(prefix):\n    return 1 / 0\n")
    assert marnn("eval", "my_model.py", "--runs", "2", cwd=tmp_path).code == 2
    assert result(folder / "test"), "what cannot be loaded moves nothing"
    refused = marnn("eval", "my_model.py", "--out", "mine", cwd=tmp_path)
    assert refused.code == 2 and "--overwrite" in refused.error


def test_the_name_of_an_entry_can_be_chosen(tmp_path: Path) -> None:
    write(tmp_path)
    succeed("generate", "--task", "dyck1", "--rows", "30", cwd=tmp_path)
    succeed("eval", "my_model.py", "--name", "brackets only", cwd=tmp_path)
    found = result(tmp_path / "runs" / "brackets only" / "dyck1" / "test")
    assert found["model"]["name"] == "brackets only"  # type: ignore[index]


@pytest.mark.parametrize("name", ["../evil", "a/b", "..", " "])
def test_a_name_is_no_path(name: str, tmp_path: Path) -> None:
    write(tmp_path)
    ended = marnn("eval", "my_model.py", "--task", "dyck1", "--name", name, cwd=tmp_path)
    assert ended.code == 2 and "cannot be called" in ended.error


def test_what_cannot_be_evaluated_check_and_eval_refuse_with_the_same_words(tmp_path: Path) -> None:
    """A model of sets can be no language model."""
    write(tmp_path)
    for task, said in (("dyck9", "no task 'dyck9'"), ("dyck1--lm", "answered a set, where probabilities")):
        refusals = [
            marnn(command, "my_model.py", "--task", task, cwd=tmp_path) for command in ("eval", "check")
        ]
        assert all(said in refused.error for refused in refusals)
        assert len({refused.code for refused in refusals}) == 1


def test_every_task_has_a_default_split_and_is_in_a_suite_of_its_class_view_and_paper() -> None:
    for task in builtin_tasks().values():
        assert task.default_split in task.splits and task.default_split != "train"
        for suite in (slug(task.language_class), task.view.name, task.paper.partition(",")[0]):
            assert task in find_tasks([suite])


def test_the_core_suite_is_a_dozen_tasks_over_all_classes_and_views() -> None:
    core = find_tasks(["core"])
    assert len(core) == 12
    assert {task.language_class for task in core} == set(LANGUAGE_CLASSES)
    assert {task.view.name for task in core} == {task.view.name for task in all_tasks().values()}


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["evaluate", "m.py"], "marnn-bench eval"),
        (["tasks", "dyck2"], "marnn-bench tasks show dyck2"),
        (["generate", "dyck3"], "marnn-bench generate --task dyck3"),
        (["leaderboard", "runs/mine"], "marnn-bench leaderboard show runs/mine"),
        (["train", "stack-rnn", "--task", "dyck2", "--out", "o", "--gpu"], "`train --device cuda`"),
        (["eval", "m.py", "--task", "counters"], "Did you mean counter"),
        (["tasks", "show", "counter"], "counter is a suite of 1"),
    ],
)
def test_what_people_type_gets_the_right_hint(arguments: list[str], hint: str, tmp_path: Path) -> None:
    write(tmp_path)
    (tmp_path / "m.py").write_text(OPENERS)
    ended = marnn(*arguments, cwd=tmp_path)
    assert ended.code == 2 and hint in ended.err


@pytest.mark.parametrize(
    ("words", "current", "expected"),
    [
        ("marnn-bench generate --task dyc", 3, {"dyck1", "dyck2", "dyck3", "dyck5", "dyck6"}),
        ("marnn-bench eval m.py --task cor", 4, {"core"}),
        ("marnn-bench train st", 2, {"stack-rnn"}),
        ("marnn-bench generate --task dyck2 --law pc", 5, {"pcfg:p=1/2,q=1/4"}),
    ],
)
def test_shells_complete_names(words: str, current: int, expected: set[str], tmp_path: Path) -> None:
    """As bash asks for it."""
    environment = {
        **os.environ,
        "_MARNN_BENCH_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(current),
    }
    program = "from marnn_bench.cli import main; main(prog_name='marnn-bench')"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    assert expected <= {line.partition(",")[2] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("style", ["csv", "markdown", "latex", "json", "human"])
def test_a_table_comes_in_every_format(style: str, tmp_path: Path) -> None:
    shown = succeed("tasks", "--format", style, cwd=tmp_path)
    assert all(name in shown for name in builtin_tasks())
    opening = {"csv": "task,view,class,paper", "markdown": "| task", "latex": r"\begin{tabular}", "json": "["}
    assert shown.lstrip().startswith(opening.get(style, "task"))
