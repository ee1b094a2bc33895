"""From graphs to C: the functions of SIGNATURES, for a cell.

The graph of a function with its vector-Jacobian product is printed in two parts. What the function's outputs need is its
way forward, the rest is its way back. Numbers that both need are kept in the record of the step.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any, Final

import torch
from torch import Tensor, fx

from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.codegen.operations import (
    Value,
    copy,
    is_view,
    print_operation,
    shape_of,
    takes_memory,
)
from marnn_bench.baselines.engine.codegen.trace import Function, Trace
from marnn_bench.baselines.engine.codegen.views import View

SIGNATURES: Mapping[str, str] = {
    "begin_forward": "const REAL *restrict p, REAL *restrict here",
    "begin_backward": "const REAL *restrict p, REAL *restrict g, const REAL *restrict c",
    "step_forward": "const REAL *restrict p, REAL *restrict here, REAL *restrict next, const REAL temperature",
    "step_evaluated": "const REAL *restrict p, REAL *restrict here, REAL *restrict next, const REAL temperature",
    "step_backward": (
        "const REAL *restrict p, REAL *restrict g, const REAL *restrict here, const REAL *restrict c, "
        "REAL *restrict d, const REAL temperature"
    ),
}
"""p: parameters, g: their gradient, here, next: records, c, d: cotangents of a step's outputs and of its inputs."""


class Layout:
    """Where in a buffer the tensors lie, one behind the other."""

    def __init__(self, buffer: str) -> None:
        self._place, self.size = buffer, 0
        self.views: dict[str, View] = {}

    def add(self, name: str, shape: Sequence[int], assign: str = "=") -> View:
        """The next one."""
        self.views[name] = View(self._place, tuple(shape), View.whole("", shape).strides, self.size, assign)
        self.size += prod(shape)
        return self.views[name]

    def offset(self, name: str) -> int:
        """Where one begins; -1 if it is not there."""
        return self.views[name].offset if name in self.views else -1


class Printer:
    """Prints a trace.

    parameters:  shapes by name, [run, ...], in the order in which they lie in memory
    lanes:       runs side by side
    """

    def __init__(self, trace: Trace, parameters: Mapping[str, Sequence[int]], lanes: int) -> None:
        self._trace, self._lanes = trace, lanes
        self.parameters, self.gradients = Layout("AT(p, {})"), Layout("AT(g, {})")
        for name, shape in parameters.items():
            self.parameters.add(name, shape)
            self.gradients.add(name, shape, "+=")
        self.record, self.cotangents, self.inputs = (
            Layout("AT(here, {})"),
            Layout("LOCAL(c, {})"),
            Layout("LOCAL(d, {})"),
        )
        states = {name: trace.shapes[name] for name in trace.states}
        shapes = {name: shape for name, shape in trace.shapes.items() if name not in parameters}
        for name in [*states, *(name for name in shapes if name not in states and name != "temperature")]:
            self.record.add(name, shapes[name])
        for name in [*states, *(name for name in ("y", "weights", "written") if name in shapes)]:
            self.cotangents.add(name, shapes[name])
        for name in [*states, *(name for name in ("read", "x") if name in shapes)]:
            self.inputs.add(name, shapes[name])

    def functions(self) -> str:
        """All functions."""
        return "\n".join([*self._begin(), *self._step()])

    def _begin(self) -> list[str]:
        """The state before the first step, which is computed again on the way back."""
        function = self._trace.begin
        forward, back = self._text(), self._text(self._sole_gradients(function, function.graph.nodes))
        for text, goals in ((forward, function.outputs.values()), (back, function.gradients.values())):
            text.show(function.inputs, self.parameters.views)
            text.show(function.cotangents, self.cotangents.views)
            text.compute(_needed(function.graph, goals))
        forward.put(function.outputs, self.record.views)
        back.put(function.gradients, self.gradients.views)
        return [forward.function("begin_forward"), back.function("begin_backward")]

    def _step(self) -> list[str]:
        function = self._trace.step
        way_forward = _needed(function.graph, function.outputs.values())
        way_back = [
            node
            for node in _needed(function.graph, function.gradients.values())
            if node not in {*way_forward}
        ]
        kept = {
            node: self.record.add(node.name, shape_of(node))
            for node in way_forward
            if takes_memory(node) and _used(node, {*way_back})
        }
        forward = self._text(kept)
        forward.show(
            function.inputs, {**self.parameters.views, **self.record.views, "temperature": TEMPERATURE}
        )
        forward.compute(way_forward)
        next_record = {
            name: View.whole("AT(next, {})", view.shape, view.offset)
            for name, view in self.record.views.items()
            if name in self._trace.states
        }
        forward.put(function.outputs, {**self.record.views, **next_record})
        function, evaluated = self._trace.evaluated, self._text()
        evaluated.show(
            function.inputs, {**self.parameters.views, **self.record.views, "temperature": TEMPERATURE}
        )
        evaluated.compute(_needed(function.graph, function.outputs.values()))
        evaluated.put(function.outputs, {**self.record.views, **next_record})
        function = self._trace.step
        back = self._text(self._sole_gradients(function, way_back))
        back.values = {**forward.values}
        back.show(function.cotangents, self.cotangents.views)
        back.compute(way_back)
        back.put(function.gradients, {**self.gradients.views, **self.inputs.views})
        return [
            forward.function("step_forward"),
            evaluated.function("step_evaluated"),
            back.function("step_backward"),
        ]

    def _text(self, places: Mapping[fx.Node, View] | None = None) -> "_Text":
        return _Text(self._lanes, places or {})

    def _sole_gradients(self, function: Function, nodes: Iterable[fx.Node]) -> dict[fx.Node, View]:
        """What is a gradient of a parameter and nothing else: it is added where it belongs as it is computed."""
        outputs, ours = [*function.gradients.values()], {*nodes}
        return {
            node: self.gradients.views[name]
            for name, node in function.gradients.items()
            if name in self.gradients.views and node in ours
            and outputs.count(node) == 1 == len(node.users) and not is_view(node)
        }  # fmt: skip


STACK: Final = 2**17
"""Numbers that a function may have of its own: a megabyte."""

TEMPERATURE: Final = View("temperature", (), ())


class _Text:
    """A function as it is printed; what operations are printed to."""

    def __init__(self, lanes: int, places: Mapping[fx.Node, View]) -> None:
        self._lanes, self._places = lanes, places
        self._locals: list[str] = []
        self._lines: list[str] = []
        self._size = 0
        self.values: dict[fx.Node, Value] = {}

    @property
    def columns(self) -> bool:
        return self._lanes == 1

    def show(self, nodes: Mapping[str, fx.Node], views: Mapping[str, View]) -> None:
        """These nodes are the tensors of these views."""
        self.values |= {node: views[name] for name, node in nodes.items()}

    def compute(self, nodes: Iterable[fx.Node]) -> None:
        """Print these nodes, in order."""
        for node in nodes:
            if node.op == "get_attr":
                self.values[node] = _constant(node)
            if node.op == "call_function":
                _require_doubles(node)
                arguments = fx.node.map_arg(node.args, self._value)
                self.values[node] = print_operation(self, node, arguments)

    def _value(self, node: fx.Node) -> Any:
        return self.values[node]

    def put(self, nodes: Mapping[str, fx.Node], views: Mapping[str, View]) -> None:
        """Put the tensors that nodes are to their places, but those that are there."""
        for name, node in nodes.items():
            value = self.values[node]
            assert isinstance(value, View)
            if value != views[name]:
                copy(self, views[name], value)

    def new(self, node: fx.Node) -> View:
        if node in self._places:
            return self._places[node]
        name, shape = f"v_{node.name}", shape_of(node)
        self._locals.append(f"    REAL {name}[{prod(shape)} * W];")
        self._size += prod(shape)
        return View.whole(f"LOCAL({name}, {{}})", shape)

    def loop(self, shape: Sequence[int], statement: Callable[..., str], independent: bool = True) -> None:
        index: list[Any] = [f"i{axis}" if n > 1 else 0 for axis, n in enumerate(shape)]
        heads = [f"for (int {i} = 0; {i} < {n}; ++{i})" for i, n in zip(index, shape, strict=True) if n > 1]
        if heads and independent and self.columns:
            heads[-1] = f"EACH_COLUMN {heads[-1]}"
        self.line(" ".join([*heads, "LANES", statement(*index)]))

    def line(self, text: str) -> None:
        self._lines.append(f"    {text}")

    def function(self, name: str) -> str:
        """All of it. NotCompiledError if its own numbers do not fit on the stack of a thread."""
        if self._size * self._lanes > STACK:
            raise NotCompiledError("The step of this model computes too many numbers to be compiled.")
        return "\n".join([f"static void {name}({SIGNATURES[name]}) {{", *self._locals, *self._lines, "}\n"])


def _constant(node: fx.Node) -> View:
    """A tensor that the step brings with it, if it is one number."""
    tensor = getattr(node.graph.owning_module, str(node.target))
    if tensor.numel() != 1:
        raise NotCompiledError(
            "A step that brings a tensor of its own, other than a number, is not compiled."
        )
    return View.number(tensor.item(), tensor.shape)


def _needed(graph: fx.Graph, goals: Iterable[fx.Node]) -> list[fx.Node]:
    """What must be computed for some nodes, these included, in order."""
    needed, open_ = set[fx.Node](), [*goals]
    while open_:
        node = open_.pop()
        if node not in needed:
            needed.add(node)
            open_.extend(node.all_input_nodes)
    return [node for node in graph.nodes if node in needed]


def _used(node: fx.Node, by: set[fx.Node]) -> bool:
    """Whether one of these computes with the numbers of a node, perhaps through views of them."""
    return any(_used(user, by) if is_view(user) else user in by for user in node.users)


ARITHMETIC: Final = ("add", "sub", "rsub", "mul", "neg")
"""What is something else for truth values and whole numbers than for numbers."""


def _require_doubles(node: fx.Node) -> None:
    """All numbers are of one type; truth values and places are only compared and chosen by."""
    value = node.meta.get("val")
    if isinstance(value, Tensor) and value.dtype != torch.float64:
        operation = str(node.target).removeprefix("aten.").partition(".")[0]
        if (
            is_view(node) or operation == "lift_fresh_copy"
        ):  # of a number in the cell's own code, which is taken as it is
            return
        if value.dtype.is_floating_point or value.dtype.is_complex or operation in ARITHMETIC:
            raise NotCompiledError(
                f"The operation {operation} in {value.dtype} is not compiled; in float64 it is."
            )
