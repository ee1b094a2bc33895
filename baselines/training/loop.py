"""Training: a recipe carried out on the examples of a split, for any number of runs at once."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.noise import UpdateNoise
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.course import Course, Exam
from marnn_bench.baselines.course_training import CourseTraining, Measured
from marnn_bench.baselines.epochs import Floats, Numbers
from marnn_bench.baselines.lessons import Lessons
from marnn_bench.baselines.ongoing import OPTIMISER, PARAMETERS, TrainingResult
from marnn_bench.baselines.orders import stage_of
from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.rules.regulariser import WeightNoise
from marnn_bench.baselines.rules.rules import make_rule
from marnn_bench.baselines.rules.signs import UpdateSigns
from marnn_bench.baselines.rules.unrolled import Unrolled
from marnn_bench.baselines.training.batches import TrainingBatch, training_batch
from marnn_bench.baselines.training.lanes import whole_blocks
from marnn_bench.baselines.training.measuring import measure
from marnn_bench.baselines.training.optimisation import LOSSES, at_rates, clip, make_optimiser
from marnn_bench.errors import UsageError
from marnn_bench.examples import Examples


class Training(CourseTraining):
    """The reference engine: the runs of these numbers, trained by the recipe, an update at a time.

    The loss is summed over runs, so the gradient of each run's parameters is that of its own loss. A run, its noise
    included, depends on the seed and its number, not on the other runs.
    """

    unit: ClassVar = "updates"

    def __init__(
        self,
        cell: Cell,
        recipe: Recipe,
        strings: Examples | Course,
        runs: Sequence[int],
        seed: int = 0,
        device: str = "cpu",
    ) -> None:
        super().__init__(recipe, strings, len(runs))
        self._computed, self._device, self._seed = whole_blocks(runs), find_device(device), seed
        self._asked = [self._computed.index(run) for run in runs]
        self._cell, self._noise = cell, UpdateNoise(seed, self._computed)
        self._signs = UpdateSigns(seed, self._computed)
        share = recipe.weight_noise
        self._weight_noise = WeightNoise(share, cell.matrices, seed, self._computed) if share else None
        self._parameters = initialise(cell.shapes, seed, self._computed).each(
            lambda tensor: tensor.detach().to(self._device).requires_grad_()
        )
        self._optimiser, self._loss = make_optimiser(recipe, self._parameters), LOSSES[recipe.loss]

    def update(self) -> int:
        """Do the next update: how many strings it learned from."""
        left = self.strings_left
        self.do(1)
        return left - self.strings_left

    def _learn(self, lessons: Lessons, count: int) -> Floats:
        first, size = self.done % self._in_epoch, self._recipe.batch
        losses = []
        for number in range(count):
            begin = (first + number) * size
            rows = lessons.rows(begin, min(begin + size, len(lessons)))
            losses.append(self._update(rows, self.done + number + 1).detach()[self._asked])
        return torch.stack(losses).cpu().numpy()

    def _update(self, lessons: Lessons, number: int) -> Tensor:
        """The update of this number, counted from 1: the loss of each run before it."""
        batch = training_batch(lessons, self._cell.columns).to(self._device)
        inputs = update_inputs(self._cell, self._recipe, self._noise, number, batch.ids)
        with self._disturbed(number):
            loss = self._set_gradients(batch, inputs, number)
        with at_rates(self._parameters, self._factors()):
            clip(self._parameters, self._recipe.clipping)
            self._optimiser.step()
        return loss

    def _set_gradients(self, batch: TrainingBatch, inputs: StringInputs, number: int) -> Tensor:
        """Those of an update, by the recipe's rule: the loss of each run."""
        rule = make_rule(self._recipe, self._signs.of(number))
        if rule is None:
            predictions = self._cell.predictions(self._parameters, batch.ids, inputs)
            losses = [self._loss(scores, batch.answers, batch.weights) for scores in predictions]
            loss = torch.stack(losses).mean(0)
            self._optimiser.zero_grad()
            loss.sum().backward()  # type: ignore[no-untyped-call]
            return loss
        chain = Unrolled(self._cell, self._parameters, batch, inputs, self._loss)
        loss, gradient = rule.gradient(chain)
        for name, of_tensor in chain.by_name(gradient).items():
            self._parameters.tensors[name].grad = of_tensor.contiguous()
        return loss

    def _disturbed(self, number: int) -> AbstractContextManager[None]:
        """The parameters with the recipe's noise, if this update has any."""
        epoch, order = (number - 1) // self._in_epoch, self._recipe.order
        if self._weight_noise and stage_of(order, epoch, self._recipe.epochs) == 2:
            return self._weight_noise.added(number, self._parameters)
        return nullcontext()

    def _factors(self) -> Tensor | None:
        """Of all runs that are computed; None where each is 1."""
        if (self.epoch_rates == 1).all():
            return None
        factors = torch.ones(len(self._computed), dtype=torch.float64)
        factors[self._asked] = torch.from_numpy(self.epoch_rates)
        return factors.to(self._device)

    def measure(self, exam: Exam) -> Measured:
        at = self._recipe.temperature(self.done)
        with one_thread():
            runs = self._computed, self._asked
            found = measure(self._cell, self._parameters, exam, self._loss, self._seed, *runs, at)
        return Measured(*(values[self._asked].cpu().numpy() for values in found))

    def numbers(self) -> Numbers:
        tensors = self._parameters.tensors.items()
        return {name: tensor.detach()[self._asked].cpu().numpy() for name, tensor in tensors}

    def set_numbers(self, numbers: Numbers, runs: NDArray[np.bool_]) -> None:
        lanes = [lane for lane, chosen in zip(self._asked, runs, strict=True) if chosen]
        for name, tensor in self._parameters.tensors.items():
            tensor.data[lanes] = torch.from_numpy(numbers[name][runs]).to(tensor.device)

    def engine_state(self) -> dict[str, Tensor]:
        """All that updates change, of the runs that are computed with those asked for, too."""
        tensors = {}
        for name, tensor in self._parameters.tensors.items():
            tensors[PARAMETERS + name] = tensor.detach()
            for kind, value in self._optimiser.state[tensor].items():
                tensors[f"{OPTIMISER}{kind}/{name}"] = value
        return {name: tensor.cpu().contiguous() for name, tensor in tensors.items()}

    def restore_engine(self, state: Mapping[str, Tensor]) -> None:
        for name, tensor in self._parameters.tensors.items():
            tensor.data.copy_(state[PARAMETERS + name])  # in place: results depend on how numbers are aligned
        for entry, value in state.items():
            if entry.startswith(OPTIMISER):
                kind, name = entry.removeprefix(OPTIMISER).split("/", 1)
                tensor = self._parameters.tensors[name]
                self._optimiser.state[tensor][kind] = value.to(tensor.device, copy=True)


def train(
    cell: Cell,
    recipe: Recipe,
    strings: Examples | Course,
    runs: Sequence[int],
    seed: int = 0,
    device: str = "cpu",
) -> TrainingResult:
    """Train the runs of these numbers by the recipe, from its first update to its last."""
    training = Training(cell, recipe, strings, runs, seed, device)
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
