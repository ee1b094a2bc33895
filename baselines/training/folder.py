"""The folder of a training.

OUT/.lock          held by the training that writes the folder; it says which process that is
OUT/.partial/      the state of a training that was stopped, and files that are not complete
OUT/model.py, cell.py, checkpoint.safetensors, curves.csv
OUT/training.json  written last: a folder without it holds no training
"""

import csv
import json
import math
import os
import platform
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from torch import Tensor

from marnn_bench.baselines.ongoing import TrainingResult
from marnn_bench.baselines.training.checkpoint import CELL, save_checkpoint
from marnn_bench.baselines.training.record import TrainingRecord
from marnn_bench.baselines.training.state import STATE
from marnn_bench.errors import UsageError
from marnn_bench.store.lock import held

MODEL, CHECKPOINT, CURVES, TRAINING = "model.py", "checkpoint.safetensors", "curves.csv", "training.json"

FILES: Final = (MODEL, CELL, CHECKPOINT, CURVES, TRAINING)
"""In the order in which they come to their places."""

LOCK: Final = ".lock"
PARTIAL: Final = ".partial"

MODEL_FILE: Final = '''\
"""{record.model}, trained on {record.task.name} by marnn-bench {record.marnn_bench}: runs 0 to {last}.

marnn-bench eval THIS_FOLDER --task {record.task.name} --out RESULT
"""

from pathlib import Path

from marnn_bench.baselines import TrainedModel

scores = "{scores}"
load = TrainedModel(Path(__file__).parent).load
'''


@contextmanager
def new_folder(out: Path, overwrite: bool = False) -> Iterator[Path]:
    """A place to write the files of a training, which move to `out` together when all are written.

    Where a training was stopped it is the same place, with its state. UsageError at once if `out` holds anything else,
    unless it may be overwritten, or if another process trains into it; what it held stays until the new files are
    complete.
    """

    def refuse(holder: str) -> None:
        raise UsageError(f"{out} is being written by {holder}. Wait for its end, or choose another folder.")

    with held(out / LOCK, f"process {os.getpid()} on {platform.node()}", refuse):
        if not (overwrite or _is_free(out)):
            raise UsageError(
                f"{out} is not empty. Choose another folder, or replace what is there with --overwrite."
            )
        partial = out / PARTIAL
        partial.mkdir(exist_ok=True)
        try:
            yield partial
            _publish(partial, out)
            shutil.rmtree(partial)
        finally:
            if partial.exists() and not is_begun(out):
                shutil.rmtree(partial)


def _is_free(out: Path) -> bool:
    """Whether it holds nothing but what a training that was stopped left, perhaps while its files were moved."""
    there = {path.name for path in out.iterdir() if path.name != LOCK and not path.name.startswith(PARTIAL)}
    return not there or (TRAINING not in there and there <= {*FILES} and is_begun(out))


def is_begun(out: Path) -> bool:
    """Whether it holds a training that was stopped and can go on."""
    return any((out / PARTIAL / name).exists() for name in (STATE, TRAINING))


def _publish(partial: Path, out: Path) -> None:
    (out / TRAINING).unlink(missing_ok=True)  # no record without the files that it speaks of
    (out / CELL).unlink(missing_ok=True)
    for name in FILES:
        if name == TRAINING:
            (partial / STATE).unlink(missing_ok=True)
        if (partial / name).exists():
            (partial / name).replace(out / name)


def write_model(
    folder: Path,
    record: TrainingRecord,
    trained: TrainingResult,
    source: Path | None = None,
    distribution: bool = False,
) -> None:
    """Write all files of a training but its record, with a copy of the `source` of a user's model.

    distribution:  whether the model answers with one, as `Cell.distribution`
    """
    scores = "probabilities" if distribution else "sigmoid"
    (folder / MODEL).write_text(MODEL_FILE.format(record=record, last=record.runs - 1, scores=scores))
    save_checkpoint(folder / CHECKPOINT, record, trained.parameters)
    (folder / CELL).unlink(missing_ok=True)
    if source:
        shutil.copyfile(source, folder / CELL)
    with (folder / CURVES).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("run", "update", "epoch", "loss"))
        writer.writerows(curves(trained.losses))


def write_record(
    folder: Path, record: TrainingRecord, losses: Tensor, found: Mapping[str, Any], wall_s: float
) -> dict[str, Any]:
    """Write training.json, and give its content.

    That is the record; for each run the mean loss over the last epoch (null if that is no number); what else was `found`;
    where a loss was no finite number; and the seconds that it took.
    """
    final = losses[-1:].mean((0, 1))  # [run]; of no epochs no number
    content = {
        **record.as_json(),
        "final_loss": [loss if math.isfinite(loss) else None for loss in final.tolist()],
        **found,
        "diverged": diverged(losses),
        "wall_s": round(wall_s, 3),
    }
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    (folder / TRAINING).write_text(text, encoding="utf-8")
    return content


def diverged(losses: Tensor) -> list[dict[str, int]]:
    """The runs with a loss that is infinite or no number, each with the first update of which that holds.

    >>> import torch
    >>> diverged(torch.tensor([[[1, 2], [3, torch.nan]], [[1, torch.inf], [1, 1]]]))
    [{'run': 1, 'update': 2}]
    """
    lost = ~losses.isfinite().flatten(0, 1)  # [update, run]
    first = lost.int().cumsum(0).eq(0).sum(0) + 1
    return [{"run": run, "update": int(first[run])} for run in lost.any(0).nonzero().flatten().tolist()]


def finished(out: Path, record: TrainingRecord, source: Path | None = None) -> dict[str, Any] | None:
    """The content of training.json, if `out` holds a training of this record and source; else None."""
    try:
        content = json.loads((out / TRAINING).read_bytes())
        same_source = source is None or source.read_bytes() == (out / CELL).read_bytes()
    except (FileNotFoundError, ValueError):
        return None
    wanted: Mapping[str, Any] = json.loads(json.dumps(record.as_json()))
    same = isinstance(content, dict) and {**content, **wanted} == content
    return content if same and same_source else None


def curves(losses: Tensor, every: int = 100) -> Iterator[tuple[int, int, int, str]]:
    """For each run, its mean loss over every so many updates of an epoch: run, last update of these, epoch, loss.

    Runs count from 0, updates and epochs from 1.
    """
    updates = losses.shape[1]
    for run, of_run in enumerate(losses.unbind(2)):
        for epoch, of_epoch in enumerate(of_run):
            for first, block in zip(range(0, updates, every), of_epoch.split(every), strict=True):
                yield run, epoch * updates + first + len(block), epoch + 1, f"{block.mean().item():.6g}"
