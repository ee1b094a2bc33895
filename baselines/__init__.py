"""Baselines: published memory-augmented models, their papers' recipes, and their training.

Importing this imports no torch; its public names do.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marnn_bench.baselines.baseline import Baseline as Baseline
    from marnn_bench.baselines.baseline import Sizes as Sizes
    from marnn_bench.baselines.cells.cell import Cell as Cell
    from marnn_bench.baselines.models.registry import all_baselines as all_baselines
    from marnn_bench.baselines.models.registry import find_baseline as find_baseline
    from marnn_bench.baselines.recipes import Recipe as Recipe
    from marnn_bench.baselines.training.loop import train as train
    from marnn_bench.baselines.training.trained_model import TrainedModel as TrainedModel

_PUBLIC = {
    "Baseline": "baseline",
    "Cell": "cells.cell",
    "Recipe": "recipes",
    "Sizes": "baseline",
    "TrainedModel": "training.trained_model",
    "all_baselines": "models.registry",
    "find_baseline": "models.registry",
    "train": "training.loop",
}

_DEPRECATED_NAMES = {"open_door": "TrainedModel"}
"""Names by which the model files of earlier trainings ask."""

__all__ = [*_PUBLIC]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    name = _DEPRECATED_NAMES.get(name, name)
    if name in _PUBLIC:
        return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
