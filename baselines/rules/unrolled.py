"""A batch as a chain of steps, each one function of flat parameters and a flat state: what learning rules are written in."""

from collections.abc import Callable
from math import prod

import torch
from torch import Tensor
from torch.utils._pytree import TreeSpec, tree_flatten, tree_unflatten

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.errors import UsageError

Loss = Callable[[Tensor, Tensor, Tensor | None], Tensor]
Batch = tuple[Tensor, Tensor, Tensor | None]
"""ids [1, batch, steps], answers [1, batch, steps, columns], and weights [1, batch, steps] or None: a `TrainingBatch`."""


class Unrolled:
    """Strings of a batch, step by step: s_t, l_t = f_t(w, s_(t-1)), with the loss l_1 + ... + l_T.

    parameters:  [run, parameter]  w, which stays as it is over the batch
    steps:       T

    States are [run, number], all strings of the batch in one row; they may grow from step to step, as a memory's do.
    """

    def __init__(
        self, cell: Cell, parameters: Parameters, batch: Batch, inputs: StringInputs, loss: Loss
    ) -> None:
        self._cell, self._batch, self._inputs, self._loss = cell, batch, inputs, loss
        self._shapes = {name: tensor.shape for name, tensor in parameters.tensors.items()}
        self.parameters = torch.cat([t.detach().flatten(1) for t in parameters.tensors.values()], 1)
        _, self._strings, self.steps = batch[0].shape
        self._layouts: dict[int, tuple[TreeSpec, list[torch.Size]]] = {}

    def start(self, w: Tensor) -> Tensor:
        """s_0, which may be learned: [run, number]"""
        return self._flat(0, self._cell.initial_state(Parameters(self.by_name(w)), self._strings, self.steps))

    def step(self, t: int, w: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
        """s_t [run, number] and l_t [run], for t = 1, ..., T in this order."""
        parameters, (ids, answers, weights), at = Parameters(self.by_name(w)), self._batch, slice(t - 1, t)
        x = self._cell.encode(parameters, ids[:, :, t - 1])
        state, features = self._cell.step(parameters, self._state(t - 1, s), x, self._inputs.at(t - 1))
        scores = self._cell.decode(parameters, features).unsqueeze(2)
        if weights is None:
            weights = answers.new_full(ids.shape, 1 / (self._strings * self.steps))
        return self._flat(t, state), self._loss(scores, answers[:, :, at], weights[:, :, at])

    def by_name(self, flat: Tensor) -> dict[str, Tensor]:
        """[run, parameter] as the tensors of the model, [run, ...]"""
        sizes = [prod(shape[1:]) for shape in self._shapes.values()]
        parts = zip(self._shapes.items(), torch.split(flat, sizes, 1), strict=True)
        return {name: part.view(shape) for (name, shape), part in parts}

    def _flat(self, t: int, state: object) -> Tensor:
        leaves, spec = tree_flatten(state)
        if any(not leaf.is_floating_point() for leaf in leaves):
            raise UsageError(
                f"The state of {type(self._cell).__name__} has whole numbers, through which no derivative is carried "
                "forwards: learn by bptt."
            )
        self._layouts[t] = spec, [leaf.shape for leaf in leaves]
        return torch.cat([leaf.flatten(1) for leaf in leaves], 1)

    def _state(self, t: int, flat: Tensor) -> tuple[Tensor, ...]:
        spec, shapes = self._layouts[t]
        parts = torch.split(flat, [prod(shape[1:]) for shape in shapes], 1)
        state = tree_unflatten([part.view(shape) for part, shape in zip(parts, shapes, strict=True)], spec)
        return tuple(state)
