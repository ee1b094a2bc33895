"""From a cell to graphs: `Cell.initial_state`, `encode` and `step`, unmodified, each with its vector-Jacobian product.

What they see instead of a memory is in `frame`. What the step reads after the update is an input of the graph, too: the
program enters it twice, before the update and after it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, fx
from torch._decomp import core_aten_decompositions
from torch.func import functionalize, vjp
from torch.fx.experimental.proxy_tensor import make_fx

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.engine.codegen.decompositions import DECOMPOSITIONS
from marnn_bench.baselines.engine.codegen.frame import SYMBOL, Frame
from marnn_bench.baselines.engine.codegen.operations import is_printed

Tensors = Sequence[Tensor]


@dataclass(frozen=True)
class Function:
    """A traced function with its vector-Jacobian product; every tensor is named.

    inputs, outputs:  of the function
    cotangents:       of its outputs, which the product takes
    gradients:        cotangents of its inputs, which the product gives
    """

    graph: fx.Graph
    inputs: Mapping[str, fx.Node]
    cotangents: Mapping[str, fx.Node]
    outputs: Mapping[str, fx.Node]
    gradients: Mapping[str, fx.Node]


@dataclass(frozen=True)
class Trace:
    """A traced cell.

    begin:      the state before a string
    encode:     what a step is given of a symbol
    step:       that is learned from
    evaluated:  the step at evaluation, without its product
    shapes:     of all that is an input or an output of a step, for one run and one string; `reread` only if it is asked for
    states:     names of the tensors of its state, but for the memory's
    """

    begin: Function
    encode: Function
    step: Function
    evaluated: Function
    shapes: Mapping[str, tuple[int, ...]]
    states: tuple[str, ...]


def trace(cell: Cell) -> Trace:
    """The graphs of a cell. NotCompiledError if it is not a cell of the kind that can be traced."""
    frame = Frame(cell)
    parameters, states, given, constants = frame.parameters, frame.states, frame.given(), frame.constants
    begin = _function(frame.begin, parameters, {}) if states else Function(fx.Graph(), {}, {}, {}, {})
    encode, step = _function(frame.encode, parameters, SYMBOL), _function(frame.step, given, constants)
    evaluated = _without_product(partial(frame.step, training=False), {**given, **constants})
    named = {**step.inputs, **step.outputs}
    shapes = {name: tuple(node.meta["val"].shape) for name, node in named.items()}
    return Trace(begin, encode, step, evaluated, shapes, tuple(states))


def _function(
    function: Callable[[Mapping[str, Tensor]], dict[str, Tensor]],
    differentiated: Mapping[str, Tensor],
    constants: Mapping[str, Tensor],
) -> Function:
    """Trace a function of named tensors with its vector-Jacobian product."""
    names: list[str] = []

    def with_product(inputs: Tensors, others: Tensors, cotangents: Tensors) -> tuple[Tensors, Tensors]:
        def of_inputs(*inputs: Tensor) -> tuple[Tensor, ...]:
            given = {
                **dict(zip(differentiated, inputs, strict=True)),
                **dict(zip(constants, others, strict=True)),
            }
            outputs = function(given)
            names[:] = outputs
            return tuple(outputs.values())

        outputs, product = vjp(of_inputs, *inputs)[:2]
        return outputs, product(tuple(cotangents))

    given = [tensor.detach() for tensor in differentiated.values()], [*constants.values()]
    example = function({**dict(zip(differentiated, given[0], strict=True)), **constants})
    cotangents = [torch.zeros_like(tensor) for tensor in example.values()]
    graph = _graph(with_product, *given, cotangents)
    placeholders = graph.find_nodes(op="placeholder")
    outputs, gradients = _outputs(graph)[: len(names)], _outputs(graph)[len(names) :]
    taken = [*differentiated, *constants]
    return Function(
        graph,
        dict(zip(taken, placeholders, strict=False)),
        dict(zip(names, placeholders[len(taken) :], strict=True)),
        dict(zip(names, outputs, strict=True)),
        dict(zip(differentiated, gradients, strict=True)),
    )


def _without_product(
    function: Callable[[Mapping[str, Tensor]], dict[str, Tensor]], inputs: Mapping[str, Tensor]
) -> Function:
    """Trace a function of named tensors."""
    names: list[str] = []

    def of_inputs(given: Tensors) -> Tensors:
        outputs = function(dict(zip(inputs, given, strict=True)))
        names[:] = outputs
        return [*outputs.values()]

    graph = _graph(of_inputs, [tensor.detach() for tensor in inputs.values()])
    placeholders = graph.find_nodes(op="placeholder")
    outputs = dict(zip(names, _outputs(graph), strict=True))
    return Function(graph, dict(zip(inputs, placeholders, strict=True)), {}, outputs, {})


def _graph(function: Callable[..., Any], *given: Tensors) -> fx.Graph:
    """The operations of a function, those that are printed and such as torch does not take apart."""
    apart = {**core_aten_decompositions(), **DECOMPOSITIONS}
    simpler = {operation: f for operation, f in apart.items() if not is_printed(operation)}
    graph = make_fx(functionalize(function), simpler)(*given).graph
    graph.eliminate_dead_code()
    return graph


def _outputs(graph: fx.Graph) -> list[fx.Node]:
    (node,) = graph.find_nodes(op="output")
    found: list[fx.Node] = []
    fx.node.map_arg(node.args, found.append)
    return found
