"""The random signs of UORO, a function of seed, run, update and step."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from marnn_bench.baselines.cells.philox import philox, round_keys
from marnn_bench.baselines.rules.rules import Signs
from marnn_bench.generators.keys import derive_key


class UpdateSigns:
    """The signs of the updates of some runs. Those of a step are the bits of the Philox blocks (update, step, 0), (update, step, 1),
    ..., of 128 bits each.
    """

    def __init__(self, seed: int, runs: Sequence[int]) -> None:
        keys = [derive_key({"purpose": "signs", "seed": seed, "run": run}) for run in runs]
        self._keys = round_keys(np.array(keys, np.uint64).reshape(-1, 1))

    def of(self, update: int) -> Signs:
        """Those of one update."""

        def signs(step: int, width: int) -> Tensor:
            blocks = np.arange(-(-width // 128), dtype=np.uint64)
            number, place, none = (np.array(word, np.uint64) for word in (update, step, 0))
            words = np.moveaxis(philox((number, place, blocks, none), self._keys), 0, -1)  # [run, block, 2]
            bits = words[..., None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
            drawn = bits.reshape(len(words), -1)[:, :width].astype(np.float64)
            return torch.from_numpy(1 - 2 * drawn)

        return signs
