"""The folder of a training: the model file, its checkpoint, its curves, and a record that is written last."""

import csv
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from torch import Tensor

from marnn_bench.baselines.training.checkpoint import save_checkpoint
from marnn_bench.baselines.training.loop import TrainingResult
from marnn_bench.baselines.training.record import TrainingRecord
from marnn_bench.errors import UsageError

MODEL, CHECKPOINT, CURVES, TRAINING = "model.py", "checkpoint.safetensors", "curves.csv", "training.json"

PARTIAL: Final = ".partial-"

MODEL_FILE: Final = '''\
"""{record.model}, trained on {record.task.name} by marnn-bench {record.marnn_bench}: runs 0 to {last}.

marnn-bench eval THIS_FOLDER --task {record.task.name} --out RESULT
"""

from pathlib import Path

from marnn_bench.baselines import TrainedModel

model = TrainedModel(Path(__file__).parent)
load, reset, step = model.load, model.reset, model.step
'''


@contextmanager
def new_folder(out: Path, overwrite: bool) -> Iterator[Path]:
    """A place to write the files of a training, which move to `out` together when all are written.

    Raises UsageError at once if `out` holds anything, unless it may be overwritten; what it held stays until the new
    files are complete.
    """
    out.mkdir(parents=True, exist_ok=True)
    if not overwrite and any(not path.name.startswith(PARTIAL) for path in out.iterdir()):
        raise UsageError(
            f"{out} is not empty. Choose another folder, or replace what is there with --overwrite."
        )
    with tempfile.TemporaryDirectory(dir=out, prefix=PARTIAL) as temporary:
        yield Path(temporary)
        (out / TRAINING).unlink(missing_ok=True)  # no record without the files that it speaks of
        for name in (MODEL, CHECKPOINT, CURVES, TRAINING):
            (Path(temporary) / name).replace(out / name)


def write_training(
    folder: Path, record: TrainingRecord, trained: TrainingResult, wall_s: float
) -> dict[str, Any]:
    """Write all files of a training: the content of training.json.

    That is the record, the mean loss of each run over the last epoch, and the seconds that it took.
    """
    final_loss = trained.losses[-1].mean(0).tolist()
    (folder / MODEL).write_text(MODEL_FILE.format(record=record, last=record.runs - 1))
    save_checkpoint(folder / CHECKPOINT, record, trained.parameters)
    with (folder / CURVES).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("run", "update", "epoch", "loss"))
        writer.writerows(curves(trained.losses))
    content = {**record.as_json(), "final_loss": final_loss, "wall_s": round(wall_s, 3)}
    (folder / TRAINING).write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return content


def curves(losses: Tensor, every: int = 100) -> Iterator[tuple[int, int, int, str]]:
    """For each run, its mean loss over every so many updates of an epoch: run, last update of these, epoch, loss.

    Runs count from 0, updates and epochs from 1.
    """
    strings = losses.shape[1]
    for run, of_run in enumerate(losses.unbind(2)):
        for epoch, of_epoch in enumerate(of_run):
            for first, block in zip(range(0, strings, every), of_epoch.split(every), strict=True):
                yield run, epoch * strings + first + len(block), epoch + 1, f"{block.mean().item():.6g}"
