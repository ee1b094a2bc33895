"""The learning rules: back-propagation through time, whole or truncated, RTRL and UORO.

All are given the same chain of steps, s_t, l_t = f_t(w, s_(t-1)), and give the loss of each run and its gradient, or an
estimate of it. With J_t = ds_t/dw the gradient is

    dL/dw = sum_t (dl_t/ds_(t-1) J_(t-1) + dl_t/dw)        J_t = ds_t/ds_(t-1) J_(t-1) + df_t/dw

BPTT finds it backwards; RTRL computes it forwards as it stands (Williams & Zipser 1989); UORO does so with a J_t of rank one,
whose mean over random signs is J_t (Tallec & Ollivier 2017). Mali et al. 2019 compare them (Table 6).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import torch
from torch import Tensor
from torch.func import jvp, vjp, vmap

from marnn_bench.baselines.recipes import Recipe
from marnn_bench.baselines.rules.unrolled import Unrolled

Signs = Callable[[int, int], Tensor]
"""From t and n to what is drawn for s_t: [run, n], each 1 or -1."""

TINY: Final = 1e-7
"""What keeps UORO's two factors apart from 0."""


class LearningRule(ABC):
    """A way to the gradient. What it finds of one run depends on no other."""

    @abstractmethod
    def gradient(self, chain: Unrolled) -> tuple[Tensor, Tensor]:
        """The loss of each run, [run], and the gradient of each, [run, parameter]."""


@dataclass(frozen=True)
class BPTT(LearningRule):
    """Back-propagation through time.

    steps:  errors go back within consecutive stretches of so many steps only; None: through all
    """

    steps: int | None = None

    def gradient(self, chain: Unrolled) -> tuple[Tensor, Tensor]:
        w = chain.parameters.clone().requires_grad_()
        s, losses, stretch = chain.start(w), torch.zeros(len(w)).to(w), torch.zeros(len(w)).to(w)
        for t in range(1, chain.steps + 1):
            s, loss = chain.step(t, w, s)
            stretch = stretch + loss
            if t == chain.steps or (self.steps and t % self.steps == 0):
                stretch.sum().backward()  # type: ignore[no-untyped-call]
                losses, stretch, s = losses + stretch.detach(), torch.zeros_like(losses), s.detach()
        if w.grad is None:
            raise TypeError("a string without steps has no gradient")
        return losses, w.grad


@dataclass(frozen=True)
class RTRL(LearningRule):
    """Real-time recurrent learning: J_t whole, [parameter, run, number of the state], a jvp for each parameter."""

    def gradient(self, chain: Unrolled) -> tuple[Tensor, Tensor]:
        w = chain.parameters
        s, jacobian = chain.start(w), _along_each(chain.start, w)
        losses, gradient = torch.zeros(len(w)).to(w), torch.zeros_like(w)
        for t in range(1, chain.steps + 1):
            f = partial(chain.step, t)
            jacobian, of_loss = _along_each(f, w, (s, jacobian))
            s, loss = f(w, s)
            losses, gradient = losses + loss, gradient + of_loss.T
        return losses, gradient


def _along_each(f: Callable[..., Any], w: Tensor, *of_states: tuple[Tensor, Tensor]) -> Any:
    """The derivatives of f(w, state, ...) along each parameter, of which each state has its own already."""

    def along(direction: Tensor, *tangents: Tensor) -> Any:
        return jvp(f, (w, *states), (direction.expand_as(w), *tangents))[1]

    states, jacobians = [s for s, _ in of_states], [jacobian for _, jacobian in of_states]
    return vmap(along)(torch.eye(w.shape[1]).to(w), *jacobians)


@dataclass(frozen=True)
class UORO(LearningRule):
    """Unbiased online recurrent optimisation: J_t as the product of a state and a parameter vector, in each run.

    With A = ds_t/ds_(t-1), B = df_t/dw and v the signs, J_t = u_t x z_t:

        u_t = r_0 A u_(t-1) + r_1 v            r_0 = sqrt(|z_(t-1)| / |A u_(t-1)|) + TINY
        z_t = z_(t-1) / r_0 + v B / r_1        r_1 = sqrt(|v B| / |v|) + TINY

    The factors r keep the variance small, whatever they are the mean is right (equations 13 to 15 of Mali et al.).
    """

    signs: Signs

    def gradient(self, chain: Unrolled) -> tuple[Tensor, Tensor]:
        w = chain.parameters
        s, u, z = chain.start(w), *self._started(chain)
        losses, gradient = torch.zeros(len(w)).to(w), torch.zeros_like(w)
        for t in range(1, chain.steps + 1):
            f = partial(chain.step, t)
            ahead, of_loss = jvp(f, (w, s), (torch.zeros_like(w), u))[1]
            (s, loss), back = vjp(f, w, s)[:2]
            direct, _ = back((torch.zeros_like(s), torch.ones_like(loss)))
            losses, gradient = losses + loss, gradient + of_loss[:, None] * z + direct
            if t < chain.steps:
                v = self.signs(t, s.shape[1])
                noise, _ = back((v, torch.zeros_like(loss)))
                u, z = _rank_one(ahead, z, v, noise)
        return losses, gradient

    def _started(self, chain: Unrolled) -> tuple[Tensor, Tensor]:
        """u_0 and z_0, of a state that is learned, too."""
        s, back = vjp(chain.start, chain.parameters)[:2]
        v = self.signs(0, s.shape[1])
        (noise,) = back(v)
        return _rank_one(torch.zeros_like(s), torch.zeros_like(noise), v, noise)


def _rank_one(ahead: Tensor, z: Tensor, v: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
    """u_t and z_t of A u_(t-1), z_(t-1), v and v B."""
    r_0, r_1 = _factor(z, ahead), _factor(noise, v)
    return r_0 * ahead + r_1 * v, z / r_0 + noise / r_1


def _factor(above: Tensor, below: Tensor) -> Tensor:
    """The root of the ratio of lengths, 1 where there is none: [run, 1]"""
    lengths = above.norm(dim=1, keepdim=True), below.norm(dim=1, keepdim=True)
    ratio = torch.where(lengths[1] > 0, lengths[0] / lengths[1].clamp(min=torch.finfo(above.dtype).tiny), 1.0)
    return ratio.sqrt() + TINY


def make_rule(recipe: Recipe, signs: Signs) -> LearningRule | None:
    """The rule of a recipe; None for back-propagation through whole strings, which needs no chain of steps."""
    match recipe.rule:
        case "rtrl":
            return RTRL()
        case "uoro":
            return UORO(signs)
        case _:
            return BPTT(recipe.steps_back) if recipe.steps_back else None
