"""The model of a user's file: Python that defines `cell(symbols, columns)` and, if it wants another, a `recipe`."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.recipes import SUZGUN2019, Recipe
from marnn_bench.errors import UsageError

if TYPE_CHECKING:
    from marnn_bench.baselines.cells.cell import Cell


def baseline_of_file(file: Path) -> Baseline:
    """The model of a file, called what the file is called. UsageError if it defines none."""
    module = _import(file)
    factory, recipe = getattr(module, "cell", None), getattr(module, "recipe", SUZGUN2019)
    if not callable(factory):
        raise UsageError(f"{file} defines no cell(symbols, columns), which gives the model to train.")
    if not isinstance(recipe, Recipe):
        raise UsageError(f"The `recipe` of {file} is not a Recipe: make it one, or leave it out.")

    def build(symbols: int, columns: int, sizes: Any) -> "Cell":
        import torch

        from marnn_bench.baselines.cells.cell import Cell
        from marnn_bench.baselines.cells.module import ModuleCell

        try:
            cell = factory(symbols, columns)
        except Exception as error:
            called = f"cell({symbols}, {columns}) of {file}"
            raise UsageError(
                f"{called} failed ({type(error).__name__}: {error}): make it give a Cell."
            ) from error
        if isinstance(cell, torch.nn.Module):
            return ModuleCell(symbols, columns, factory)
        if not isinstance(cell, Cell):
            raise UsageError(
                f"cell of {file} gave no Cell or torch.nn.Module but a {type(cell).__name__}: make it give one."
            )
        return cell

    return Baseline(file.stem, recipe, build, Sizes(), source=file)


def _import(file: Path) -> ModuleType:
    if not file.is_file():
        raise UsageError(
            f"There is no {file}. Give a Python file, or a name that `marnn-bench baselines` lists."
        )
    spec = importlib.util.spec_from_file_location(f"marnn_bench_model_{file.stem}", file)
    if not re.fullmatch(r"[\w-]+\.py", file.name) or spec is None or spec.loader is None:
        raise UsageError(
            f"Call {file} by letters, digits, hyphens and underscores, and .py: models are named so."
        )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look up their annotations
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"{file} cannot be imported ({type(error).__name__}: {error}).") from error
    return module
