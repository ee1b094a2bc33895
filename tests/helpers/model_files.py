"""Model files, small data and results, for the tests of the evaluator."""

import json
import shutil
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow.parquet as pq

from helpers.paths import MODELS
from marnn_bench.store.write import generate
from marnn_bench.tasks.registry import find_task

ROWS = {"train": 60, "test": 1100}
"""Two waves."""


def small_data(folder: Path, *tasks: str) -> Path:
    """A folder with small splits of these tasks."""
    for name in tasks:
        generate(find_task(name).with_splits(ROWS), folder)
    return folder


def write_model(folder: Path, source: str, name: str = "my_model.py") -> Path:
    """A model file."""
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(dedent(source))
    return file


def write_trained(folder: Path) -> Path:
    """A folder as `marnn-bench train` writes it, of 3 runs: one knows the language, the others are constant."""
    training = {"model": "stack-rnn", "published_row": "Stack-RNN", "runs": 3}
    model = """
        import bracket_stack
        def load(task):
            global run
            run = task.run
            bracket_stack.load(task)
        def predict(prefix):
            return [{"("}, bracket_stack.predict(prefix), {"(", "["}][run]
        """
    write_model(folder, model, "model.py")
    shutil.copy(MODELS / "bracket_stack.py", folder)
    (folder / "training.json").write_text(json.dumps(training))
    return folder


def samples(out: Path) -> dict[str, list[Any]]:
    """What samples.parquet holds."""
    content: dict[str, list[Any]] = pq.read_table(out / "samples.parquet").to_pydict()
    return content


def errors(out: Path) -> list[dict[str, Any]]:
    """What errors.jsonl holds."""
    return [json.loads(line) for line in (out / "errors.jsonl").read_text().splitlines()]
