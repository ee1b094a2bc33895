"""A run of a training without its unused stacks, as a training of its own."""

import json
from dataclasses import replace
from pathlib import Path

import torch

from marnn_bench.baselines.models.joulin2015 import StackRNN
from marnn_bench.baselines.ongoing import TrainingResult
from marnn_bench.baselines.pruning.search import largest_removable, unread, without
from marnn_bench.baselines.stream.choice import rule_of
from marnn_bench.baselines.stream.strings import validation_strings
from marnn_bench.baselines.training.checkpoint import load_checkpoint
from marnn_bench.baselines.training.folder import CHECKPOINT, TRAINING, new_folder, write_model, write_record
from marnn_bench.baselines.training.record import deviations
from marnn_bench.errors import UsageError
from marnn_bench.tasks.registry import find_task


def prune_run(
    folder: Path, number: int, out: Path, tolerance: float, overwrite: bool = False
) -> tuple[tuple[int, ...], int]:
    """Write the run of this number, without the stacks that it can do without, to `out`: which these are, of how many.

    tolerance:  the share by which its loss in validation may grow

    UsageError if it is no Stack RNN or List RNN that was trained on a stream.
    """
    record, cell, parameters = load_checkpoint(folder / CHECKPOINT).run(number)
    if not isinstance(cell, StackRNN) or not record.recipe.stream:
        raise UsageError(f"{folder} has no stacks to remove: give a model such as joulin-stack-rnn.")
    rule, _ = rule_of("auto", cell, record.recipe, [0], record.seed, 1, lambda said: None)
    places = validation_strings(find_task(record.task.name), record.recipe, record.recipe.most_epochs).places

    def loss(removed: tuple[int, ...]) -> float:
        rule.take(unread(cell.memory, parameters, removed), [True])
        return float(rule.losses(places)[0])

    bound = loss(()) * (1 + tolerance)

    def can_do_without(stacks: tuple[int, ...]) -> bool:
        return (
            len(stacks) < cell.memory.count and loss(stacks) <= bound
        )  # one is left: there is no model with none

    removed = largest_removable(cell.memory.count, can_do_without)
    smaller, kept = without(cell, parameters, removed)
    sizes = {**record.sizes, "memories": smaller.memory.count}
    changed = deviations(record.sizes, sizes)
    pruned = replace(
        record,
        runs=1,
        parameters=smaller.num_parameters,
        sizes=sizes,
        deviations={**record.deviations, **changed},
    )
    content = json.loads((folder / TRAINING).read_bytes())
    found = {
        "train_accuracy": None,
        "selected": None,
        "pruned": {"run": number, "stacks": [*removed], "loss": loss(()), "without": loss(removed)},
    }
    final = content["final_loss"][number]
    losses = torch.tensor(final if final is not None else torch.nan, dtype=torch.float64)
    with new_folder(out, overwrite) as partial:
        write_model(partial, pruned, TrainingResult(kept, losses.view(1, 1, 1)), None, cell.distribution)
        write_record(partial, pruned, losses.view(1, 1, 1), found, content["wall_s"])
    return removed, cell.memory.count
