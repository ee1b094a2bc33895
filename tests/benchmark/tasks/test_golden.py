"""The released splits, to the bit: their digests, on this CPU and as the plainest CPU would compile the kernels.

A digest that changes means that strings or labels changed: raise the task's major version, and write the new digests
with `make golden`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from golden import GOLDEN, all_digests


def test_digests_are_the_released_ones() -> None:
    assert all_digests() == json.loads(GOLDEN.read_text())


def test_digests_are_the_same_on_another_cpu(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "MARNN_CACHE": str(tmp_path),
    }
    environment["NPY_DISABLE_CPU_FEATURES"] = "X86_V3 X86_V4" if _has_x86_levels() else ""
    program = "import json; from golden import all_digests; print(json.dumps(all_digests()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=GOLDEN.parents[3] / "tools",
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == json.loads(GOLDEN.read_text())


def _has_x86_levels() -> bool:
    from numpy._core._multiarray_umath import __cpu_dispatch__ as levels  # type: ignore[import-not-found]

    return {"X86_V3", "X86_V4"} <= set(levels)
