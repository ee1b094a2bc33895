"""The digests of all released splits.

    python tools/golden.py

writes tests/benchmark/tasks/golden.json anew.
"""

import json
from pathlib import Path

from marnn_bench.store.content import contents
from marnn_bench.task import Task
from marnn_bench.tasks.registry import builtin_tasks

GOLDEN = Path(__file__).parents[1] / "tests" / "benchmark" / "tasks" / "golden.json"
LAWS = {
    "dyck2": ("uniform", "pcfg:p=2/5,q=1/3", "suzgun-truncated"),
    "svo-sov": ("length-balanced",),
    "gender": ("length-balanced",),
}
"""Laws that no task uses by itself."""


def digests(task: Task) -> dict[str, str]:
    """The digest of every split of a task."""
    return {name: content.digest() for name, content in contents(task).items()}


def all_digests() -> dict[str, dict[str, str]]:
    """Those of every task of ours, and of smaller splits by other laws."""
    found = {f"{task.name} {task.version}": digests(task) for task in builtin_tasks().values()}
    for name, laws in LAWS.items():
        for law in laws:
            task = builtin_tasks()[name].with_splits({"train": 1_000, "test": 300}, law)
            found[f"{name} {task.version} {law}"] = digests(task)
    return found


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(all_digests(), indent=1) + "\n")
