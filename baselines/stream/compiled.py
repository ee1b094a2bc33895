"""The rule by the program of a compiled cell (`codegen/stream.c`): blocks of runs, several at once."""

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import Parameters, initialise
from marnn_bench.baselines.engine.program import Array, Places, Program
from marnn_bench.baselines.recipes import Stream

EVALUATION = 1
"""Steps that are kept where nothing is learned."""

RING = "ring"
"""The tensors of a state: what the blocks hold of the last symbols, and how many these are."""


class CompiledRule:
    """`Rule` by a compiled cell. A run depends on seed and number alone.

    steps, bound:  as in `ReferenceRule`
    threads:       how many blocks of runs are computed at once; by default one for each core
    """

    def __init__(
        self,
        cell: Cell,
        steps: int,
        bound: float,
        runs: Sequence[int],
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self._program, self._window, self._runs = Program(cell), (steps, bound), len(runs)
        drawn = initialise(cell.shapes, seed, runs)
        self._blocks = [*self._packed(drawn)]
        self._spaces = [self._program.ring_space(steps) for _ in self._blocks]
        self._since = 0
        self.threads = min(threads or os.cpu_count() or 1, len(self._blocks))

    def _packed(self, parameters: Parameters) -> Array:
        return self._program.packed({name: t.detach().numpy() for name, t in parameters.tensors.items()})

    def learn(self, places: Places, span: range, rates: Sequence[float], sums: NDArray[np.float64]) -> None:
        """See `Rule.learn`."""
        of_lanes, losses = np.zeros((2, len(self._blocks), self._program.lanes))
        of_lanes.flat[: self._runs], losses.flat[: self._runs] = rates, sums

        def learn(parameters: Array, rates: Array, losses: Array, space: Array) -> None:
            if rates.any():
                self._program.follow(
                    parameters, places, span, self._since, self._window, rates, losses, space
                )

        with ThreadPoolExecutor(self.threads) as pool:
            [*pool.map(learn, self._blocks, of_lanes, losses, self._spaces)]
        self._since = places.since(span, self._since)
        sums[:] = np.where(of_lanes.flat[: self._runs] != 0, losses.flat[: self._runs], sums)

    def losses(self, places: Places) -> NDArray[np.float64]:
        """See `Rule.losses`."""

        losses = np.zeros((len(self._blocks), self._program.lanes))

        def follow(parameters: Array, losses: Array) -> None:
            window, space = (EVALUATION, 0.0), self._program.ring_space(EVALUATION)
            self._program.follow(parameters, places, range(len(places)), 0, window, None, losses, space)

        with ThreadPoolExecutor(self.threads) as pool:
            [*pool.map(follow, self._blocks, losses)]
        mean: NDArray[np.float64] = losses.flat[: self._runs] / int((places.answers >= 0).sum())
        return mean

    def strings(self, first: int, wanted: int, stream: Stream) -> int:
        """As many as are wanted."""
        return wanted

    def parameters(self) -> Parameters:
        """Of all runs."""
        unpacked = self._program.unpacked(np.stack(self._blocks), self._runs)
        return Parameters({name: torch.from_numpy(array.copy()) for name, array in unpacked.items()})

    def take(self, parameters: Parameters, runs: Sequence[bool]) -> None:
        """Go on, in these runs, from these parameters of all runs."""
        lanes = self._program.lanes
        for number, numbers in enumerate(self._packed(parameters)):
            for lane, taken in enumerate(runs[number * lanes : (number + 1) * lanes]):
                if taken:
                    self._blocks[number][:, lane] = numbers[:, lane]

    def state(self) -> dict[str, Tensor]:
        """What the blocks hold of the last symbols."""
        return {
            f"{RING}/since": torch.tensor(self._since),
            RING: torch.from_numpy(np.stack(self._spaces)),
        }

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the `state` of a rule that was made with the same arguments."""
        self._since = int(state[f"{RING}/since"])
        for space, kept in zip(self._spaces, state[RING].numpy(), strict=True):
            space[:] = kept
