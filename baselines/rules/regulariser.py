"""The adaptive noise regulariser of Mali et al. 2019, Algorithm 2: noise on tensors of higher order while a gradient is found.

The text has lost the algorithm's formulas. What is left of it: a tensor is a set of matrices, some of which are chosen at
random, one Gaussian number is drawn, the chosen matrices are changed by it, and the gradient is that at the changed weights.
Ours is how far: by that number times the matrix's own root mean square, so that the noise is as large as what it disturbs.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.cells.philox import philox, round_keys
from marnn_bench.generators.keys import derive_key


class WeightNoise:
    """The noise of some runs' updates, each a function of seed, run, update and tensor.

    share:     of the matrices of a tensor, how many are changed in an update; one at least
    matrices:  by tensor, how many numbers a matrix has: consecutive ones
    """

    def __init__(self, share: float, matrices: Mapping[str, int], seed: int, runs: Sequence[int]) -> None:
        keys = [derive_key({"purpose": "weight noise", "seed": seed, "run": run}) for run in runs]
        self._keys = round_keys(np.array(keys, np.uint64).reshape(-1, 1))
        self._share, self._matrices = share, matrices

    def of(self, update: int, parameters: Parameters) -> dict[str, Tensor]:
        """What is added to each tensor in an update: [run, ...]"""
        return {
            name: self._of_tensor(update, number, parameters.tensors[name], size)
            for number, (name, size) in enumerate(self._matrices.items())
        }

    def _of_tensor(self, update: int, number: int, tensor: Tensor, size: int) -> Tensor:
        matrices = tensor.detach().reshape(len(tensor), -1, size)  # [run, matrix, number]
        count = matrices.shape[1]
        u = self._uniform(update, number, 2 + count)
        gaussian = np.sqrt(-2 * np.log(u[:, :1])) * np.cos(2 * np.pi * u[:, 1:2])  # Box & Muller 1958
        ranks = u[:, 2:].argsort(1).argsort(1)
        factors = torch.from_numpy(np.where(ranks < max(1, round(self._share * count)), gaussian, 0.0))
        scale = matrices.square().mean(2).sqrt()  # [run, matrix]
        noise = (factors.to(tensor.device) * scale).unsqueeze(2).expand_as(matrices)
        return noise.reshape(tensor.shape)

    def _uniform(self, update: int, number: int, width: int) -> NDArray[np.float64]:
        """Numbers inside (0, 1): [run, width]"""
        blocks = np.arange(-(-width // 2), dtype=np.uint64)
        first, second, none = (np.array(word, np.uint64) for word in (update, number, 0))
        words = np.moveaxis(philox((first, second, blocks, none), self._keys), 0, -1)  # [run, block, 2]
        return np.asarray(((words.reshape(len(words), -1) >> np.uint64(12)) + 0.5) * 2.0**-52)[:, :width]

    @contextmanager
    def added(self, update: int, parameters: Parameters) -> Iterator[None]:
        """The parameters as they are in an update while its gradient is found."""
        noise = self.of(update, parameters)
        before = {name: parameters.tensors[name].detach().clone() for name in noise}
        for name, of_tensor in noise.items():
            parameters.tensors[name].data.add_(of_tensor)
        yield
        for name, tensor in before.items():
            parameters.tensors[name].data.copy_(tensor)
