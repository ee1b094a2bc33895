"""A run as it answers: strings side by side, a symbol each, step after step."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.noise import noise_key
from marnn_bench.baselines.engine.program import Array, Kept, Program

FIRST_STEPS: Final = 64
"""For how many steps there is room at first."""


class CompiledStreams:
    """Streams of one run of a compiled cell.

    Each stream is a lane of its own: its bits do not depend on how many there are.

    parameters:   of the run, [1, ...] by name
    temperature:  of the gates
    """

    def __init__(
        self, program: Program, parameters: Mapping[str, Array], seed: int, run: int, temperature: float
    ) -> None:
        in_every_lane = {name: np.repeat(tensor, program.lanes, 0) for name, tensor in parameters.items()}
        self._program, self._clock, none = program, 0, program.stream_spaces(0, FIRST_STEPS)
        key, prefixes = noise_key("evaluation noise", seed, run), np.zeros(0, np.uint64)
        self._kept = Kept(program.packed(in_every_lane), key, temperature, none, FIRST_STEPS, prefixes)

    def begin(self, n: int) -> None:
        """Begin n streams, in the room that those before had if they were as many."""
        lanes = self._program.lanes
        blocks = -(-n // lanes)
        if blocks != len(self._kept.spaces):
            spaces, prefixes = (
                self._program.stream_spaces(blocks, self._kept.steps),
                np.zeros(blocks * lanes, np.uint64),
            )
            self._kept = replace(self._kept, spaces=spaces, prefixes=prefixes)
        self._kept.prefixes[:] = 0
        self._clock = 0

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give each stream a symbol: [stream] -> [stream, columns]"""
        if self._clock == self._kept.steps:
            self._make_room()
        scores = self._program.step(self._kept, ids, self._clock)
        self._clock += 1
        return scores

    def _make_room(self) -> None:
        """For half as many steps more, which a memory that grows with every step needs."""
        steps, spaces = self._kept.steps + self._kept.steps // 2, self._kept.spaces
        larger = self._program.stream_spaces(len(spaces), steps)
        if larger.shape != spaces.shape:
            larger[:, : spaces.shape[1]] = spaces
            spaces = larger
        self._kept = replace(self._kept, spaces=spaces, steps=steps)
