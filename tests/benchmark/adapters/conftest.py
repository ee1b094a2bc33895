"""What the tests of adapters have in common."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.command_line import marnn, succeed

TASKS = (
    "dyck2",
    "dyck2--recognition",
    "sequence-reversal",
    "dyck2--lm",
    "dyck1--recognition",
    "string-reversal",
)
ROWS = 60


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small splits of some tasks."""
    folder = tmp_path_factory.mktemp("data")
    named = [word for task in TASKS for word in ("--task", task)]
    succeed("generate", *named, "--rows", ROWS, "--out", folder / "data", cwd=folder)
    return folder / "data"


@pytest.fixture
def samples(data: Path, tmp_path: Path) -> Callable[..., str]:
    """Evaluates a model, and gives the digest of what it answered: all columns of all rows."""

    def evaluated(task: str, *model: object, **options: str) -> str:
        out = tmp_path / "result"
        succeed(
            "eval",
            *model,
            "--task",
            task,
            "--data",
            data,
            "--out",
            out,
            "--overwrite",
            cwd=tmp_path,
            **options,
        )
        found = pq.read_table(out / "samples.parquet").replace_schema_metadata().combine_chunks()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, found.schema) as stream:
            stream.write_table(found)
        return hashlib.sha256(sink.getvalue()).hexdigest()

    return evaluated


@pytest.fixture
def failure(data: Path, tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Evaluates a model that fails: exit code, and the line that says why."""

    def failed(task: str, *model: object, **options: str) -> tuple[int, str]:
        done = marnn(
            "eval",
            *model,
            "--task",
            task,
            "--data",
            data,
            "--out",
            tmp_path / "failed",
            cwd=tmp_path,
            **options,
        )
        return done.code, done.error

    return failed
