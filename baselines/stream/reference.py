"""The rule by torch, a run after the other: to be read, to test with, and for cells that are not compiled."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.controllers import State
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.memories import Memory
from marnn_bench.baselines.cells.parameters import Parameters, initialise
from marnn_bench.baselines.engine.program import Places
from marnn_bench.baselines.recipes import Stream

TINY = torch.finfo(torch.float64).tiny


class Step(NamedTuple):
    """A step of the past: the state before it, which ends its graph, the state after it, and its scores [1, 1, columns]."""

    before: tuple[Tensor, ...]
    after: tuple[Tensor, ...]
    scores: Tensor


class ReferenceRule:
    """`Rule` by torch.

    steps:  through how many errors are propagated back
    bound:  of errors
    """

    def __init__(self, cell: Cell, steps: int, bound: float, runs: Sequence[int], seed: int = 0) -> None:
        self._runs = [_Run(cell, steps, bound, seed, run) for run in runs]

    def learn(self, places: Places, span: range, rates: Sequence[float], sums: NDArray[np.float64]) -> None:
        """See `Rule.learn`."""
        for number, (run, rate) in enumerate(zip(self._runs, rates, strict=True)):
            if rate:
                sums[number] = run.learn(places, span, rate, float(sums[number]))

    def losses(self, places: Places) -> NDArray[np.float64]:
        """See `Rule.losses`."""
        return np.array([run.loss(places) for run in self._runs])

    def strings(self, first: int, wanted: int, stream: Stream) -> int:
        """All up to where the state begins anew: graphs cannot be kept."""
        return stream.emptied - first % stream.emptied

    def parameters(self) -> Parameters:
        """Of all runs."""
        each = [run.parameters.tensors for run in self._runs]
        return Parameters({name: torch.cat([run[name].detach() for run in each]) for name in each[0]})

    def take(self, parameters: Parameters, runs: Sequence[bool]) -> None:
        """Go on, in these runs, from these parameters of all runs."""
        for number, run in enumerate(self._runs):
            if runs[number]:
                for name, tensor in run.parameters.tensors.items():
                    tensor.data.copy_(parameters.tensors[name][number : number + 1])

    def state(self) -> dict[str, Tensor]:
        """Nothing, where the state begins anew."""
        return {}

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """See `Rule.restore`."""


class _Run:
    """One run: [1, 1, ...]"""

    def __init__(self, cell: Cell, steps: int, bound: float, seed: int, run: int) -> None:
        self.parameters = initialise(cell.shapes, seed, [run])
        self._cell, self._clipped, self._bound = cell, _with_clipped_memory(cell, bound), bound
        self._past: deque[Step] = deque(maxlen=steps)

    def learn(self, places: Places, span: range, rate: float, total: float) -> float:
        for place in span:
            if places.emptied[place]:
                self._past.clear()
            scores = self._feed(int(places.ids[place]))
            if (answer := int(places.answers[place])) >= 0:
                loss = cross_entropy(scores, answer)
                total += loss.item()
                for tensor, gradient in zip(self._tensors, self._gradients(loss), strict=True):
                    tensor.data.sub_(rate * gradient)  # .data: what past steps saved of it changes with it
        return total

    def loss(self, places: Places) -> float:
        state, total = self._cell.initial_state(self.parameters, 1), 0.0
        with torch.no_grad():
            for id_, answer, emptied in zip(places.ids, places.answers, places.emptied, strict=True):
                if emptied:
                    state = self._cell.initial_state(self.parameters, 1)
                state, scores = _step(self._cell, self.parameters, state, int(id_), training=False)
                total += cross_entropy(scores, int(answer)).item() if answer >= 0 else 0.0
        return total / int((places.answers >= 0).sum())

    @property
    def _tensors(self) -> list[Tensor]:
        return [*self.parameters.tensors.values()]

    def _feed(self, symbol: int) -> Tensor:
        """One more step, from a state that ends its graph: its scores."""
        begun = self._past[-1].after if self._past else self._clipped.initial_state(self.parameters, 1)
        before = tuple(tensor.detach().requires_grad_() for tensor in begun)
        after, scores = _step(self._clipped, self.parameters, before, symbol, training=True)
        self._past.append(Step(before, after, scores))
        return scores

    def _gradients(self, loss: Tensor) -> list[Tensor]:
        """Of the loss of the last step with respect to every parameter, through all steps that are kept."""
        last = self._past[-1]
        at_scores = torch.autograd.grad(loss, last.scores, retain_graph=True)[0]
        at_state = tuple(torch.zeros_like(tensor) for tensor in last.after)
        totals = [torch.zeros_like(tensor) for tensor in self._tensors]
        for step in reversed(self._past):
            outputs, cotangents = (*step.after, step.scores), (*at_state, at_scores)
            connected = [pair for pair in zip(outputs, cotangents, strict=True) if pair[0].requires_grad]
            found = torch.autograd.grad(
                [output for output, _ in connected],
                [*step.before, *self._tensors],
                [cotangent for _, cotangent in connected],
                retain_graph=True,
                allow_unused=True,
                materialize_grads=True,
            )
            at_state = tuple(error.clamp(-self._bound, self._bound) for error in found[: len(at_state)])
            totals = [total + more for total, more in zip(totals, found[len(at_state) :], strict=True)]
            at_scores = torch.zeros_like(at_scores)
        return totals


def cross_entropy(scores: Tensor, answer: int) -> Tensor:
    """-log of the right column's score, in nats."""
    return -scores[0, 0, answer].clamp(min=TINY).log()


def _step(cell: Cell, w: Parameters, state: State, symbol: int, training: bool) -> tuple[State, Tensor]:
    inputs = StepInputs(torch.tensor(1.0, dtype=torch.float64), None, 0, training)
    after, features = cell.step(w, state, cell.encode(w, torch.tensor([[symbol]])), inputs)
    return after, cell.decode(w, features)


class _Clip(torch.autograd.Function):
    """The number itself; the error that goes back through it is clipped."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, bound: float) -> Tensor:
        ctx.bound = bound
        return x.clone()

    @staticmethod
    def backward(ctx: Any, error: Tensor) -> tuple[Tensor, None]:
        return error.clamp(-ctx.bound, ctx.bound), None


@dataclass(frozen=True)
class _ClippedMemory:
    """A memory that clips the errors of the weights of its actions."""

    memory: Memory[Any]
    bound: float

    def __getattr__(self, name: str) -> Any:
        return getattr(self.memory, name)

    def update(self, memory: Any, weights: Tensor, written: Tensor) -> Any:
        return self.memory.update(memory, _Clip.apply(weights, self.bound), written)  # type: ignore[no-untyped-call]


def _with_clipped_memory(cell: Cell, bound: float) -> Cell:
    memory = getattr(cell, "memory", None)
    if not isinstance(memory, Memory):
        return cell
    return replace(cell, memory=_ClippedMemory(memory, bound))  # type: ignore[call-arg]
