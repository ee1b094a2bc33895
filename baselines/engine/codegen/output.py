"""Where operations are printed to, and what most of them print: a formula of elements, a copy."""

from collections.abc import Callable, Sequence
from typing import Protocol

from torch import fx

from marnn_bench.baselines.engine.codegen.views import View

Value = View | tuple[View, ...]


class Output(Protocol):
    """Where operations are printed to."""

    @property
    def columns(self) -> bool:
        """Whether one run is computed at a time, vectorised along the last axis, not several side by side."""

    def new(self, node: fx.Node) -> View:
        """Where the result is to be written, with the operator of its `assign`."""

    def loop(
        self, shape: Sequence[int], statement: Callable[..., str], independent: bool = True, each: bool = True
    ) -> None:
        """Print a statement for every index, which is 0 on an axis of length 1.

        independent:  whether the statements of the last axis can be done in any order
        each:         for every string s, too
        """

    def line(self, text: str) -> None:
        """Print a line."""


def elementwise(out: Output, node: fx.Node, formula: str, operands: Sequence[View | float]) -> View:
    """A formula of the elements."""
    result = out.new(node)
    shown = [
        (operand if isinstance(operand, View) else View.number(operand)).expanded(result.shape)
        for operand in operands
    ]
    out.loop(
        result.shape,
        lambda *i: f"{result.at(*i)} {result.assign} {formula.format(*(x.at(*i) for x in shown))};",
    )
    return result


def copy(out: Output, target: View, source: View) -> None:
    """Put the numbers of one view to the places of another."""
    if source.is_zero and target.assign == "+=":
        return
    shown = source.expanded(target.shape)
    out.loop(target.shape, lambda *i: f"{target.at(*i)} {target.assign} {shown.at(*i)};")


def name_of(node: fx.Node) -> str:
    """The name of a node's operation: that of torch, with the overload."""
    return str(getattr(node.target, "__name__", node.target))


def shape_of(node: fx.Node) -> tuple[int, ...]:
    """The shape of what a node computes."""
    return tuple(node.meta["val"].shape)
