"""Operations that we take apart ourselves, since torch does not, or not into those that are printed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch
from torch import Tensor


def _arange(start: int, end: int, step: int = 1, **kind: Any) -> Any:
    """One number, if it is one."""
    return torch.full((1,), start, **kind) if start < end <= start + step else NotImplemented


def _to_copy(x: Tensor, dtype: torch.dtype | None = None, **kind: Any) -> Any:
    """Truth values as numbers."""
    if x.dtype != torch.bool or dtype != torch.float64:
        return NotImplemented
    zero = torch.zeros(x.shape, dtype=dtype)
    return torch.where(x, zero + 1, zero)


def _layer_norm(
    x: Tensor, shape: Sequence[int], weight: Tensor | None, bias: Tensor | None, epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """The normalised, and what its gradient asks for: the mean, and 1 over the deviation."""
    axes = [*range(-len(shape), 0)]
    mean = x.mean(axes, keepdim=True)
    scale = 1 / ((x - mean).square().mean(axes, keepdim=True) + epsilon).sqrt()
    normalised = (x - mean) * scale * (1 if weight is None else weight)
    return normalised if bias is None else normalised + bias, mean, scale


DECOMPOSITIONS: Final[Mapping[Any, Callable[..., Any]]] = {
    torch.ops.aten.arange.start_step: _arange,
    torch.ops.aten._to_copy.default: _to_copy,
    torch.ops.aten.native_layer_norm.default: _layer_norm,
}
"""By operation: functions of the same arguments; NotImplemented if they do not do what is asked."""
