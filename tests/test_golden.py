"""The released splits, to the bit: their digests, on this CPU and as the plainest CPU would compile the kernels.

A digest that changes means that strings or labels changed: raise the task's major version, and write the new digests
with `python tests/test_golden.py`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from marnn_bench.store.content import contents
from marnn_bench.task import Task
from marnn_bench.tasks.registry import our_tasks

GOLDEN = Path(__file__).parent / "golden.json"
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
    found = {f"{task.name} {task.version}": digests(task) for task in our_tasks().values()}
    for name, laws in LAWS.items():
        for law in laws:
            task = our_tasks()[name].with_splits({"train": 1_000, "test": 300}, law)
            found[f"{name} {task.version} {law}"] = digests(task)
    return found


def test_digests_are_the_released_ones() -> None:
    assert all_digests() == json.loads(GOLDEN.read_text())


@pytest.mark.parametrize("cpu", ["generic"])
def test_digests_are_the_same_on_another_cpu(cpu: str, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": "",
        "MARNN_CACHE": str(tmp_path),
    }
    environment["NPY_DISABLE_CPU_FEATURES"] = "X86_V3 X86_V4" if _has_x86_levels() else ""
    program = "import json, test_golden; print(json.dumps(test_golden.all_digests()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(GOLDEN.read_text())


def _has_x86_levels() -> bool:
    from numpy._core._multiarray_umath import __cpu_dispatch__ as levels  # type: ignore[import-not-found]

    return {"X86_V3", "X86_V4"} <= set(levels)


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(all_digests(), indent=1) + "\n")
