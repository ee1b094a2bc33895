"""Evaluations of model files and of objects, as the command runs them."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from helpers.paths import MODELS
from marnn_bench.asking.local_model import LocalModel
from marnn_bench.asking.process import ModelProcess
from marnn_bench.evaluation.answering import Evaluation
from marnn_bench.evaluation.evaluator import evaluate
from marnn_bench.evaluation.results import ResultFolder
from marnn_bench.evaluation.source import ModelSource
from marnn_bench.examples import Examples
from marnn_bench.processes.limits import Limits
from marnn_bench.store.read import read_split
from marnn_bench.tasks.registry import find_task

Record = dict[str, Any]


class WatchedModel(LocalModel):
    """A model of this process, with the files that one in a process of its own has opened."""

    opened = SimpleNamespace(changed=list, digests={"openers.py": "0" * 64})


def run(
    model: Path, data: Path, out: Path, task: str = "dyck2", *, runs: int | None = None, keep_going: bool = False,
    audit: bool = True, limits: Limits | None = None, split: str = "test",
) -> Record:  # fmt: skip
    """The result of a model file on a split."""
    source, limits = ModelSource.find(model, runs), limits or Limits()
    examples, train = (read_split(data, find_task(task), name) for name in (split, "train"))
    evaluation = Evaluation(source, examples, train, limits, keep_going, audit)
    with ModelProcess(source.file, limits) as process:
        return evaluate(process, evaluation, ResultFolder(out, evaluation.key(), source.changed_files))


def run_object(
    model: object, examples: Examples, out: Path, *, keep_going: bool = False, audit: bool = True,
    stream: int | None = None,
) -> Record:  # fmt: skip
    """The result of an object of this process."""
    source = ModelSource("object", MODELS / "openers.py", None, 1)
    evaluation = Evaluation(source, examples, None, keep_going=keep_going, audit=audit, stream=stream)
    folder = ResultFolder(out, evaluation.key())
    return evaluate(WatchedModel(model), evaluation, folder)  # type: ignore[arg-type]


def audit_of(result: Record) -> dict[str, bool]:
    """Which checks of an audit were passed."""
    return {check["name"]: check["passed"] for check in result["audit"]["checks"]}
