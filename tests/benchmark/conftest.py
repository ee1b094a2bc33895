"""What the tests of models have in common."""

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from helpers.model_process import DYCK2
from helpers.paths import MODELS
from marnn_bench.asking.process import ModelProcess
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.processes.limits import Limits


@pytest.fixture(scope="module")
def sound() -> Iterator[ModelProcess]:
    """A sound model, to be asked between hostile ones."""
    with ModelProcess(MODELS / "hashing_step.py", Limits()) as model:
        model.load(ModelTask.of(DYCK2))
        yield model


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a model file into a folder of its own."""

    def write_model(source: str, name: str = "my_model.py") -> Path:
        file = tmp_path / "model" / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(dedent(source))
        return file

    return write_model
