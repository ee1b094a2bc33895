"""From graphs to C: the functions of SIGNATURES, for a cell.

The graph of a function with its vector-Jacobian product is printed in two parts. What the function's outputs need is its
way forward, the rest is its way back. Numbers that both need are kept in the record of the step.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain
from math import prod
from typing import Any, Final

import torch
from torch import Tensor, fx

from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.codegen.operations import is_view, print_operation, takes_memory
from marnn_bench.baselines.engine.codegen.output import Value, copy, shape_of
from marnn_bench.baselines.engine.codegen.trace import Function, Trace
from marnn_bench.baselines.engine.codegen.views import View

FORWARD: Final = "const REAL *restrict p, REAL *restrict here, REAL *restrict next, const REAL temperature, const int strings"
BACKWARD: Final = (
    "const REAL *restrict p, REAL *restrict g, const REAL *restrict here, const REAL *restrict c, "
    "REAL *restrict d, const REAL temperature, const int strings"
)
TURNED: Final = BACKWARD.replace("REAL *restrict g", "const REAL *restrict q, REAL *restrict g")
SIGNATURES: Mapping[str, str] = {
    "begin_forward": "const REAL *restrict p, REAL *restrict here, const int strings",
    "begin_backward": "const REAL *restrict p, REAL *restrict g, const REAL *restrict c, const int strings",
    "encode": "const REAL *restrict p, REAL *restrict here, const int *restrict id, const int strings",
    "encode_each": "const REAL *restrict p, REAL *restrict here, const int *restrict id",
    "encode_backward": (
        "const REAL *restrict p, REAL *restrict g, const REAL *restrict d, const int *restrict id, const int strings"
    ),
    "step_forward": FORWARD,
    "step_forward_reread": FORWARD,
    "step_evaluated": FORWARD,
    "step_evaluated_reread": FORWARD,
    "step_backward": BACKWARD,
    "step_backward_reread": BACKWARD,
    "turn": "const REAL *restrict p, REAL *restrict q",
    "step_backward_turned": TURNED,
    "step_backward_reread_turned": TURNED,
}
"""p: parameters, q: the same with each matrix transposed, g: their gradient, here, next: records, c, d: cotangents of a
step's outputs and of its inputs. If one run is computed at a time, several strings of it are: their records and cotangents
lie one behind another.

If the memory is read after its update, too, `_reread` goes on where this is known, and on the way back begins with its
cotangent.
"""


class Layout:
    """Where in a buffer the tensors lie, one behind the other.

    aligned:  whether each begins at a multiple of 8 numbers, as vectors along columns like it
    apart:    how far those of one string are from those of the next
    """

    def __init__(self, buffer: str, aligned: bool = False, apart: str = "") -> None:
        self._place, self._step, self.size, self._apart = buffer, 8 if aligned else 1, 0, apart
        self.views: dict[str, View] = {}

    def add(self, name: str, shape: Sequence[int], assign: str = "=") -> View:
        """The next one."""
        self.size = -(-self.size // self._step) * self._step
        whole = View.whole(self._place, shape, self.size, self._apart)
        self.views[name] = replace(whole, assign=assign)
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
        self.turned = {name: turned(view) for name, view in self.parameters.views.items()}
        self.record, self.cotangents, self.inputs = (
            Layout("AT(here, {})", lanes == 1, self._apart("RECORD")),
            Layout("LOCAL(c, {})", apart=self._apart("COTANGENTS")),
            Layout("LOCAL(d, {})", apart=self._apart("COTANGENTS")),
        )
        states = {name: trace.shapes[name] for name in trace.states}
        shapes = {name: shape for name, shape in trace.shapes.items() if name not in parameters}
        for name, shape in states.items():
            self.record.add(name, shape)
        self.carried = self.record.size
        for name, shape in shapes.items():
            if name not in states and name != "temperature":
                self.record.add(name, shape)
        for name in [*states, *(name for name in ("y", "weights", "written") if name in shapes)]:
            self.cotangents.add(name, shapes[name])
        for name in [*states, *(name for name in ("read", "reread", "x") if name in shapes)]:
            self.inputs.add(name, shapes[name])

    def _apart(self, size: str) -> str:
        return size if self._lanes == 1 else ""

    def functions(self) -> str:
        """All functions."""
        return "\n".join([*self._begin(), *self._encode(), *self._step()])

    @property
    def noisy_answers(self) -> bool:
        """Whether a step takes noise at evaluation, too; dropout does not."""
        noise = self._trace.evaluated.inputs.get("noise")
        return noise is not None and bool(noise.users)

    @property
    def rereads(self) -> bool:
        """Whether the memory is read after its update, too."""
        return "reread" in self._trace.shapes

    def _begin(self) -> list[str]:
        """The state before the first step."""
        forward, back = self._alone(self._trace.begin, self.cotangents.views)
        return [forward.function("begin_forward"), back.function("begin_backward")]

    def _encode(self) -> list[str]:
        """What a step is given of a symbol: the same one in all lanes, or another in each."""
        symbol = _symbol("*id" if self._lanes > 1 else "id[s]")
        forward, back = self._alone(self._trace.encode, self.inputs.views, symbol)
        functions = [forward.function("encode"), back.function("encode_backward")]
        if self._lanes > 1:
            each, _ = self._alone(self._trace.encode, self.inputs.views, _symbol("id[l]"))
            functions.append(each.function("encode_each"))
        return functions

    def _alone(
        self, function: Function, cotangents: Mapping[str, View], given: Mapping[str, View] | None = None
    ) -> "tuple[_Text, _Text]":
        """A function that leaves nothing but its outputs: what its way back needs is computed there again."""
        forward, back = self._text(), self._text(self._sole_gradients(function, function.graph.nodes))
        for text, goals in ((forward, function.outputs.values()), (back, function.gradients.values())):
            text.show(function.inputs, {**self.parameters.views, **(given or {})})
            text.show(function.cotangents, cotangents)
            text.compute(_needed(function.graph, goals))
        forward.put(function.outputs, self.record.views)
        back.put(function.gradients, self.gradients.views)
        return forward, back

    def _step(self) -> list[str]:
        function, gradients = self._trace.step, {**self._trace.step.gradients}
        goals = {"step_backward_reread": {"reread": gradients.pop("reread")}} if self.rereads else {}
        goals["step_backward"] = gradients
        done = {*filter(takes_memory, _needed(function.graph, function.outputs.values()))}
        ways_back = {name: _needed(function.graph, nodes.values(), done) for name, nodes in goals.items()}
        values, forward = self._forward("step_forward", function, {*chain(*ways_back.values())})
        _, evaluated = self._forward("step_evaluated", self._trace.evaluated, set())

        def back(name: str, called: str, more: Mapping[fx.Node, Value]) -> str:
            text = self._text(self._sole_gradients(function, ways_back[name]))
            text.values = {**values, **more}
            text.show(function.cotangents, self.cotangents.views)
            text.compute(ways_back[name])
            text.put(goals[name], {**self.gradients.views, **self.inputs.views})
            return text.function(called)

        turned = {node: self.turned[name] for name, node in function.inputs.items() if name in self.turned}
        ways = [back(name, name, {}) for name in ways_back]
        ways += [back(name, f"{name}_turned", turned) for name in ways_back]
        return [*forward, *evaluated, *ways, self._turn()]

    def _forward(
        self, name: str, function: Function, way_back: set[fx.Node]
    ) -> tuple[dict[fx.Node, Value], list[str]]:
        """What a step computes; what depends on what is reread by a function of its own.

        Numbers that this one or the way back needs are kept in the record.
        """
        nodes = _needed(function.graph, function.outputs.values())
        late = _depending(function.inputs["reread"], nodes) if self.rereads else set[fx.Node]()
        kept = {
            node: self.record.add(f"{name}.{node.name}", shape_of(node))
            for node in nodes
            if takes_memory(node) and _used(node, way_back if node in late else way_back | late)
        }
        next_record = {
            state: replace(view, place="AT(next, {})")
            for state, view in self.record.views.items()
            if state in self._trace.states
        }
        early = [node for node in nodes if node not in late]
        parts = {name: early}
        if self.rereads:
            parts[f"{name}_reread"] = _needed(function.graph, late, {*filter(takes_memory, early)})
        values: dict[fx.Node, Value] = {}
        functions = []
        for called, part in parts.items():
            text = self._text(kept)
            text.values = {**values}
            text.show(
                function.inputs, {**self.parameters.views, **self.record.views, "temperature": TEMPERATURE}
            )
            text.compute(part)
            outputs = {
                given: node for given, node in function.outputs.items() if (node in late) == (called != name)
            }
            text.put(outputs, {**self.record.views, **next_record})
            functions.append(text.function(called))
            values |= text.values
        return values, functions

    def _turn(self) -> str:
        """Each matrix transposed, so that what goes back through it meets its columns one behind another."""
        text = self._text()
        for name, view in self.parameters.views.items():
            to = self.turned[name]
            text.loop(view.shape, lambda *i: f"{to.at(*i)} = {view.at(*i)};", each=False)  # noqa: B023
        return text.function("turn")

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


SIDE: Final = 5
"""Strings that are computed at once if one run is."""

STACK: Final = 2**18
"""Numbers that a function may have of its own: two megabytes, of the eight that a thread has."""


def _symbol(place: str) -> dict[str, View]:
    """The symbol that is encoded, as the program knows it."""
    return {"ids": View(f"(long){place}", (1, 1), (0, 0))}


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
        size = prod(shape)
        aligned = " __attribute__((aligned(64)))" if self.columns else ""  # gcc 12 stores as if it were
        self._locals.append(f"    REAL {name}[{size} * W * SIDE]{aligned};")
        self._size += size
        return View.whole(f"LOCAL({name}, {{}})", shape, apart=f"{size}" if self.columns else "")

    def loop(
        self, shape: Sequence[int], statement: Callable[..., str], independent: bool = True, each: bool = True
    ) -> None:
        index: list[Any] = [f"i{axis}" if n > 1 else 0 for axis, n in enumerate(shape)]
        heads = [f"for (int {i} = 0; {i} < {n}; ++{i})" for i, n in zip(index, shape, strict=True) if n > 1]
        if heads and independent and self.columns:
            heads[-1] = f"EACH_COLUMN {heads[-1]}"
        strings = ["STRINGS"] if each and self.columns else []
        self.line(" ".join([*strings, *heads, "LANES", statement(*index)]))

    def line(self, text: str) -> None:
        self._lines.append(f"    {text}")

    def function(self, name: str) -> str:
        """All of it. NotCompiledError if its own numbers do not fit on the stack of a thread."""
        if self._size * (self._lanes if self._lanes > 1 else SIDE) > STACK:
            raise NotCompiledError("The step of this model computes too many numbers to be compiled.")
        return "\n".join([f"static void {name}({SIGNATURES[name]}) {{", *self._locals, *self._lines, "}\n"])


def turned(view: View) -> View:
    """Where a parameter, [1, ...], lies in q, if it lies so in p."""
    if len(view.shape) != 3:
        return replace(view, place="AT(q, {})")
    _, rows, columns = view.shape
    return View("AT(q, {})", view.shape, (rows * columns, 1, rows), view.offset)


def _constant(node: fx.Node) -> View:
    """A tensor that the step brings with it, if it is one number."""
    tensor = getattr(node.graph.owning_module, str(node.target))
    if tensor.numel() != 1:
        raise NotCompiledError(
            "A step that brings a tensor of its own, other than a number, is not compiled."
        )
    return View.number(tensor.item(), tensor.shape)


def _needed(
    graph: fx.Graph, goals: Iterable[fx.Node], done: AbstractSet[fx.Node] = frozenset()
) -> list[fx.Node]:
    """What must be computed for some nodes, these included, in order, where some are done already."""
    needed, open_ = set[fx.Node](), [*goals]
    while open_:
        node = open_.pop()
        if node not in needed and node not in done:
            needed.add(node)
            open_.extend(node.all_input_nodes)
    return [node for node in graph.nodes if node in needed]


def _depending(on: fx.Node, nodes: Iterable[fx.Node]) -> set[fx.Node]:
    """Those of these nodes, which are in order, that depend on one, and itself."""
    found = {on}
    for node in nodes:
        if not found.isdisjoint(node.all_input_nodes):
            found.add(node)
    return found


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
