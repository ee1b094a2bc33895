"""Baselines: published memory-augmented models, their papers' recipes, and their training.

Importing this imports no torch; its public names do.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marnn_bench.baselines.door import open_door as open_door
    from marnn_bench.baselines.registry import all_baselines as all_baselines
    from marnn_bench.baselines.registry import find_baseline as find_baseline
    from marnn_bench.baselines.training import train as train

_PUBLIC = {
    "all_baselines": "registry",
    "find_baseline": "registry",
    "open_door": "door",
    "train": "training",
}

__all__ = [*_PUBLIC]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
