"""What is known of a network's weights, as the law by which they begin: an array with no number where nothing is known."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.automata.higher_order import Product, ThirdOrder
from marnn_bench.baselines.automata.stack_cells import StackCell
from marnn_bench.baselines.cells.initial import InitialLaw, Uniforms
from marnn_bench.baselines.cells.parameters import tensor_shapes

UNKNOWN: Final = np.nan

Arrays = dict[str, NDArray[np.float64]]
"""Weights by the name of their tensor, without the axis of runs."""


@dataclass(frozen=True, eq=False)
class Known:
    """These numbers, and where there is none what the law draws.

    >>> from marnn_bench.baselines.cells.initial import Constant
    >>> Known(np.array([1.0, UNKNOWN]), Constant(5.0)).draw((2,), lambda count: np.zeros(count)).tolist()
    [1.0, 5.0]
    """

    values: NDArray[np.float64]
    law: InitialLaw

    def draw(self, shape: tuple[int, ...], uniforms: Uniforms) -> NDArray[np.float64]:
        drawn = self.law.draw(shape, uniforms)
        values = self.values.reshape(shape)
        return np.where(np.isnan(values), drawn, values)


def with_knowledge(cell: StackCell, arrays: Arrays) -> StackCell:
    """The cell whose weights begin with these numbers; the laws of all others, and what they draw, stay."""
    laws = {name: tensor.law for name, tensor in tensor_shapes(cell.shapes).items()}
    known = tuple((name, Known(values, laws[name])) for name, values in arrays.items())
    return replace(cell, knowledge=(*cell.knowledge, *known))


def nothing_known(product: Product) -> Arrays:
    """The maps of a product as arrays that know nothing.

    Third order: weights.weight [input, top, from, to], of which the last `to` is the action. Second order: state.weight [input,
    from, to], state_top [top, from, to], action.weight [input, neuron], action_top [top, neuron].
    """
    inputs, tops, n = product.inputs, product.tops, product.hidden
    if isinstance(product, ThirdOrder):
        return {"weights.weight": np.full((inputs, tops, n, n + 1), UNKNOWN)}
    of_symbol = {"state.weight": (inputs, n, n), "action.weight": (inputs, n)}
    of_top = {"state_top": (tops, n, n), "action_top": (tops, n)}
    return {name: np.full(shape, UNKNOWN) for name, shape in {**of_symbol, **of_top}.items()}
