"""Whole numbers forward, the sigmoid's derivative backward (straight-through: Bengio, Leonard & Courville 2013).

An infinite preactivation makes what comes out no number, so that a run whose products overflow has no finite loss, and ends
there; a sigmoid alone would hide it.
"""

from marnn_bench.baselines.cells.lazy import Tensor, torch


def sigmoid(z: Tensor) -> Tensor:
    """1 / (1 + exp(-z)); no number where z is infinite.

    >>> import torch
    >>> sigmoid(torch.tensor([0.0, float("inf")])).tolist()
    [0.5, nan]
    """
    return torch.sigmoid(z) + 0 * z


def quantised(z: Tensor) -> Tensor:
    """1 where z >= 0, else 0; backward as `sigmoid`.

    >>> import torch
    >>> quantised(torch.tensor([-0.1, 0.0, 7.0])).tolist()
    [0.0, 1.0, 1.0]
    """
    return _through((z >= 0).to(z.dtype), sigmoid(z))


def ternary(z: Tensor, slope: float = 4.0) -> Tensor:
    """Push where z > 1/2, pop where z < -1/2, else nothing: [..., 1] -> [..., (push, pop, no-op)], one of them 1.

    Backward the first two are sigmoids of `slope` times the distance to their threshold.

    >>> import torch
    >>> ternary(torch.tensor([[0.6], [-0.6], [0.5]])).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    beyond = torch.cat([z, -z], -1) - 1 / 2
    chosen = _through((beyond > 0).to(z.dtype), sigmoid(slope * beyond))
    return torch.cat([chosen, 1 - chosen.sum(-1, keepdim=True)], -1)


def _through(forward: Tensor, backward: Tensor) -> Tensor:
    """The one with the other's derivative, exactly: what is added is 0, or no number where `backward` is none."""
    return forward.detach() + (backward - backward.detach())
