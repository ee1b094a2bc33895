"""Finding baselines: ours by name, and those that other packages offer."""

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules

from marnn_bench.baselines.baseline import Baseline
from marnn_bench.baselines.model_file import baseline_of_file
from marnn_bench.baselines.models.composed import CONTROLLERS, JOINED, composed
from marnn_bench.baselines.models.mali2019 import HINTABLE, with_hints
from marnn_bench.errors import UsageError

ENTRY_POINTS = "marnn_bench.baselines"
"""An entry point of this group names a Baseline or a module with BASELINES."""


@cache
def builtin_baselines() -> dict[str, Baseline]:
    """Ours by name: those in the tuple BASELINES of every module beside this one, one per paper."""
    papers = sorted(
        {module.name for module in iter_modules([str(Path(__file__).parent)])} - {Path(__file__).stem}
    )
    modules = [import_module(f"{__package__}.{paper}") for paper in papers]
    return {baseline.name: baseline for module in modules for baseline in module.BASELINES}


def all_baselines() -> dict[str, Baseline]:
    """Our baselines and those of every installed package, by name; a name taken twice is an error."""
    known = dict(builtin_baselines())
    for baseline in _plugin_baselines():
        if baseline.name in known:
            raise UsageError(
                f"Two installed packages offer a baseline called {baseline.name}; uninstall one."
            )
        known[baseline.name] = baseline
    return known


def find_baseline(name: str) -> Baseline:
    """The baseline of this name, the model of a Python file, or one that is composed by its name, as
    `gru+stack` or `nspda-3+moves`.

    Other packages are looked at only if it is none of ours.
    """
    if name.endswith(".py"):
        return baseline_of_file(Path(name))
    if baseline := builtin_baselines().get(name):
        return baseline
    known = all_baselines()
    if name in known:
        return known[name]
    if name.partition(JOINED)[0] in HINTABLE:
        return with_hints(name)
    if name in CONTROLLERS or JOINED in name:
        return composed(name)
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`marnn-bench baselines` lists them."
    raise UsageError(f"There is no baseline {name!r}. {hint}")


def _plugin_baselines() -> Iterator[Baseline]:
    for point in entry_points(group=ENTRY_POINTS):
        found = point.load()
        yield from [found] if isinstance(found, Baseline) else found.BASELINES
