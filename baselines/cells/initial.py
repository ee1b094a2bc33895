"""Initial laws: how the numbers of a parameter begin."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Uniforms = Callable[[int], NDArray[np.float64]]
"""So many numbers in [0, 1), the next ones of a run."""


class InitialLaw(Protocol):
    """Draws a parameter."""

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        """An array of this shape, which takes as many of a run's numbers as it needs."""


@dataclass(frozen=True)
class Uniform:
    """Every number uniform in [-bound, bound]."""

    bound: float

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        return ((2 * uniforms(prod(shape)) - 1) * self.bound).reshape(shape)


@dataclass(frozen=True)
class UniformSum:
    """Every number the sum of so many that are uniform in [-bound, bound]: standard deviation bound sqrt(terms / 3)."""

    bound: float
    terms: int

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        sums: NDArray[np.float64] = Uniform(self.bound).draw((*shape, self.terms), uniforms).sum(-1)
        return sums


@dataclass(frozen=True)
class TruncatedNormal:
    """Every number normal with mean 0 and this deviation, given that it is no further from 0 than two of them."""

    deviation: float

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        normal, u = NormalDist(), uniforms(prod(shape))
        low, high = normal.cdf(-2), normal.cdf(2)
        drawn = [normal.inv_cdf(low + (high - low) * number) for number in u.tolist()]
        return self.deviation * np.array(drawn).reshape(shape)


@dataclass(frozen=True)
class Orthogonal:
    """A square matrix, uniform among the orthogonal ones (Saxe et al. 2014; Mezzadri 2007)."""

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        radius, angle = np.sqrt(-2 * np.log1p(-uniforms(prod(shape)))), 2 * np.pi * uniforms(prod(shape))
        q, r = np.linalg.qr((radius * np.cos(angle)).reshape(shape))
        rotated: NDArray[np.float64] = q * np.sign(np.diagonal(r))
        return rotated


@dataclass(frozen=True)
class Blocks:
    """Equal blocks of columns side by side, each by a law of its own: the gates of an LSTM."""

    laws: tuple[InitialLaw, ...]

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        block = (*shape[:-1], shape[-1] // len(self.laws))
        return np.concatenate([law.draw(block, uniforms) for law in self.laws], -1)


@dataclass(frozen=True)
class Glorot:
    """Glorot & Bengio 2010: uniform with bound sqrt(6 / (inputs + outputs)), the last two axes of the shape."""

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        return Uniform((6 / sum(shape[-2:])) ** 0.5).draw(shape, uniforms)


@dataclass(frozen=True)
class Constant:
    """Every number this one."""

    value: float

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        return np.full(shape, self.value)


def linear_law(inputs: int) -> Uniform:
    """The law of weights and biases in torch.nn.Linear: U(-1/sqrt(inputs), 1/sqrt(inputs))."""
    return Uniform(inputs**-0.5)
