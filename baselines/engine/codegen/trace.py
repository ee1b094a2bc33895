"""From a cell to graphs: `Cell.initial_state` and `Cell.step`, unmodified, each with its vector-Jacobian product.

The memory is not traced. A stand-in takes its place, whose `read` gives an input of the graph and whose `update` makes
the weights and what is written its outputs; C text updates the memory (`memories`).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, ClassVar, Final

import torch
from torch import Tensor, fx
from torch._decomp import core_aten_decompositions
from torch.func import functionalize, vjp
from torch.fx.experimental.proxy_tensor import make_fx

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.memories import Memory, Superposition
from marnn_bench.baselines.cells.parameters import Parameters, tensor_shapes
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.codegen.memories import compiled_memory
from marnn_bench.baselines.engine.codegen.operations import is_printed

Tensors = Sequence[Tensor]

NAMES: Final = ("x", "y", "read", "weights", "written", "temperature", "noise")
"""Of what a step takes and gives beside parameters; its state is state0, state1, ..."""


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
    step:       that is learned from
    evaluated:  the step at evaluation, without its product
    shapes:     of all that is an input or an output of a step, for one run and one string
    states:     names of the tensors of its state, but for the memory's
    """

    begin: Function
    step: Function
    evaluated: Function
    shapes: Mapping[str, tuple[int, ...]]
    states: tuple[str, ...]


def trace(cell: Cell) -> Trace:
    """The graphs of a cell. NotCompiledError if it is not a cell of the kind that can be traced."""
    _require_our_frame(cell)
    parameters = {name: _example(1, *shape.shape) for name, shape in tensor_shapes(cell.shapes).items()}
    memory = compiled_memory(cell)
    content = torch.empty(0)
    stand_in = _StandIn(memory, content, content) if memory else None
    begun = _with_memory(cell, stand_in).initial_state(Parameters(parameters), 1, _Unknown("steps"))  # type: ignore[arg-type]
    carried = [place for place, tensor in enumerate(begun) if tensor is not content]
    states = {f"state{number}": begun[place] for number, place in enumerate(carried)}

    def begin(given: Mapping[str, Tensor]) -> dict[str, Tensor]:
        w = Parameters(given)
        state = _with_memory(cell, stand_in).initial_state(w, 1, _Unknown("steps"))  # type: ignore[arg-type]
        return dict(zip(states, (state[place] for place in carried), strict=True))

    def step(given: Mapping[str, Tensor], training: bool = True) -> dict[str, Tensor]:
        stand_in = _StandIn(memory, content, given["read"]) if memory else None
        state = [content] * len(begun)
        for place, name in zip(carried, states, strict=True):
            state[place] = given[name]
        w = Parameters({name: given[name] for name in parameters})
        noise = given["noise"] if cell.noise else None
        inputs = StepInputs(given["temperature"], noise, _Unknown("clock"), training)  # type: ignore[arg-type]
        after, features = _with_memory(cell, stand_in).step(w, tuple(state), given["x"], inputs)
        _require_same_state(cell, state, after, content)
        outputs = dict(zip(states, (after[place] for place in carried), strict=True))
        outputs["y"] = cell.decode(w, features)
        return outputs | (stand_in.recorded(cell) if stand_in else {})

    x = cell.encode(Parameters(parameters), torch.zeros(1, 1, dtype=torch.int64))
    traced = {**parameters, **states, "x": x} | ({"read": _example(1, 1, memory.read_size)} if memory else {})
    constants = {"temperature": torch.tensor(1.0, dtype=torch.float64)} | (
        {"noise": _example(1, 1, cell.noise)} if cell.noise else {}
    )
    began = _function(begin, parameters, {}) if states else Function(fx.Graph(), {}, {}, {}, {})
    stepped = _function(step, traced, constants)
    evaluated = _without_product(partial(step, training=False), {**traced, **constants})
    named = {**stepped.inputs, **stepped.outputs}
    shapes = {name: tuple(node.meta["val"].shape) for name, node in named.items()}
    return Trace(began, stepped, evaluated, shapes, tuple(states))


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
    simpler = {
        operation: f for operation, f in dict(core_aten_decompositions()).items() if not is_printed(operation)
    }
    graph = make_fx(functionalize(function), simpler)(*given).graph
    graph.eliminate_dead_code()
    return graph


def _outputs(graph: fx.Graph) -> list[fx.Node]:
    (node,) = graph.find_nodes(op="output")
    found: list[fx.Node] = []
    fx.node.map_arg(node.args, found.append)
    return found


class _StandIn:
    """What the step sees instead of its memory; all that is not content is asked of the memory itself."""

    def __init__(self, memory: Superposition, content: Tensor, read: Tensor) -> None:
        self._memory, self._content, self._read = memory, content, read
        self._updates: list[tuple[Tensor, Tensor]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._memory, name)

    def initial(self, w: Parameters, batch: int, steps: int | None = None) -> Tensor:
        return self._content

    def read(self, memory: Tensor) -> Tensor:
        if self._updates:
            raise NotCompiledError("The step of this model reads its memory after it was updated.")
        return self._read

    def update(self, memory: Tensor, weights: Tensor, written: Tensor) -> Tensor:
        self._updates.append((weights, written))
        return self._content

    def recorded(self, cell: Cell) -> dict[str, Tensor]:
        """The weights and what is written."""
        if len(self._updates) != 1:
            raise NotCompiledError(
                f"{_name(cell)} updates its memory {len(self._updates)} times a step, not once."
            )
        ((weights, written),) = self._updates
        return {"weights": weights, "written": written}


class _Unknown:
    """A number that differs from step to step, or from string to string: the graph must not depend on it."""

    operations: ClassVar = (
        *("eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float", "index", "hash", "neg", "abs"),
        *("add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv"),
        *("mod", "rmod", "pow", "rpow", "divmod", "and", "or", "rshift", "lshift"),
    )

    def __init__(self, name: str) -> None:
        self.name = name

    def _refuse(self, *others: object) -> Any:
        raise NotCompiledError(
            f"The step of this model depends on `{self.name}`, which a compiled step does not know."
        )


for _operation in _Unknown.operations:
    setattr(_Unknown, f"__{_operation}__", _Unknown._refuse)


def _with_memory(cell: Cell, stand_in: _StandIn | None) -> Cell:
    return replace(cell, memory=stand_in) if stand_in else cell  # type: ignore[call-arg]


def _require_our_frame(cell: Cell) -> None:
    """The program looks symbols up in the map `input` itself, and goes from step to step itself."""
    for name in ("encode", "scores"):
        if getattr(type(cell), name) is not getattr(Cell, name):
            raise NotCompiledError(f"{_name(cell)} has a `{name}` of its own, which is not compiled.")
    for name in tensor_shapes(cell.shapes):
        if name in NAMES or re.fullmatch(r"state\d+", name):
            raise NotCompiledError(
                f"{_name(cell)} has a tensor called {name}, as the compiled step does: call it otherwise."
            )
    memories = [field.name for field in fields(cell) if isinstance(getattr(cell, field.name), Memory)]
    if memories not in ([], ["memory"]):
        raise NotCompiledError(
            f"{_name(cell)} has the memories {', '.join(memories)}; one, called memory, is compiled."
        )


def _require_same_state(cell: Cell, before: Tensors, after: Tensors, content: Tensor) -> None:
    kinds = [[None if tensor is content else tensor.shape for tensor in state] for state in (before, after)]
    if kinds[0] != kinds[1]:
        raise NotCompiledError(f"{_name(cell)} has a state whose shapes change from step to step.")


def _example(*shape: int) -> Tensor:
    """Numbers to trace with: which, does not matter."""
    return torch.full(shape, 0.5, dtype=torch.float64)


def _name(cell: Cell) -> str:
    return type(cell).__name__
