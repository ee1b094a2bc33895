"""Finding baselines by name."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from marnn_bench.baselines.baseline import Baseline
from marnn_bench.errors import UsageError

MODULES = ("marnn_bench.baselines.models.suzgun2019",)
"""One module per paper, each with a tuple BASELINES."""


@cache
def all_baselines() -> dict[str, Baseline]:
    """Every baseline by name."""
    return {baseline.name: baseline for module in MODULES for baseline in import_module(module).BASELINES}


def find_baseline(name: str) -> Baseline:
    """The baseline of this name."""
    known = all_baselines()
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`marnn-bench baselines` lists them."
    raise UsageError(f"There is no baseline {name!r}. {hint}")
