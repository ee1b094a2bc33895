"""The operations that can be printed: what each of torch's is in C.

An operation that is not here is not printed but refused by its name. One that is a formula of the elements needs a line
of ELEMENTWISE; one that shows the same numbers in another way a line of VIEWS; the others, OTHERS, a function.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from torch import fx

from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.codegen.output import Output, Value, copy, elementwise, name_of, shape_of
from marnn_bench.baselines.engine.codegen.products import CHAIN, product
from marnn_bench.baselines.engine.codegen.views import View, literal

ARITHMETIC: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
COMPARISONS: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

ELEMENTWISE: Final[Mapping[str, str]] = {
    **{
        f"{name}.{kind}": f"({{0}} {sign} {{1}})"
        for name, sign in (ARITHMETIC | COMPARISONS).items()
        for kind in ("Tensor", "Scalar")
    },
    "rsub.Scalar": "{1} - {0}",
    "neg.default": "-{0}",
    "reciprocal.default": "1 / {0}",
    "exp.default": "EXP({0})",
    "log.default": "LOG({0})",
    "tanh.default": "TANH({0})",
    "sigmoid.default": "SIGMOID({0})",
    "relu.default": "({0} <= 0 ? 0 : {0})",
    "tanh_backward.default": "{0} * (1 - {1} * {1})",
    "sigmoid_backward.default": "{0} * (1 - {1}) * {1}",
    "threshold_backward.default": "({1} <= {2} ? 0 : {0})",
    "maximum.default": "({0} > {1} || {0} != {0} ? {0} : {1})",
    "minimum.default": "({0} < {1} || {0} != {0} ? {0} : {1})",
    "clone.default": "{0}",
    "copy.default": "{1}",
    "lift_fresh_copy.default": "{0}",
    "sqrt.default": "SQRT({0})",
    "abs.default": "({0} < 0 ? -{0} : {0})",
    "sign.default": "({0} > 0 ? 1 : {0} < 0 ? -1 : {0})",
    "sgn.default": "({0} > 0 ? 1 : {0} < 0 ? -1 : {0})",
    "logical_not.default": "!{0}",
    "logical_and.default": "({0} && {1})",
    "logical_or.default": "({0} || {1})",
    "where.self": "({0} ? {1} : {2})",
    "masked_fill.Scalar": "({1} ? {2} : {0})",
}
"""Of elements of the operands, in order, numbers among them. Whatever is no number stays none, as in torch; true is 1."""


def _split(x: View, lengths: int | Sequence[int], axis: int = 0) -> tuple[View, ...]:
    n = x.shape[axis]
    if isinstance(lengths, int):
        lengths = [min(lengths, n - start) for start in range(0, n, lengths)]
    return tuple(x.parts(axis, lengths))


def _slice(x: View, axis: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> View:
    places = range(x.shape[axis])[start:end:step]
    return x.part(axis, places.start, len(places), step)


def _select(x: View, axis: int, index: int) -> View:
    return x.part(axis, index % x.shape[axis], 1).without_axes([axis])


def _squeeze(x: View, axes: int | Sequence[int] | None = None) -> View:
    asked = range(len(x.shape)) if axes is None else [axes] if isinstance(axes, int) else axes
    return x.without_axes([axis for axis in asked if x.shape[axis] == 1])


def _expand(x: View, shape: Sequence[int]) -> View:
    new = len(shape) - len(x.shape)
    return x.expanded([x.shape[i - new] if n == -1 else n for i, n in enumerate(shape)])


def _row(x: View, places: Sequence[View]) -> View:
    """Where places, of one number each, of the first axes lead to."""
    if any(not isinstance(place, View) or place.size != 1 for place in places):
        raise NotCompiledError("Numbers that are chosen by several places at once are not compiled.")
    for axis, place in enumerate(places):
        x = x.chosen(axis, place.at(*[0] * len(place.shape)))
    return x.without_axes(range(len(places))).expanded([1] * len(places[0].shape) + [*x.shape[len(places) :]])


VIEWS: Final[Mapping[str, Callable[..., Value]]] = {
    "alias.default": lambda x: x,
    "detach.default": lambda x: x,
    "transpose.int": View.transposed,
    "t.default": lambda x: x.transposed(0, 1),
    "permute.default": View.permuted,
    "unsqueeze.default": View.with_axis,
    "squeeze.default": _squeeze,
    "squeeze.dim": _squeeze,
    "squeeze.dims": _squeeze,
    "expand.default": _expand,
    "select.int": _select,
    "slice.Tensor": _slice,
    "split.Tensor": _split,
    "split_with_sizes.default": _split,
    "unbind.int": lambda x, axis=0: tuple(_select(x, axis, i) for i in range(x.shape[axis])),
    "index.Tensor": _row,
    "getitem": lambda parts, index: parts[index],
}
"""Of the operand and the other arguments."""


def _reshape(out: Output, node: fx.Node, x: View, *shape: object) -> View:
    """The same numbers in another shape, copied if they do not lie in order."""
    shown = x.reshaped(shape_of(node))
    if shown is not None:
        return shown
    result = out.new(node)
    copy(out, result.in_order(x.shape), x)
    return result


def _sum(out: Output, node: fx.Node, x: View, axes: Sequence[int] | None = None, keep: bool = False) -> View:
    """The sum over some axes, or the mean."""
    result = out.new(node)
    scale = "" if name_of(node).startswith("sum") else f" / {x.size // result.size}"
    summed = [axis % len(x.shape) for axis in axes or range(len(x.shape))]
    kept = [axis for axis in range(len(x.shape)) if axis not in summed]
    target = result.in_order([x.shape[axis] for axis in kept])
    if result.assign == "=":
        copy(out, target, View.number(0, ()))
    ordered = x.permuted([*summed, *kept])
    out.loop(
        ordered.shape,
        lambda *i: f"{target.at(*i[len(summed) :])} += {ordered.at(*i)}{scale};",
        independent=bool(kept) and ordered.shape[-1] > 1,
    )
    return result


def _softmax(out: Output, node: fx.Node, x: View, axis: int, *rest: object) -> View:
    """exp(x_k) / sum_k exp(x_k) along an axis; the greatest is taken off first."""
    result = out.new(node)
    x, y = _last(x, axis), _last(result, axis)
    n = range(x.shape[-1])

    def vectors(*i: str | int) -> str:
        rest, each = f"for (int k = 1; k < {len(n)}; ++k)", f"EACH_COLUMN for (int k = 0; k < {len(n)}; ++k)"
        xk, yk = x.at(*i, "k"), y.at(*i, "k")
        top = (
            f"REAL top = {x.at(*i, 0)}; {rest} top = {xk} > top ? {xk} : top; {each} {yk} = EXP({xk} - top);"
        )
        return f"{{ {top} REAL total = {y.at(*i, 0)}; {rest} total += {yk}; {each} {yk} = {yk} / total; }}"

    def statement(*i: str | int) -> str:
        top = [f"top = {x.at(*i, k)} > top ? {x.at(*i, k)} : top;" for k in n[1:]]
        power = [f"REAL e{k} = EXP({x.at(*i, k)} - top);" for k in n]
        share = [f"{y.at(*i, k)} {y.assign} e{k} / total;" for k in n]
        total = f"REAL total = {' + '.join(f'e{k}' for k in n)};"
        return " ".join(["{ REAL top =", f"{x.at(*i, 0)};", *top, *power, total, *share, "}"])

    in_vectors = out.columns and len(n) >= CHAIN and result.assign == "="
    out.loop(x.shape[:-1], vectors if in_vectors else statement, independent=not in_vectors)
    return result


def _softmax_backward(out: Output, node: fx.Node, g: View, y: View, axis: int, *rest: object) -> View:
    """y_k (g_k - sum_k g_k y_k)"""
    result = out.new(node)
    g, y, d = _last(g, axis), _last(y, axis), _last(result, axis)
    n = range(y.shape[-1])

    def statement(*i: str | int) -> str:
        total = " + ".join(f"{g.at(*i, k)} * {y.at(*i, k)}" for k in n)
        each = [f"{d.at(*i, k)} {d.assign} {y.at(*i, k)} * ({g.at(*i, k)} - total);" for k in n]
        return f"{{ REAL total = {total}; {' '.join(each)} }}"

    out.loop(y.shape[:-1], statement)
    return result


def _argmax(out: Output, node: fx.Node, x: View, axis: int, keep: bool = False) -> View:
    """Where the greatest is along an axis, the first one if several are."""
    result = out.new(node)
    x, y = _last(x, axis), _last(result if keep else result.with_axis(axis), axis)

    def statement(*i: str | int) -> str:
        each = [f"if ({x.at(*i, k)} > top) top = {x.at(*i, k)}, at = {k};" for k in range(1, x.shape[-1])]
        return f"{{ REAL top = {x.at(*i, 0)}, at = 0; {' '.join(each)} {y.at(*i, 0)} {y.assign} at; }}"

    out.loop(x.shape[:-1], statement)
    return result


def _scatter(out: Output, node: fx.Node, x: View, axis: int, index: View, value: float) -> View:
    """The same, but for this number at one place along an axis."""
    if index.shape[axis] != 1:
        raise NotCompiledError("A scatter to several places is not compiled.")
    result = out.new(node)
    x, at, y = _last(x, axis), _last(index, axis), _last(result, axis)
    number, places = literal(value), range(x.shape[-1])

    def statement(*i: str | int) -> str:
        here = at.at(*i, 0)
        each = (f"{y.at(*i, k)} {y.assign} {here} == {k} ? {number} : {x.at(*i, k)};" for k in places)
        return f"{{ {' '.join(each)} }}"

    out.loop(x.shape[:-1], statement)
    return result


def _last(x: View, axis: int) -> View:
    """With this axis at the end."""
    axis %= len(x.shape)
    return x.permuted([*(other for other in range(len(x.shape)) if other != axis), axis])


def _join(out: Output, node: fx.Node, parts: Sequence[View], axis: int = 0) -> View:
    """Tensors one behind the other."""
    result = out.new(node)
    lengths = [part.shape[axis] for part in parts]
    for target, part in zip(result.parts(axis, lengths), parts, strict=True):
        copy(out, target, part)
    return result


def _stack(out: Output, node: fx.Node, parts: Sequence[View], axis: int = 0) -> View:
    """Tensors along a new axis."""
    return _join(out, node, [part.with_axis(axis % (len(part.shape) + 1)) for part in parts], axis)


def _put(part_of: Callable[..., View]) -> "Printed":
    """Zeros, but for a part, which is given: what goes back through a view of it."""

    def printed(out: Output, node: fx.Node, g: View, shape: Sequence[int], *where: int) -> View:
        result = out.new(node)
        if result.assign == "=":
            copy(out, result, View.number(0))
        copy(out, part_of(result, *where), g)
        return result

    return printed


def _index_put(
    out: Output, node: fx.Node, x: View, places: Sequence[View], g: View, accumulate: bool = False
) -> View:
    """The same with a row added to one: what goes back through the choice of it."""
    if not accumulate:
        raise NotCompiledError("The operation index_put, other than for a gradient, is not compiled.")
    result = out.new(node)
    copy(out, result, x)
    copy(out, replace(_row(result, places), assign="+="), g)
    return result


def _power(out: Output, node: fx.Node, x: View, exponent: float) -> View:
    """A whole power."""
    if exponent not in range(5):
        raise NotCompiledError(f"The power {exponent} is not compiled; those of 0 to 4 are.")
    return elementwise(out, node, " * ".join(["(REAL)1", *["{0}"] * int(exponent)]), [x])


CONSTANTS: Final[Mapping[str, float | None]] = {
    **dict.fromkeys(("zeros.default", "zeros_like.default", "new_zeros.default"), 0.0),
    **dict.fromkeys(("ones.default", "ones_like.default", "new_ones.default"), 1.0),
    **dict.fromkeys(("full.default", "full_like.default", "new_full.default", "scalar_tensor.default"), None),
    **dict.fromkeys(("empty.memory_format", "empty_permuted.default", "empty_like.default"), 0.0),
}
"""The number that a tensor holds everywhere; None if it is the last argument. It needs no memory."""

Printed = Callable[..., View]
"""Prints an operation, given where to, its node and its arguments."""

OTHERS: Final[Mapping[str, Printed]] = {
    "view.default": _reshape,
    "_unsafe_view.default": _reshape,
    "bmm.default": product,
    "mm.default": product,
    "baddbmm.default": lambda out, node, start, a, b: product(out, node, a, b, start),
    "addmm.default": lambda out, node, start, a, b: product(out, node, a, b, start),
    "sum.default": _sum,
    "sum.dim_IntList": _sum,
    "mean.default": _sum,
    "mean.dim": _sum,
    "_softmax.default": _softmax,
    "_softmax_backward_data.default": _softmax_backward,
    "argmax.default": _argmax,
    "scatter.value": _scatter,
    "cat.default": _join,
    "stack.default": _stack,
    "select_backward.default": _put(_select),
    "slice_backward.default": _put(_slice),
    "index_put.default": _index_put,
    "pow.Tensor_Scalar": _power,
}


def is_printed(operation: object) -> bool:
    """Whether an operation of torch is in the tables."""
    return any(
        str(operation).removeprefix("aten.") in table for table in (ELEMENTWISE, VIEWS, CONSTANTS, OTHERS)
    )


def is_view(node: fx.Node) -> bool:
    """Whether a node shows the numbers of its operand, and needs no memory of its own."""
    return name_of(node) in VIEWS or OTHERS.get(name_of(node)) is _reshape


def takes_memory(node: fx.Node) -> bool:
    """Whether a node computes numbers."""
    return name_of(node) in ELEMENTWISE or (name_of(node) in OTHERS and not is_view(node))


def print_operation(out: Output, node: fx.Node, arguments: Sequence[Any]) -> Value:
    """Print a node, given its arguments with views for nodes. NotCompiledError if it is not in the tables."""
    name = name_of(node)
    if not node.kwargs or name in CONSTANTS:
        if name in CONSTANTS:
            value = CONSTANTS[name]
            return View.number(arguments[-1] if value is None else value, shape_of(node))
        if name in VIEWS:
            return VIEWS[name](*arguments)
        if name in OTHERS:
            return OTHERS[name](out, node, *arguments)
        if name in ELEMENTWISE and len(arguments) <= 1 + max(
            map(int, re.findall(r"{(\d)}", ELEMENTWISE[name]))
        ):
            return elementwise(out, node, ELEMENTWISE[name], arguments)
    raise NotCompiledError(f"The operation {name} of torch is not compiled.")
