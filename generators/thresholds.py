"""From weights to 64-bit thresholds, with decimal arithmetic only: no floating point decides a symbol.

Weights may be irrational (a grammar's probability of the empty string is a root). `EXACT` carries 100 significant
digits; its sums, products, quotients and square roots are correctly rounded, the same on every machine. A sum or product
of positive numbers keeps the relative error of its terms, so the few thousand operations behind a threshold leave it
within 10^-90 of the truth, far below the 2^-64 = 5 * 10^-20 that a threshold can show.
"""

from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

EXACT = Context(prec=100, Emax=10**15, Emin=-(10**15))

Weight = int | Decimal


def decimal(number: Fraction | int) -> Decimal:
    """The number to 100 digits."""
    fraction = Fraction(number)
    return EXACT.divide(Decimal(fraction.numerator), Decimal(fraction.denominator))


def total(weights: Iterable[Weight]) -> Decimal:
    """Their sum, to 100 digits; Python's own `sum` would keep 28."""
    added = Decimal(0)
    for weight in weights:
        added = EXACT.add(added, Decimal(weight))
    return added


def thresholds(weights: Iterable[Weight]) -> NDArray[np.uint64]:
    """Upper ends, on the scale of 64-bit words, of intervals as wide as the weights: [outcomes].

    A random word chooses the first outcome whose threshold is above it. The last threshold, 2^64, cannot be written
    in 64 bits and is not looked at.

    >>> [hex(int(t)) for t in thresholds([1, 2, 1])]
    ['0x4000000000000000', '0xc000000000000000', '0xffffffffffffffff']
    """
    sums, added = [], Decimal(0)
    for weight in weights:
        added = EXACT.add(added, Decimal(weight))
        sums.append(added)
    top = (1 << 64) - 1
    scale = EXACT.divide(Decimal(1 << 64), added)
    return np.array([min(top, int(EXACT.multiply(part, scale))) for part in sums], np.uint64)
