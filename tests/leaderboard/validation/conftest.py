"""A sound submission, made once: two runs on anbncn, one of which knows the language."""

from pathlib import Path

import pytest

from helpers.command_line import succeed
from helpers.model_files import write_model
from marnn_bench.leaderboard.validation.writing import write_submission

KNOWS = """
    def load(task):
        return Knows() if task.run else Guesses()

    class Guesses:
        def predict(self, prefix):
            return {"a"}

    class Knows:
        def predict(self, prefix):
            n, b, c = (prefix.count(symbol) for symbol in "abc")
            if not b:
                return {"a", "b"}
            return {"b"} if b < n else {"c"} if c < n else {"END"}
"""


@pytest.fixture(scope="session")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `eval` writes of a model's two runs."""
    folder = tmp_path_factory.mktemp("evaluated")
    model = write_model(folder, KNOWS, "knows.py")
    succeed("eval", model, "--task", "anbncn", "--runs", 2, "--out", folder / "result", cwd=folder)
    return folder / "result"


@pytest.fixture(scope="session")
def sound(result: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a submission."""
    return write_submission([result], tmp_path_factory.mktemp("sound"), "Knows it", authors="A. Person")
