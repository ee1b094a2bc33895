"""A run as it answers: strings side by side, a symbol each, step after step."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.noise import noise_key
from marnn_bench.baselines.engine.program import Array, Program

FIRST_STEPS: Final = 64
"""For how many steps there is room at first."""


class CompiledStreams:
    """Streams of one run of a compiled cell, from the empty prefix on.

    Each stream is a lane of its own: its bits do not depend on how many there are.

    parameters:   of the run, [1, ...] by name
    temperature:  of the gates
    """

    def __init__(
        self,
        program: Program,
        parameters: Mapping[str, Array],
        seed: int,
        run: int,
        temperature: float,
        streams: int,
    ) -> None:
        lanes = program.lanes
        in_every_lane = {name: np.repeat(tensor, lanes, 0) for name, tensor in parameters.items()}
        self._program, self._parameters = program, program.packed(in_every_lane)
        self._key, self._temperature = noise_key("evaluation noise", seed, run), temperature
        blocks = -(-streams // lanes)
        self._steps = FIRST_STEPS
        self._spaces = program.stream_spaces(blocks, self._steps)
        self._prefixes = np.zeros(blocks * lanes, np.uint64)
        self._clock = 0

    def step(self, ids: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give each stream a symbol: [stream] -> [stream, columns]"""
        if self._clock == self._steps:
            self._make_room()
        scores = self._program.step(
            self._parameters,
            self._key,
            self._temperature,
            self._spaces,
            self._steps,
            self._prefixes,
            ids,
            self._clock,
        )
        self._clock += 1
        return scores

    def _make_room(self) -> None:
        """For half as many steps more, which a memory that grows with every step needs."""
        self._steps += self._steps // 2
        larger = self._program.stream_spaces(len(self._spaces), self._steps)
        if larger.shape != self._spaces.shape:
            larger[:, : self._spaces.shape[1]] = self._spaces
            self._spaces = larger
