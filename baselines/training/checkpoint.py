"""Checkpoints: the parameters of all runs and the record of their training, in one safetensors file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from marnn_bench.baselines.baseline import Baseline
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import Parameters, tensor_shapes
from marnn_bench.baselines.joint import symbols_of
from marnn_bench.baselines.model_file import baseline_of_file
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.training.record import OtherVersionError, TrainingRecord
from marnn_bench.errors import DataError, UsageError

RECORD: Final = "training"
"""The metadata entry that holds the record, as JSON. The tensors have the names that `Parameters` gives them."""

DIGEST: Final = "sha256"
"""The field of that JSON with the digest of all else, tensors included. Checkpoints of earlier versions have none.

It is no entry beside the other: of several, safetensors does not fix the order.
"""

CELL: Final = "cell.py"
"""The file beside a checkpoint that defines its model, where that came from a user's file."""


class TrainedRun(NamedTuple):
    """A model with the parameters of one run: [1, ...]"""

    record: TrainingRecord
    cell: Cell
    parameters: Parameters


def save_checkpoint(path: Path, record: TrainingRecord, parameters: Parameters) -> None:
    """Write the parameters of all runs; equal records and parameters give equal bytes."""
    path.write_bytes(save_tensors(record.as_json(), parameters.tensors))


def save_tensors(about: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> bytes:
    """A file of tensors, what is to be said about them, and a digest of both; equal ones give equal bytes."""
    contiguous = {name: tensor.contiguous() for name, tensor in tensors.items()}
    text = json.dumps({**about, DIGEST: _digest(about, contiguous)}, sort_keys=True)
    return save(contiguous, {RECORD: text})


def load_tensors(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """What is said about the tensors of a file, and these. SafetensorError, TypeError, KeyError or ValueError if it is damaged."""
    with safe_open(path, "pt") as file:
        about: dict[str, Any] = json.loads(file.metadata()[RECORD])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    if DIGEST in about and about.pop(DIGEST) != _digest(about, tensors):
        raise ValueError("its content is not what was written")
    return about, tensors


def _digest(about: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> str:
    return sha256(json.dumps(about, sort_keys=True).encode() + save(dict(tensors))).hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """A model with the parameters of all runs: [run, ...]"""

    path: Path
    record: TrainingRecord
    cell: Cell
    tensors: Mapping[str, Tensor]

    def run(self, run: int) -> TrainedRun:
        """One run. UsageError if there is none of this number."""
        if not 0 <= run < self.record.runs:
            raise UsageError(
                f"{self.path} has the runs 0 to {self.record.runs - 1}, not {run}; ask for one of these."
            )
        chosen = {name: tensor[run : run + 1].clone() for name, tensor in self.tensors.items()}
        return TrainedRun(self.record, self.cell, Parameters(chosen))  # aligned alike for every run


def load_checkpoint(path: Path) -> Checkpoint:
    """All runs of a checkpoint. DataError if the file is missing or damaged."""
    try:
        about, tensors = load_tensors(path)
        record = TrainingRecord.from_json(about)
        cell = _cell(path, record)
        return Checkpoint(path, record, cell, _tensors_of(tensors, record, cell))
    except FileNotFoundError:
        raise DataError(f"{path} is missing. Train the model again with --overwrite.") from None
    except OtherVersionError as error:
        raise DataError(f"{path} {error}. Use that, or train the model again with --overwrite.") from None
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} is damaged ({error}). Train the model again with --overwrite.") from error


def _cell(path: Path, record: TrainingRecord) -> Cell:
    own = path.with_name(CELL)
    baseline: Baseline = baseline_of_file(own) if own.exists() else find_baseline(record.model)
    alphabet, columns = record.task.alphabet, record.task.columns
    symbols = symbols_of(record.task.view, alphabet, columns)
    return baseline.build(len(symbols), len(columns), baseline.read_sizes(record.sizes))


def _tensors_of(tensors: Mapping[str, Tensor], record: TrainingRecord, cell: Cell) -> dict[str, Tensor]:
    """Those of the cell, each [run, ...]."""
    shapes = tensor_shapes(cell.shapes)
    for name, tensor in shapes.items():
        if tensors[name].shape != (record.runs, *tensor.shape):
            raise ValueError(f"{name} has the shape {[*tensors[name].shape]}")
    return {name: tensors[name] for name in shapes}
