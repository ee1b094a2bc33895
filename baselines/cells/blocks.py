"""Residual blocks that mix what came before into every step: causal attention, or a diagonal linear recurrence.

A mixer is given any number of steps that follow on its state. So all steps of a string are computed at once, and one step after
the other goes on from there, by the same equations.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from marnn_bench.baselines.cells.controllers import State
from marnn_bench.baselines.cells.initial import Constant, linear_law
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import Affine, AffineShape, Parameters, linear

Positions = Literal["none", "rotary", "alibi"]


class Mixer(ABC):
    """The half of a block that looks back."""

    vectors: ClassVar[int]
    """How many tensors its state consists of."""

    @abstractmethod
    def shapes(self, width: int) -> dict[str, AffineShape]:
        """Its maps, for steps of so many numbers."""

    @abstractmethod
    def initial_state(self, w: Parameters, batch: int, width: int) -> State:
        """The state before the first symbol."""

    @abstractmethod
    def mix(self, w: Parameters, state: State, x: Tensor, clock: int) -> tuple[State, Tensor]:
        """The state behind these steps, and what they get; x: [run, batch, step, width], `clock` steps came before."""


@dataclass(frozen=True)
class Attention(Mixer):
    """Causal attention (Vaswani et al. 2017); the state is what it looks back on.

    q, k, v = W x + b, by head
    weights of step j at step i: softmax over j <= i of q_i k_j / sqrt(width of a head)
    y = W_o v + b_o, v weighed so

    rotary:  q and k are rotated by angles proportional to their positions (Su et al. 2021)
    alibi:   the distance i - j is taken off, times 2^(-8 h / heads) for head h = 1, 2, ... (Press et al. 2022)
    """

    heads: int
    positions: Positions = "none"
    vectors = 2

    def shapes(self, width: int) -> dict[str, AffineShape]:
        return {"attend": linear(width, 3 * width), "join": linear(width, width)}

    def initial_state(self, w: Parameters, batch: int, width: int) -> State:
        nothing = w.full((batch, self.heads, 0, width // self.heads))
        return nothing, nothing

    def mix(self, w: Parameters, state: State, x: Tensor, clock: int) -> tuple[State, Tensor]:
        by_head = (*x.shape[:3], self.heads, -1)
        q, k, v = (of.view(by_head).transpose(2, 3) for of in on_steps(w["attend"], x).chunk(3, -1))
        at = torch.arange(clock, clock + x.shape[2], dtype=x.dtype, device=x.device)
        if self.positions == "rotary":
            q, k = rotate(q, at), rotate(k, at)
        keys, values = torch.cat([state[0], k], 3), torch.cat([state[1], v], 3)
        weights = torch.softmax(q @ keys.transpose(-1, -2) / q.shape[-1] ** 0.5 + self._bias(at), -1)
        return (keys, values), on_steps(w["join"], (weights @ values).transpose(2, 3).flatten(3))

    def _bias(self, at: Tensor) -> Tensor:
        """What is added to the scores of looking back from these steps: [head or 1, step, step looked back on]"""
        distance = at[:, None] - torch.arange(int(at[-1]) + 1, dtype=at.dtype, device=at.device)
        later = torch.zeros_like(distance).masked_fill(distance < 0, -torch.inf)
        if self.positions != "alibi":
            return later[None]
        heads = torch.arange(1, self.heads + 1, dtype=at.dtype, device=at.device)
        return later - 2.0 ** (-8 * heads[:, None, None] / self.heads) * distance


@dataclass(frozen=True)
class DiagonalRecurrence(Mixer):
    """A state-space layer whose matrix is diagonal and real, and depends on the symbol.

    l  = sigmoid(W_l x + b_l)                 eigenvalues in (0, 1)
    l  = 2 sigmoid(W_l x + b_l) - 1           in (-1, 1), if `negative` (Grazzi et al. 2025)
    h' = l h + W_u x + b_u
    y  = W_o h' + b_o
    """

    units: int
    negative: bool = False
    vectors = 1

    def shapes(self, width: int) -> dict[str, AffineShape]:
        remembering = AffineShape(width, self.units, linear_law(width), Constant(2.0))
        return {"keep": remembering, "drive": linear(width, self.units), "join": linear(self.units, width)}

    def initial_state(self, w: Parameters, batch: int, width: int) -> State:
        return (w.full((batch, self.units)),)

    def mix(self, w: Parameters, state: State, x: Tensor, clock: int) -> tuple[State, Tensor]:
        (h,), eigenvalues, driven = state, torch.sigmoid(on_steps(w["keep"], x)), on_steps(w["drive"], x)
        if self.negative:
            eigenvalues = 2 * eigenvalues - 1
        states = []
        for kept, new in zip(eigenvalues.unbind(2), driven.unbind(2), strict=True):
            h = kept * h + new
            states.append(h)
        return (h,), on_steps(w["join"], torch.stack(states, 2))


def on_steps(affine: Affine, x: Tensor) -> Tensor:
    """A map of every step: [run, batch, step, inputs] -> [run, batch, step, outputs]"""
    return affine(x.flatten(1, 2)).view(*x.shape[:3], -1)


def angles(at: Tensor, pairs: int) -> Tensor:
    """Of so many pairs of numbers at these positions, in wavelengths from 2 pi on to almost 10000 2 pi: [position, pair]"""
    rates = 10_000.0 ** (-torch.arange(pairs, dtype=at.dtype, device=at.device) / pairs)
    return at[:, None] * rates


def rotate(x: Tensor, at: Tensor) -> Tensor:
    """Each pair (x_i, x_(i + half)) rotated by the angle of its position: x is [..., position, width]"""
    first, second = x.chunk(2, -1)
    angle = angles(at, first.shape[-1])
    return torch.cat(
        [first * angle.cos() - second * angle.sin(), first * angle.sin() + second * angle.cos()], -1
    )


def sinusoids(at: Tensor, width: int) -> Tensor:
    """sin and cos of the angles of these positions (Vaswani et al. 2017): [position, width]"""
    angle = angles(at, width // 2)
    return torch.cat([angle.sin(), angle.cos()], -1)
