"""An experiment: so many runs of a baseline on a task, by its paper's recipe and sizes or with others."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from marnn_bench import __version__
from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.training.folder import write_training
from marnn_bench.baselines.training.loop import train
from marnn_bench.baselines.training.record import TrainingData, TrainingRecord, deviations
from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples
from marnn_bench.task import Task


@dataclass(frozen=True)
class Experiment:
    """What is to be trained, and how. Run r of a seed does not depend on how many runs are trained with it."""

    baseline: Baseline
    task: Task
    sizes: Sizes
    recipe: Recipe
    runs: int
    seed: int

    @classmethod
    def from_paper(cls, baseline: Baseline, task: Task, runs: int, seed: int = 0) -> "Experiment":
        """What the paper did."""
        return cls(baseline, task, baseline.sizes_for(task), baseline.recipe, runs, seed)

    def with_overrides(
        self, epochs: int | None = None, hidden: int | None = None, memory_width: int | None = None
    ) -> "Experiment":
        """The same with these values, where they are given. UsageError for the memory of a model without one."""
        if memory_width and not self.cell.memory_shapes():
            raise UsageError(f"{self.baseline.name} has no memory; leave out --memory-width.")
        sizes = replace(
            self.sizes,
            hidden=hidden or self.sizes.hidden,
            memory_width=memory_width or self.sizes.memory_width,
        )
        return replace(self, sizes=sizes, recipe=replace(self.recipe, epochs=epochs or self.recipe.epochs))

    @property
    def cell(self) -> Cell:
        """The model."""
        return self.baseline.cell(self.task, self.sizes)

    def train(
        self,
        source: TrainingData,
        examples: Examples,
        folder: Path,
        on_update: Callable[[], object] = lambda: None,
    ) -> dict[str, Any]:
        """Train on these examples and write the files of `folder`: the content of its training.json."""
        start = time.perf_counter()
        trained = train(self.cell, self.recipe, examples, range(self.runs), self.seed, on_update)
        return write_training(folder, self._record(source), trained, time.perf_counter() - start)

    def _record(self, source: TrainingData) -> TrainingRecord:
        return TrainingRecord(
            model=self.baseline.name,
            paper=self.baseline.paper,
            published_row=self.baseline.published_row,
            runs=self.runs,
            parameters=self.cell.num_parameters,
            sizes=self.sizes,
            task=source,
            recipe=self.recipe,
            deviations=self._deviations(source),
            seed=self.seed,
            marnn_bench=__version__,
            torch=torch.__version__,
        )

    def _deviations(self, source: TrainingData) -> dict[str, dict[str, Any]]:
        split, law = self.task.split("train"), self.task.law("train")
        asked = {"rows": split.rows, "law": law.spec, "window": str(split.window)}
        used = {"rows": source.rows, "law": source.law, "window": source.window}
        paper = Experiment.from_paper(self.baseline, self.task, self.runs)
        return deviations(
            {**asked, **asdict(paper.sizes), **asdict(paper.recipe)},
            {**used, **asdict(self.sizes), **asdict(self.recipe)},
        )
