"""The models once more, as their papers write them: torch's layers, one run, one string at a time.

Every module beside this one, one per paper, has a dict EQUATIONS from the name of a baseline to its equations.
"""

from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import Parameters

Layers = dict[str, tuple[Tensor, Tensor]]
"""Weight [outputs, inputs] and bias of each affine map, under the names that the cell gives them."""


class Equations(nn.Module, ABC):
    """A model whose `controller` is one of torch's cells (RNNCell, GRUCell, LSTMCell), all else nn.Linear layers.

    Those are called like the cell's maps; the controller's two are `input` and `hidden`.
    """

    controller: Any

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        self.symbols = cell.symbols
        self.output = nn.Linear(cell.controller.hidden, cell.columns)

    @abstractmethod
    def hidden_units(self, inputs: Tensor) -> Tensor:
        """The hidden units after each step of a string: [steps, symbols] one-hot -> [steps, hidden]."""

    def forward(self, ids: Tensor) -> Tensor:
        """The outputs after each symbol of a string: [steps] -> [steps, columns]."""
        inputs = nn.functional.one_hot(ids, self.symbols).double()
        return torch.sigmoid(self.output(self.hidden_units(inputs)))

    def layers(self) -> Layers:
        """Every affine map."""
        cell = self.controller
        others = {name: layer for name, layer in self.named_children() if layer is not cell}
        return {
            "input": (cell.weight_ih, cell.bias_ih),
            "hidden": (cell.weight_hh, cell.bias_hh),
            **{name: (layer.weight, layer.bias) for name, layer in others.items()},
        }

    def load(self, w: Parameters, run: int) -> "Equations":
        """The same with the parameters of one run of the cell."""
        with torch.no_grad():
            for name, (weight, bias) in self.layers().items():
                weight.copy_(w[name].weight[run].T)
                bias.copy_(w[name].bias[run, 0])
        return self


def equations(baseline: str, cell: Cell) -> Equations:
    """The equations of a baseline, of the sizes of `cell`, freshly initialised by torch."""
    papers = [module.name for module in iter_modules([str(Path(__file__).parent)])]
    known = {
        name: of for paper in papers for name, of in import_module(f"{__name__}.{paper}").EQUATIONS.items()
    }
    if baseline not in known:
        pytest.fail(
            f"{baseline} has no equations: add them in tests/helpers/equations/<paper>.py (EQUATIONS)."
        )
    made: Equations = known[baseline](cell)
    return made.double()
