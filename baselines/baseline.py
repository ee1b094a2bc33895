"""What a baseline is: a model of a paper, its sizes, its recipe, and its row in the paper's tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from marnn_bench.baselines.recipes import Recipe
from marnn_bench.task import Task

if TYPE_CHECKING:
    from marnn_bench.baselines.cells.cell import Cell


@dataclass(frozen=True)
class Sizes:
    """Hidden units of the controller; width and number of memory cells, which models without memory ignore."""

    hidden: int
    memory_width: int
    memory_cells: int


@dataclass(frozen=True)
class Baseline:
    """A published model that can be trained.

    build:          from the numbers of symbols and of columns, and the sizes, to the model
    default_sizes:  the paper's
    sizes:          by task, where they differ
    published_row:  its name in the paper's tables, if it has a row there
    """

    name: str
    paper: str
    recipe: Recipe
    build: "Callable[[int, int, Sizes], Cell]"
    default_sizes: Sizes
    sizes: Mapping[str, Sizes] = field(default_factory=dict)
    published_row: str | None = None

    def sizes_for(self, task: Task) -> Sizes:
        """The paper's sizes for this task."""
        return self.sizes.get(task.name, self.default_sizes)

    def cell(self, task: Task, sizes: Sizes | None = None) -> "Cell":
        """The model for this task, of the paper's sizes or others."""
        return self.build(len(task.language.alphabet), len(task.columns), sizes or self.sizes_for(task))
