"""Finding baselines by name."""

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from marnn_bench.baselines.baseline import Baseline
from marnn_bench.errors import UsageError


@cache
def all_baselines() -> dict[str, Baseline]:
    """Every baseline by name: those in the tuple BASELINES of every module beside this one, one per paper."""
    papers = sorted(
        {module.name for module in iter_modules([str(Path(__file__).parent)])} - {Path(__file__).stem}
    )
    modules = [import_module(f"{__package__}.{paper}") for paper in papers]
    return {baseline.name: baseline for module in modules for baseline in module.BASELINES}


def find_baseline(name: str) -> Baseline:
    """The baseline of this name."""
    known = all_baselines()
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`marnn-bench baselines` lists them."
    raise UsageError(f"There is no baseline {name!r}. {hint}")
