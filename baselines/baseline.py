"""What a baseline is: a model, its sizes, its recipe, and its row in a paper's tables if it has one."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from marnn_bench.baselines.joint import input_symbols
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.task import Task

if TYPE_CHECKING:
    from marnn_bench.baselines.cells.cell import Cell


@dataclass(frozen=True)
class Sizes:
    """The sizes of a model. Every family of models has a frozen dataclass of its own, derived from this one.

    Two names have a meaning for the command line: `hidden` (units) and `memory_width` (numbers in a cell).
    """

    def as_json(self) -> dict[str, Any]:
        """Name -> size."""
        return asdict(self)


@dataclass(frozen=True)
class Baseline:
    """A model that can be trained.

    build:          from the numbers of symbols and of columns, and the sizes, to the model
    default_sizes:  the paper's; all sizes of this model are of the same class
    sizes, recipes: by task, where they differ
    published_row:  its name in the paper's tables, if it has a row there
    source:         the file that defines it, for a model of a user's file
    """

    name: str
    recipe: Recipe
    build: "Callable[[int, int, Any], Cell]"
    default_sizes: Sizes
    paper: str | None = None
    sizes: Mapping[str, Sizes] = field(default_factory=dict)
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    published_row: str | None = None
    source: Path | None = None

    def sizes_for(self, task: Task) -> Sizes:
        """The paper's sizes for this task."""
        return self.sizes.get(task.name, self.default_sizes)

    def recipe_for(self, task: Task) -> Recipe:
        """The recipe for this task. UsageError if its procedure cannot be carried out."""
        recipe = self.recipes.get(task.name, self.recipe)
        recipe.require_procedure(self.name)
        return recipe

    def cell(self, task: Task, sizes: Sizes | None = None) -> "Cell":
        """The model for this task, of the paper's sizes or others."""
        return self.build(len(input_symbols(task)), len(task.columns), sizes or self.sizes_for(task))

    def read_sizes(self, stored: Mapping[str, Any]) -> Sizes:
        """The sizes that a record holds, without those that this model does not have. KeyError if one is missing."""
        sizes = type(self.default_sizes)
        return sizes(**{size.name: stored[size.name] for size in fields(sizes)})
