"""The record of a training: all that is needed to rebuild the model, and where its parameters come from."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from marnn_bench.baselines.baseline import Sizes
from marnn_bench.baselines.recipes import Recipe

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True)
class TrainingData:
    """The data of a training: the first `rows` strings of the split with this content digest."""

    name: str
    version: str
    view: str
    alphabet: tuple[str, ...]
    columns: tuple[str, ...]
    split: str
    law: str
    window: str
    rows: int
    digest: str


@dataclass(frozen=True)
class TrainingRecord:
    """What was trained, on what, and how.

    model:       name of the baseline
    parameters:  how many a run has
    deviations:  what differs from the paper: name -> {"paper": ..., "here": ...}
    """

    model: str
    paper: str
    published_row: str | None
    runs: int
    parameters: int
    sizes: Sizes
    task: TrainingData
    recipe: Recipe
    deviations: Mapping[str, Mapping[str, Any]]
    seed: int
    marnn_bench: str
    torch: str

    def as_json(self) -> dict[str, Any]:
        """The record as it is written."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TrainingRecord":
        """The record that was written; KeyError, TypeError or ValueError if this is none."""
        fields = dict(data)
        if (version := fields.pop("schema_version")) != SCHEMA_VERSION:
            raise ValueError(f"schema version {version}, not {SCHEMA_VERSION}")
        task, recipe = fields["task"], fields["recipe"]
        task |= {"alphabet": tuple(task["alphabet"]), "columns": tuple(task["columns"])}
        recipe |= {"betas": tuple(recipe["betas"])}
        fields |= {
            "sizes": Sizes(**fields["sizes"]),
            "task": TrainingData(**task),
            "recipe": Recipe(**recipe),
        }
        return cls(**fields)


def deviations(paper: Mapping[str, Any], here: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Where our values differ from the paper's.

    >>> deviations({"epochs": 3, "hidden": 8}, {"epochs": 5, "hidden": 8})
    {'epochs': {'paper': 3, 'here': 5}}
    """
    return {name: {"paper": paper[name], "here": here[name]} for name in paper if paper[name] != here[name]}
