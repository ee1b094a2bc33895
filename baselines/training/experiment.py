"""An experiment: so many runs of a baseline on a task, by its paper's recipe and sizes or with others."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import torch

from marnn_bench import __version__
from marnn_bench.baselines.baseline import Baseline, Sizes
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.course import Course
from marnn_bench.baselines.engine.choice import compiled_training
from marnn_bench.baselines.engines import Engine
from marnn_bench.baselines.fit import require_fit
from marnn_bench.baselines.ongoing import OngoingTraining
from marnn_bench.baselines.recipes import FRESH_ROWS, Recipe
from marnn_bench.baselines.stream.choice import stream_training
from marnn_bench.baselines.stream.training import StreamTraining
from marnn_bench.baselines.training.data import DRAWN, stream_source, training_course
from marnn_bench.baselines.training.folder import (
    TRAINING,
    finished,
    new_folder,
    write_model,
    write_record,
)
from marnn_bench.baselines.training.loop import Training, find_device
from marnn_bench.baselines.training.record import TrainingData, TrainingRecord, deviations
from marnn_bench.baselines.training.state import EVERY_SECONDS, STATE, Watch, finish
from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples
from marnn_bench.task import Task

SIZES: Final = {
    "hidden": "hidden units",
    "memory_width": "memory width",
    "predictions": "predictions a step",
}
"""What `with_overrides` changes of a model's sizes."""


class _Unwatched:
    def update(self, more: int, /) -> None:
        pass


def _unwatched(strings: int) -> nullcontext[_Unwatched]:
    return nullcontext(_Unwatched())


def _untold(message: str) -> None:
    pass


@dataclass(frozen=True)
class Experiment:
    """What is to be trained, and how. Run r of a seed does not depend on how many runs are trained with it.

    engine:   what executes it; auto: the compiled engine if it can, else the reference
    threads:  of the compiled engine, by default one for each core; results do not depend on it
    """

    baseline: Baseline
    task: Task
    sizes: Sizes
    recipe: Recipe
    runs: int
    seed: int
    device: str = "cpu"
    engine: Engine = "reference"
    threads: int | None = None

    @classmethod
    def from_paper(cls, baseline: Baseline, task: Task, runs: int, seed: int = 0) -> "Experiment":
        """What the paper did."""
        return cls(baseline, task, baseline.sizes_for(task), baseline.recipe_for(task), runs, seed)

    def with_overrides(
        self,
        *,
        hidden: int | None = None,
        memory_width: int | None = None,
        predictions: int | None = None,
        device: str = "cpu",
        engine: Engine = "reference",
        threads: int | None = None,
        **recipe: Any,
    ) -> "Experiment":
        """The same with these values, where they are given, of sizes, of what executes it, and of fields of the recipe.

        UsageError for a size that the model does not have, and for a device that is not there.
        """
        asked = {"hidden": hidden, "memory_width": memory_width, "predictions": predictions}
        sizes = {name: size for name, size in asked.items() if size is not None}
        for name in sizes.keys() - self.sizes.as_json():
            raise UsageError(
                f"{self.baseline.name} takes no {SIZES[name]}; leave out --{name.replace('_', '-')}."
            )
        find_device(device)
        given = {name: value for name, value in recipe.items() if value is not None}
        given["inferred"] = tuple(name for name in self.recipe.inferred if name not in given)
        return replace(
            self,
            sizes=replace(self.sizes, **sizes),
            recipe=replace(self.recipe, **given),
            device=device,
            engine=engine,
            threads=threads,
        )

    @property
    def cell(self) -> Cell:
        """The model."""
        return self.baseline.cell(self.task, self.sizes)

    def require_fit(self) -> None:
        """UsageError unless the model can learn the task."""
        require_fit(self.baseline.name, self.task, self.recipe, self.cell)

    def train_into(
        self,
        out: Path,
        data: Path | None = None,
        rows: int | None = None,
        overwrite: bool = False,
        watch: Watch = _unwatched,
        tell: Callable[[str], object] = _untold,
    ) -> dict[str, Any]:
        """Train on the train split, or its first `rows`, of each epoch if it is endless, and fill the folder `out`: the content
        of its training.json.

        A training that was stopped goes on; one that is complete is left as it is, unless it is to be overwritten.
        watch, tell:  how far it is, and what else there is to say
        """
        self.require_fit()
        if rows and (stream := self.recipe.stream):
            shorter = replace(self, recipe=replace(self.recipe, stream=replace(stream, strings=rows)))
            return shorter.train_into(out, data, None, overwrite, watch, tell)
        if not overwrite and (out / TRAINING).exists():
            source, strings = self._given(data, rows)
            record = self._record(source, self._training(strings, _untold))
            if complete := finished(out, record, self.baseline.source):
                tell(f"{out} holds this training already; --overwrite trains again.")
                return complete
        with new_folder(out, overwrite) as folder:
            return self.train(*self._given(data, rows), folder, watch, tell)

    def _given(self, data: Path | None, rows: int | None) -> tuple[TrainingData, Course | None]:
        """Where the strings come from, and these; those of a stream are drawn as they are needed."""
        if stream := self.recipe.stream:
            return stream_source(self.task, stream.strings), None
        return training_course(self.task, self.recipe, data, rows)

    def train(
        self,
        source: TrainingData,
        strings: Examples | Course | None,
        folder: Path,
        watch: Watch = _unwatched,
        tell: Callable[[str], object] = _untold,
        every: float = EVERY_SECONDS,
    ) -> dict[str, Any]:
        """Train on these strings and write the files of `folder`: the content of its training.json.

        strings:  None for a stream, whose strings the recipe has drawn
        every:    seconds between two states that are kept in the folder, from which the same training goes on
        """
        training = self._training(strings, tell)
        record = self._record(source, training)
        seconds = finish(training, folder / STATE, self._key(record), watch, tell, every)
        trained = training.result()
        write_model(folder, record, trained, self.baseline.source, self.cell.distribution)
        found = {"train_accuracy": training.accuracy(), "selected": training.selected()}
        return write_record(folder, record, trained.losses, found, seconds)

    def _training(self, strings: Examples | Course | None, tell: Callable[[str], object]) -> OngoingTraining:
        runs = range(self.runs)
        if strings is None:
            what_of_stream = self.cell, self.recipe, self.task, runs, self.seed, self.device, self.threads
            return stream_training(self.engine, *what_of_stream, tell)
        what = self.cell, self.recipe, strings, runs, self.seed
        compiled = compiled_training(self.engine, *what, self.device, self.threads, tell)
        return compiled or Training(*what, self.device)

    def _key(self, record: TrainingRecord) -> dict[str, Any]:
        """All that the numbers depend on."""
        source = self.baseline.source
        return {"training": record.as_json(), "source": source and sha256(source.read_bytes()).hexdigest()}

    def _record(self, source: TrainingData, training: OngoingTraining) -> TrainingRecord:
        return TrainingRecord(
            model=self.baseline.name,
            paper=self.baseline.paper,
            published_row=self.baseline.published_row,
            runs=self.runs,
            parameters=self.cell.num_parameters,
            sizes=self.sizes.as_json(),
            task=source,
            recipe=self._recipe(source),
            deviations=self._deviations(source),
            seed=self.seed,
            marnn_bench=__version__,
            torch=torch.__version__,
            temperature=self.recipe.temperature(training.total),
            device=self.device,
            engine=_engine_of(training),
        )

    def _recipe(self, source: TrainingData) -> Recipe:
        """The recipe, with the rows that were asked of an endless split."""
        return replace(self.recipe, fresh_rows=source.rows) if source.digest == DRAWN else self.recipe

    def _deviations(self, source: TrainingData) -> dict[str, dict[str, Any]]:
        if self.baseline.paper is None:
            return {}
        split, law = self.task.split("train"), self.task.law("train")
        rows = source.rows if self.recipe.stream or split.rows == "fresh" else split.rows
        asked = {"rows": rows, "law": law.spec, "window": str(split.window)}
        used = {"rows": source.rows, "law": source.law, "window": source.window}
        paper = Experiment.from_paper(self.baseline, self.task, self.runs)
        here, recipe = self._recipe(source), replace(paper.recipe, inferred=self.recipe.inferred)
        if recipe.fresh_rows == FRESH_ROWS:  # no paper's
            recipe = replace(recipe, fresh_rows=here.fresh_rows)
        return deviations(
            {**asked, **paper.sizes.as_json(), **asdict(recipe)},
            {**used, **self.sizes.as_json(), **asdict(here)},
            paper.recipe.inferred,
        )


def _engine_of(training: OngoingTraining) -> str:
    if isinstance(training, StreamTraining):
        return training.engine
    return "reference" if isinstance(training, Training) else "compiled"
