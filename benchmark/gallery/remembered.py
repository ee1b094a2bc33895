"""What takes a second to find out and follows from the sources alone, kept in the cache folder."""

import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from marnn_bench.generators.kernels.cache import cache_folder

PACKAGES = ("marnn_bench", "marnn_bench.generators", "marnn_bench.baselines", "marnn_bench.leaderboard")


def remembered(name: str, compute: Callable[[], Any]) -> Any:
    """The result of `compute`, as JSON has it; what these very sources computed before is read from the cache."""
    file = cache_folder() / "remembered" / _sources() / f"{name}.json"
    with suppress(OSError, ValueError):
        return json.loads(file.read_text("utf-8"))
    result = compute()
    text = json.dumps(result)
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_name(f".{file.name}.{os.getpid()}")
        temporary.write_text(text, "utf-8")
        temporary.replace(file)
    return json.loads(text)


@cache
def _sources() -> str:
    """A digest of all source files."""
    content = hashlib.sha256()
    for package in PACKAGES:
        spec = find_spec(package)
        for folder in (spec and spec.submodule_search_locations) or ():
            for file in sorted(Path(folder).rglob("*.py")):
                content.update(f"{package}/{file.relative_to(folder)}\0".encode() + file.read_bytes() + b"\0")
    return content.hexdigest()[:16]
