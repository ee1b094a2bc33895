"""Checkpoints: the parameters of all runs and the record of their training, in one safetensors file."""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import Affine, Parameters
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.training.record import TrainingRecord
from marnn_bench.errors import DataError, UsageError

RECORD: Final = "training"
"""The metadata entry that holds the record, as JSON. The tensors are called MAP.weight and MAP.bias."""


class TrainedRun(NamedTuple):
    """A model with the parameters of one run: [1, ...]"""

    record: TrainingRecord
    cell: Cell
    parameters: Parameters


def save_checkpoint(path: Path, record: TrainingRecord, parameters: Parameters) -> None:
    """Write the parameters of all runs; equal records and parameters give equal bytes."""
    tensors = {
        f"{name}.{part}": tensor.contiguous()
        for name, affine in parameters.items()
        for part, tensor in affine._asdict().items()
    }
    path.write_bytes(save(tensors, {RECORD: json.dumps(record.as_json(), sort_keys=True)}))


def load_run(path: Path, run: int) -> TrainedRun:
    """One run of a checkpoint. UsageError if it has no such run, DataError if the file is missing or damaged."""
    try:
        with safe_open(path, "pt") as file:
            record = TrainingRecord.from_json(json.loads(file.metadata()[RECORD]))
            if not 0 <= run < record.runs:
                raise UsageError(
                    f"{path} has the runs 0 to {record.runs - 1}, not {run}; ask for one of these."
                )
            return _read_run(file, record, run)
    except FileNotFoundError:
        raise DataError(f"{path} is missing. Train the model again with --overwrite.") from None
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise DataError(f"{path} is damaged ({error}). Train the model again with --overwrite.") from error


def _read_run(file: Any, record: TrainingRecord, run: int) -> TrainedRun:
    def read(name: str, *shape: int) -> Tensor:
        stored = file.get_slice(name)
        if stored.get_shape() != [record.runs, *shape]:
            raise ValueError(f"{name} has the shape {stored.get_shape()}")
        tensor: Tensor = stored[run : run + 1]
        return tensor

    alphabet, columns = record.task.alphabet, record.task.columns
    cell = find_baseline(record.model).build(len(alphabet), len(columns), record.sizes)
    parameters = {
        name: Affine(read(f"{name}.weight", m.inputs, m.outputs), read(f"{name}.bias", 1, m.outputs))
        for name, m in cell.shapes.items()
    }
    return TrainedRun(record, cell, parameters)
