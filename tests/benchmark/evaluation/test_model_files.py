"""Which files of a model a result depends on, and what becomes of it when one changes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.command_line import marnn
from helpers.model_files import small_data, write_model

MODEL = """
    def load(task):
        global answer
        answer = set(open("weights.bin").read())
        print("loaded", file=open("log", "a"))
        if task.run == 1:
            open("late.bin").read()
    def predict_batch(prefixes):
        import os
        if os.path.exists("../stop"):
            os._exit(1)
        return [answer] * len(prefixes)
    """


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small split."""
    return small_data(tmp_path_factory.mktemp("data"), "dyck2")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model with weights, a log, and a file that its second run alone opens."""
    file = write_model(tmp_path / "model", MODEL)
    for name, content in (("weights.bin", "(["), ("late.bin", "1"), ("notes.txt", "1")):
        (file.parent / name).write_text(content)
    return file


Evaluate = Callable[..., tuple[int, str]]


@pytest.fixture
def evaluate(model: Path, data: Path, tmp_path: Path) -> Evaluate:
    """The command; its exit code and what it says."""

    def run(*options: str) -> tuple[int, str]:
        ended = marnn(
            "eval", model, "--task", "dyck2", "--data", data, "--out", "out", *options, cwd=tmp_path
        )
        return ended.code, " ".join(ended.err.split())

    return run


def test_what_is_not_opened_changes_nothing(model: Path, evaluate: Evaluate) -> None:
    assert evaluate()[0] == 0
    for name in ("notes.txt", "late.bin", "plot.png"):
        (model.parent / name).write_text("2")
    code, said = evaluate()
    assert code == 0 and "was evaluated before" in said


@pytest.mark.parametrize(("name", "added"), [("weights.bin", ")"), ("my_model.py", "\n")])
def test_a_file_that_was_opened_and_changed_is_named(
    name: str, added: str, model: Path, evaluate: Evaluate
) -> None:
    assert evaluate()[0] == 0
    with (model.parent / name).open("a") as file:
        file.write(added)
    code, said = evaluate()
    assert code == 2 and f"holds the result of something else: {name} has changed." in said
    assert evaluate("--overwrite")[0] == 0


def test_an_unfinished_result_continues_unless_an_opened_file_has_changed(
    model: Path, evaluate: Evaluate, tmp_path: Path
) -> None:
    (tmp_path / "stop").touch()
    assert evaluate("--runs", "2")[0] == 3
    (model.parent / "late.bin").write_text("2")
    (model.parent / "notes.txt").unlink()
    assert "from the start" not in evaluate("--runs", "2")[1]
    (model.parent / "weights.bin").write_text("(")
    (tmp_path / "stop").unlink()
    code, said = evaluate("--runs", "2")
    assert code == 0 and "was evaluated from the start: weights.bin has changed." in said
    (model.parent / "late.bin").write_text("3")
    assert "late.bin has changed" in evaluate("--runs", "2")[1]


def test_a_file_that_changes_during_an_evaluation_ends_it(
    model: Path, evaluate: Evaluate, tmp_path: Path
) -> None:
    """Its answers may come from either content."""
    write_model(
        model.parent, MODEL + "\n    open('weights.bin').read()\n    open('weights.bin', 'a').write('(')\n"
    )
    code, said = evaluate()
    assert code == 2 and "my_model.py: weights.bin changed while it was evaluated." in said
    assert not (tmp_path / "out" / "result.json").exists()
