"""What a reproduction is: models on tasks, by their papers' recipes or with what is varied."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import PurePosixPath
from typing import Any, Final, Literal

Preset = Literal["paper", "laptop"]
PRESETS: Final[tuple[Preset, ...]] = ("paper", "laptop")

MATRIX: Final = "matrix"


@dataclass(frozen=True)
class Change:
    """What is not as in a model's paper: of the fields of its sizes and of its recipe, those that are there."""

    sizes: Mapping[str, Any] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """A model on a task, trained by its paper's recipe or with these values instead.

    variant:  the name of what is changed, of the reproduction's
    """

    model: str
    task: str
    learning_rate: float | None = None
    epochs: int | None = None
    variant: str | None = None

    @property
    def place(self) -> PurePosixPath:
        """Its folder, below that of the whole.

        >>> Entry("lstm", "dyck2").place, Entry("lstm", "dyck2", 0.003, 5).place
        (PurePosixPath('lstm/dyck2'), PurePosixPath('lstm/dyck2/rate-0.003-epochs-5'))
        >>> Entry("nnpda", "dyck1-recognition", variant="with noise").place
        PurePosixPath('nnpda/dyck1-recognition/with-noise')
        """
        values = {"rate": self.learning_rate, "epochs": self.epochs}
        named = [f"{name}-{value}" for name, value in values.items() if value is not None]
        variant = [self.variant.replace(" ", "-")] if self.variant else []
        return PurePosixPath(self.model, self.task, "-".join([*variant, *named]))


@dataclass(frozen=True)
class Traced:
    """A string that a paper shows a model at, and what it prints of each step.

    nexts:          what is to be predicted after each symbol
    probabilities:  of these
    tops:           what lies on top of each stack
    """

    string: str
    nexts: str
    probabilities: tuple[float, ...]
    tops: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Reproduction:
    """Models on tasks: a table by the recipes as they are, a grid if it has several learning rates and numbers of epochs.

    source:   what it stands in, as published rows say it
    runs:     trainings of each row, unless others are asked for
    preset:   paper, or laptop: ours, minutes to hours on one core. One name may have both
    splits:   those that are asked; by default the task's own
    metrics:  what is printed; by default the task's headline
    numbers:  what the paper's numbers stand in, if that is another table
    fewer:    by task, the models that are shown on it, where they are not all
    changes:  by model
    variants: by model, what is varied, by name
    remains:  what is left of the paper's table where the rest of it is lost
    hours:    core-hours that all of it took, on a core of 2.5 GHz
    by_length:  whether accuracy by length is drawn
    traced:   what the selected run is shown at
    """

    name: str
    source: str
    tasks: tuple[str, ...]
    models: tuple[str, ...] = ()
    learning_rates: tuple[float, ...] = ()
    epochs: tuple[int, ...] = ()
    runs: int = 100
    preset: Preset = "paper"
    splits: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    numbers: str | None = None
    changes: Mapping[str, Change] = field(default_factory=dict)
    variants: Mapping[str, Mapping[str, Change]] = field(default_factory=dict)
    remains: str | None = None
    hours: float | None = None
    fewer: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_length: bool = False
    traced: Traced | None = None

    @property
    def is_grid(self) -> bool:
        """Whether it varies the recipes."""
        return len(self.learning_rates) > 1

    @property
    def folder(self) -> str:
        """Where it goes, and how its record is called.

        >>> Reproduction("mine-table1", "Mine, Table 1", ("dyck2",), preset="laptop").folder
        'mine-table1-laptop'
        """
        return self.name if self.preset == "paper" else f"{self.name}-{self.preset}"

    @property
    def is_matrix(self) -> bool:
        """Whether it is printed as one, without the tasks that a model does not fit."""
        return self.name == MATRIX

    @property
    def is_drawn(self) -> bool:
        """Whether it ends in a picture."""
        return self.is_grid or self.is_matrix or self.by_length or self.traced is not None

    def entries(self) -> Iterator[Entry]:
        """All that is trained, task by task in the order of the rows."""
        for task, model in product(self.tasks, self.models):
            if model in self.fewer.get(task, self.models):
                varied = (
                    self.learning_rates or (None,),
                    self.epochs or (None,),
                    self.variants.get(model, (None,)),
                )
                for rate, epochs, variant in product(*varied):
                    yield Entry(model, task, rate, epochs, variant)

    def changes_of(self, entry: Entry) -> tuple[Change, ...]:
        """What is not as in its paper; of two that change the same, the later holds."""
        of_model = self.changes.get(entry.model, Change())
        return (of_model, self.variants[entry.model][entry.variant]) if entry.variant else (of_model,)
