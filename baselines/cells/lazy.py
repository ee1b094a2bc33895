"""torch, imported when something is computed with it: baselines can be listed without.

from marnn_bench.baselines.cells.lazy import Tensor, torch
"""

from typing import TYPE_CHECKING, Any

__all__ = ["Tensor", "torch"]

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    from importlib import import_module

    Tensor = Any  # for annotations

    class _Torch:
        def __getattr__(self, name: str) -> object:
            found = getattr(import_module("torch"), name)
            setattr(self, name, found)  # looked up once: a step of a small model takes microseconds
            return found

    torch = _Torch()
