"""Training: a recipe carried out on the examples of a split, for any number of runs at once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.noise import UpdateNoise
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.ongoing import LOSSES_SO_FAR, OPTIMISER, PARAMETERS, TrainingResult
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.training.batches import training_batches
from marnn_bench.baselines.training.lanes import whole_blocks
from marnn_bench.baselines.training.optimisation import LOSSES, make_optimiser
from marnn_bench.errors import UsageError
from marnn_bench.examples import SetExamples


class Training:
    """The reference engine: the runs of these numbers, trained by the recipe, an update at a time.

    The loss is summed over runs, so the gradient of each run's parameters is that of its own loss. A run, its noise
    included, depends on the seed and its number, not on the other runs.

    done:   updates so far
    total:  updates in all
    """

    def __init__(
        self,
        cell: Cell,
        recipe: Recipe,
        examples: SetExamples,
        runs: Sequence[int],
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        computed, self._device = whole_blocks(runs), find_device(device)
        self._asked = [computed.index(run) for run in runs]
        self._cell, self._recipe, self._noise = cell, recipe, UpdateNoise(seed, computed)
        self._parameters = initialise(cell.shapes, seed, computed).each(
            lambda tensor: tensor.detach().to(self._device).requires_grad_()
        )
        self._optimiser, self._loss = make_optimiser(recipe, self._parameters), LOSSES[recipe.loss]
        self._batches = [batch.to(self._device) for batch in training_batches(examples, recipe.batch)]
        self.done, self.total = 0, recipe.epochs * len(self._batches)
        self._losses = torch.empty(self.total, len(runs), dtype=torch.float64, device=self._device)

    @property
    def strings_left(self) -> int:
        """How many strings are still to be learned from, over all epochs."""
        sizes = [batch.ids.shape[1] for batch in self._batches]
        epochs, updates = divmod(self.total - self.done, len(sizes))
        return epochs * sum(sizes) + sum(sizes[len(sizes) - updates :])

    def update(self) -> int:
        """Do the next update: how many strings it learned from."""
        ids, answers, weights = self._batches[self.done % len(self._batches)]
        inputs = update_inputs(self._cell, self._recipe, self._noise, self.done + 1, ids)
        loss = self._loss(self._cell.scores(self._parameters, ids, inputs), answers, weights)
        self._optimiser.zero_grad()
        loss.sum().backward()  # type: ignore[no-untyped-call]
        self._optimiser.step()
        self._losses[self.done] = loss.detach()[self._asked]
        self.done += 1
        return ids.shape[1]

    def result(self) -> TrainingResult:
        """What the updates so far give, on the CPU; the losses of those to come are anything."""
        parameters = self._parameters.each(lambda tensor: tensor[self._asked].detach().cpu())
        return TrainingResult(parameters, self._losses.view(self._recipe.epochs, -1, len(self._asked)).cpu())

    def state(self) -> dict[str, Tensor]:
        """All that updates change, of the runs that are computed with those asked for, too."""
        tensors = {LOSSES_SO_FAR: self._losses[: self.done]}
        for name, tensor in self._parameters.tensors.items():
            tensors[PARAMETERS + name] = tensor.detach()
            for kind, value in self._optimiser.state[tensor].items():
                tensors[f"{OPTIMISER}{kind}/{name}"] = value
        return {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the `state` of a training that was begun with the same arguments."""
        self.done = len(state[LOSSES_SO_FAR])
        self._losses[: self.done] = state[LOSSES_SO_FAR]
        for name, tensor in self._parameters.tensors.items():
            tensor.data.copy_(state[PARAMETERS + name])  # in place: results depend on how numbers are aligned
        for entry, value in state.items():
            if entry.startswith(OPTIMISER):
                kind, name = entry.removeprefix(OPTIMISER).split("/", 1)
                tensor = self._parameters.tensors[name]
                self._optimiser.state[tensor][kind] = value.to(tensor.device, copy=True)


def train(
    cell: Cell, recipe: Recipe, examples: SetExamples, runs: Sequence[int], seed: int = 0, device: str = "cpu"
) -> TrainingResult:
    """Train the runs of these numbers by the recipe, from its first update to its last."""
    training = Training(cell, recipe, examples, runs, seed, device)
    with one_thread():
        while training.done < training.total:
            training.update()
    return training.result()


def find_device(name: str) -> torch.device:
    """The device of this name, `cpu` or `cuda`, perhaps with a number; UsageError if there is none."""
    try:
        device = torch.device(name)
    except RuntimeError:
        device = torch.device("meta")
    if device.type not in ("cpu", "cuda"):
        raise UsageError(f"There is no device {name!r}: it is cpu, cuda, or cuda:1 for the second GPU.")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise UsageError(f"torch {torch.__version__} finds no {name} here. Train with --device cpu.")
    return device


def update_inputs(cell: Cell, recipe: Recipe, noise: UpdateNoise, update: int, ids: Tensor) -> StringInputs:
    """What the steps of an update, counted from 1, are given beside its strings."""
    temperature = torch.tensor(recipe.temperature(update), dtype=torch.float64, device=ids.device)
    if not cell.noise:
        return StringInputs(temperature)
    _, strings, steps = ids.shape
    drawn = torch.from_numpy(noise.of(update, strings, steps, cell.noise))
    return StringInputs(temperature, drawn.to(ids.device))


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute on one thread: on several, tensors as small as ours mostly wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
