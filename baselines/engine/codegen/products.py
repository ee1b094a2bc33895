"""Products of matrices, which most of the time goes into."""

from collections.abc import Callable, Sequence
from typing import Final

from torch import fx

from marnn_bench.baselines.engine.codegen.output import Output
from marnn_bench.baselines.engine.codegen.views import ZERO, View

CHAIN: Final = 8
"""Terms of a matrix product that are added up one after another; several chains advance together."""

BLOCK: Final = 64
"""Terms of a matrix product that are added up in one expression, in registers."""


def product(out: Output, node: fx.Node, a: View, b: View, start: View | None = None) -> View:
    """start + a b: [batch, rows, inner] by [batch, inner, columns], or without batch."""
    result = out.new(node)
    a, b, c = (x if len(x.shape) == 3 else x.with_axis(0) for x in (a, b, result))
    begun, inner = start.expanded(c.shape) if start else None, a.shape[2]

    def begin(*i: str | int) -> str:
        terms = [*([c.at(*i)] if c.assign == "+=" else []), *([begun.at(*i)] if begun else [])]
        return " + ".join(terms)

    def add(begin: Callable[..., str], ks: Sequence[str | int]) -> None:
        out.loop(c.shape, lambda n, i, j: f"{c.at(n, i, j)} = {terms(begin(n, i, j), n, i, j, ks)};")

    def terms(begin: str, n: str | int, i: str | int, j: str | int, ks: Sequence[str | int]) -> str:
        chains = [begin] if begin else []
        for number, k in enumerate(ks):
            x, y = a.at(n, i, k), b.at(n, k, j)
            if number % CHAIN or (number == 0 and begin):
                chains[-1] = f"FMA({x}, {y}, {chains[-1]})"
            else:
                chains.append(f"{x} * {y}")
        return " + ".join(chains)

    if out.columns and inner >= 2 * CHAIN and a.strides[2] == b.strides[1] == 1 != b.strides[2]:

        def dot(n: str | int, i: str | int, j: str | int) -> str:
            product = f"dot(&{a.at(n, i, 0)}, &{b.at(n, 0, j)}, {inner})"
            return f"{c.at(n, i, j)} = {begin(n, i, j) or ZERO} + {product};"

        out.loop(c.shape, dot, independent=False)
        return result
    by_columns = out.columns and c.shape[2] >= CHAIN and b.strides[2] == c.strides[2] == 1
    # The faster of the two for one string.
    in_one_loop = not by_columns or inner < CHAIN or c.shape[2] < BLOCK
    if by_columns and in_one_loop:
        out.line("if (strings > 1) {")
    if by_columns:
        if c.assign == "=" or begun:
            out.loop(c.shape, lambda *i: f"{c.at(*i)} = {begin(*i) or ZERO};")
        out.loop(c.shape[:1], *_added(a, b, c))
    if by_columns and in_one_loop:
        out.line("} else {")
    if in_one_loop and inner <= BLOCK:
        add(begin, range(inner))
    elif in_one_loop:
        out.loop(c.shape, lambda *i: f"{c.at(*i)} = {begin(*i) or ZERO};")
        out.line(f"for (int k = 0; k < {inner // BLOCK * BLOCK}; k += {BLOCK})")
        add(c.at, [f"(k + {k})" for k in range(BLOCK)])
        if inner % BLOCK:
            add(c.at, range(inner // BLOCK * BLOCK, inner))
    if by_columns and in_one_loop:
        out.line("}")
    return result


def _added(a: View, b: View, c: View) -> tuple[Callable[..., str], bool, bool]:
    """c + a b, column after column: of all strings at once, where they share the matrix b or c is a sum over them."""
    rows: int | str = c.shape[1]
    inner: int | str = a.shape[2]
    of_a: list[int | str] = [a.strides[1], a.strides[2]]
    of_b: int | str = b.strides[1]
    of_c: int | str = c.strides[1]
    # What a symbol chooses differs from string to string.
    together = not any("[s]" in x.place for x in (a, b, c))
    if together and a.apart and c.apart and not b.apart and rows == 1:
        rows, of_a[0], of_c = "strings", a.apart, c.apart
    elif together and a.apart and b.apart and not c.apart and inner == 1:
        inner, of_a[1], of_b = "strings", a.apart, b.apart
    else:
        together = False

    def statement(n: str | int) -> str:
        first, second, sum_ = (f"&{(x.of_first if together else x.at)(n, 0, 0)}" for x in (a, b, c))
        sizes = f"{rows}, {inner}, {c.shape[2]}"
        return f"add_product({sizes}, {first}, {of_a[0]}, {of_a[1]}, {second}, {of_b}, {sum_}, {of_c});"

    return statement, False, not together
