"""The record of a training: all that is needed to rebuild the model, and where its parameters come from."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from marnn_bench.baselines.recipes import Recipe

SCHEMA_VERSION: Final = 2
"""Records of version 1, which can be read, have three sizes whatever the model, and no temperature."""


class OtherVersionError(ValueError):
    """A record of a version that this one cannot read."""


@dataclass(frozen=True)
class TrainingData:
    """The data of a training: the first `rows` strings of the split with this content digest.

    On a stream, so many strings of each epoch of an endless split, which has no digest.
    """

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
    temperature: of the gates at the last update, and so at evaluation
    device:      on which it was trained, as torch names it
    engine:      that trained it: reference or compiled
    """

    model: str
    paper: str | None
    published_row: str | None
    runs: int
    parameters: int
    sizes: Mapping[str, Any]
    task: TrainingData
    recipe: Recipe
    deviations: Mapping[str, Mapping[str, Any]]
    seed: int
    marnn_bench: str
    torch: str
    temperature: float = 1.0
    device: str = "cpu"
    engine: str = "reference"

    def as_json(self) -> dict[str, Any]:
        """The record as it is written."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TrainingRecord":
        """The record that was written; KeyError, TypeError or ValueError if this is none that can be read."""
        fields = dict(data)
        if (version := fields.pop("schema_version")) not in range(1, SCHEMA_VERSION + 1):
            by = f"marnn-bench {fields.get('marnn_bench')}"
            raise OtherVersionError(f"was written by {by}, with a record of version {version}")
        task = fields["task"]
        task |= {"alphabet": tuple(task["alphabet"]), "columns": tuple(task["columns"])}
        fields |= {"task": TrainingData(**task), "recipe": Recipe.from_json(fields["recipe"])}
        return cls(**fields)


def deviations(
    paper: Mapping[str, Any], here: Mapping[str, Any], inferred: Collection[str] = ()
) -> dict[str, dict[str, Any]]:
    """Where our values differ from the paper's, or from what was inferred for those that it does not give.

    >>> deviations({"epochs": 3, "hidden": 8}, {"epochs": 5, "hidden": 8})
    {'epochs': {'paper': 3, 'here': 5}}
    >>> deviations({"learning_rate": 0.003}, {"learning_rate": 0.01}, inferred=["learning_rate"])
    {'learning_rate': {'paper': '0.003 (inferred; the paper gives none)', 'here': 0.01}}
    """
    given = {name: f"{paper[name]} (inferred; the paper gives none)" for name in inferred}
    return {
        name: {"paper": given.get(name, paper[name]), "here": here[name]}
        for name in paper
        if paper[name] != here[name]
    }
