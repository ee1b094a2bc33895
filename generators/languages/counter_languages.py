"""Counter languages, and one that counting by ones is not enough for.

Each is its definition, from which strings are drawn, and the counter machine that labels them. The first eight are
tasks of Joulin & Mikolov 2015 (section 5.1, and their program); multiplication is there too, but no counter machine
reads it. The last two are traditional in learning pushdown automata (Das, Giles & Sun 1992, 1993).

>>> anbncn().show_next("a a b b c c")
'a/b a/b b c c END'
>>> unary_addition().show_next("a b b c c c")
'a/b b/c b/c c c END'
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators import kernels
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.labeller import Labeller
from marnn_bench.generators.languages.blocks import Blocks, Measure
from marnn_bench.generators.strings import Strings


def anbn(measure: Measure = "n") -> Blocks:
    """a^n b^n"""
    machine = """
        start as
        accept bs
        as a -> as, x + 1
        as b -> bs, x - 1
        bs b -> bs, x - 1
    """
    return Blocks("anbn", "a^n b^n", machine, measure)


def anbncn(measure: Measure = "n") -> Blocks:
    """a^n b^n c^n"""
    machine = """
        start as
        accept cs
        as a -> as, x + 1, y + 1
        as b -> bs, x - 1
        bs b -> bs, x - 1
        bs c if x = 0 -> cs, y - 1
        cs c -> cs, y - 1
    """
    return Blocks("anbncn", "a^n b^n c^n", machine, measure)


def anbncndn(measure: Measure = "n") -> Blocks:
    """a^n b^n c^n d^n"""
    machine = """
        start as
        accept ds
        as a -> as, x + 1, y + 1, z + 1
        as b -> bs, x - 1
        bs b -> bs, x - 1
        bs c if x = 0 -> cs, y - 1
        cs c -> cs, y - 1
        cs d if y = 0 -> ds, z - 1
        ds d -> ds, z - 1
    """
    return Blocks("anbncndn", "a^n b^n c^n d^n", machine, measure)


def anb2n(measure: Measure = "n") -> Blocks:
    """a^n b^2n: every second b takes an a away."""
    machine = """
        start as
        accept even
        as   a -> as, x + 1
        as   b -> odd, x - 1
        odd  b -> even
        even b -> odd, x - 1
    """
    return Blocks("anb2n", "a^n b^2n", machine, measure)


def anb3n(measure: Measure = "n") -> Blocks:
    """a^n b^3n: every third b takes an a away."""
    machine = """
        start as
        accept three
        as    a -> as, x + 1
        as    b -> one, x - 1
        one   b -> two
        two   b -> three
        three b -> one, x - 1
    """
    return Blocks("anb3n", "a^n b^3n", machine, measure)


def unary_addition(measure: Measure = "n") -> Blocks:
    """a^n b^m c^(n+m)"""
    machine = """
        start as
        accept cs
        as a -> as, x + 1
        as b if x > 0 -> bs, x + 1
        bs b -> bs, x + 1
        bs c -> cs, x - 1
        cs c -> cs, x - 1
    """
    return Blocks("unary-addition", "a^n b^m c^(n+m)", machine, measure)


def anbmcndm(measure: Measure = "n") -> Blocks:
    """a^n b^m c^n d^m"""
    machine = """
        start as
        accept ds
        as a -> as, x + 1
        as b if x > 0 -> bs, y + 1
        bs b -> bs, y + 1
        bs c -> cs, x - 1
        cs c -> cs, x - 1
        cs d if x = 0 -> ds, y - 1
        ds d -> ds, y - 1
    """
    return Blocks("anbmcndm", "a^n b^m c^n d^m", machine, measure)


def unary_multiplication(measure: Measure = "n") -> Blocks:
    """a^n b^k c^nk"""
    return UnaryMultiplication("unary-multiplication", "a^n b^k c^nk", measure=measure)


def anbncbmam(measure: Measure = "length") -> Blocks:
    """a^n b^n c b^m a^m"""
    machine = """
        start first-as
        accept last-as
        first-as a -> first-as, x + 1
        first-as b -> first-bs, x - 1
        first-bs b -> first-bs, x - 1
        first-bs c if x = 0 -> last-bs
        last-bs  b -> last-bs, x + 1
        last-bs  a -> last-as, x - 1
        last-as  a -> last-as, x - 1
    """
    return Blocks("anbncbmam", "a^n b^n c b^m a^m", machine, measure)


def unary_addition_nm(measure: Measure = "length") -> Blocks:
    """a^(n+m) b^n c^m: the counter holds all a but one, which is kept for the first c."""
    machine = """
        start none
        accept cs
        none a -> as
        as   a -> as, x + 1
        as   b -> bs, x - 1
        bs   b -> bs, x - 1
        bs   c -> cs
        cs   c -> cs, x - 1
    """
    return Blocks("unary-addition-nm", "a^(n+m) b^n c^m", machine, measure)


class UnaryMultiplication(Blocks):
    """a^n b^k c^nk, labelled by adding n for every b, which is more than one step of a counter machine."""

    @cached_property
    def automaton(self) -> Labeller:
        return MultiplicationLabeller(self.alphabet)


@dataclass(frozen=True)
class MultiplicationLabeller(Labeller):
    """A labeller of a^n b^k c^nk that multiplies by adding; drawing multiplies.

    >>> UnaryMultiplication("multiplication", "a^n b^k c^nk").show_next("a a b b c c c c")
    'a/b a/b b/c b/c c c c END'
    """

    alphabet: Alphabet

    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        return kernels.arithmetic.label_products(strings.ids, strings.offsets)

    def first_symbols(self) -> int:
        return self.alphabet.mask(["a"])
