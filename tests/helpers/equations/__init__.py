"""The models once more, as their papers write them: torch's layers, one run, one string at a time.

A module beside this one, one per paper, may have a dict EQUATIONS from the name of a baseline to its equations; what the others
have are functions of a cell's parameters (`helpers.agreement`).
"""

from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
import torch
from torch import Tensor, nn

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import Parameters


class Equations(nn.Module, ABC):
    """A model of torch's layers: `controller` is one of torch's cells (RNNCell, LSTMCell), all else is nn.Linear.

    Those are called like the cell's maps; the controller's two are `input` and `hidden`.
    """

    controller: nn.RNNCellBase

    def __init__(self, cell: Cell) -> None:
        super().__init__()
        self.symbols = cell.symbols

    @abstractmethod
    def outputs(self, inputs: Tensor, temperature: float, noise: Tensor) -> Tensor:
        """The outputs after each symbol.

        inputs: [steps, symbols] one-hot;  noise: [steps, actions] standard Gumbel  ->  [steps, columns]
        """

    def forward(self, ids: Tensor, temperature: float = 1.0, noise: Tensor | None = None) -> Tensor:
        """The outputs after each symbol of a string: [steps] -> [steps, columns]."""
        inputs = nn.functional.one_hot(ids, self.symbols).double()
        return self.outputs(inputs, temperature, inputs.new_zeros(len(ids), 0) if noise is None else noise)

    def named(self) -> dict[str, Tensor]:
        """Every parameter under the name that our cell gives it, in torch's layout: weights are [outputs, inputs]."""
        ours = {"controller.weight_ih": "input.weight", "controller.bias_ih": "input.bias"}
        ours |= {"controller.weight_hh": "hidden.weight", "controller.bias_hh": "hidden.bias"}
        return {ours.get(name, name): parameter for name, parameter in self.named_parameters()}

    def load(self, w: Parameters, run: int) -> "Equations":
        """The same with the parameters of one run of the cell."""
        with torch.no_grad():
            for name, parameter in self.named().items():
                parameter.copy_(in_torch_layout(name, w.tensors[name][run]))
        return self


def in_torch_layout(name: str, ours: Tensor) -> Tensor:
    """A weight, [inputs, outputs], and a bias, [1, outputs], of ours as torch has it."""
    return ours[0] if name.endswith(".bias") else ours.T


def equations(baseline: str, cell: Cell) -> Equations:
    """The equations of a baseline, of the sizes of `cell`, freshly initialised by torch."""
    papers = [
        import_module(f"{__name__}.{module.name}") for module in iter_modules([str(Path(__file__).parent)])
    ]
    known = {name: of for paper in papers for name, of in getattr(paper, "EQUATIONS", {}).items()}
    if baseline not in known:
        pytest.fail(
            f"{baseline} has no equations: add them in tests/helpers/equations/<paper>.py (EQUATIONS)."
        )
    made: Equations = known[baseline](cell)
    return made.double()
