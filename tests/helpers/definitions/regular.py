"""Regular languages by what is said of their strings, the languages of Tomita 1982 among them."""

import re
from collections.abc import Callable
from itertools import product

from helpers.definitions.definition import Definition, String

from marnn_bench.generators.languages.regular import Regular


def regular(language: Regular, member: Callable[[str], bool], grammar: str) -> Definition:
    """A completion is looked for among all strings of up to six symbols."""
    tails = [tail for length in range(7) for tail in product(language.alphabet, repeat=length)]

    def decides(string: String) -> bool:
        return member("".join(string))

    def completion(prefix: String) -> String | None:
        return next((tail for tail in tails if decides(prefix + tail)), None)

    return Definition(language, decides, completion, grammar, uncounted=None)


TOMITA = {
    1: """
        start q
        accept q
        q 1 -> q
        q 0 -> sink
        sink 0 -> sink
        sink 1 -> sink
    """,
    2: """
        start q
        accept q
        q    1 -> open
        open 0 -> q
    """,
    3: """
        # an odd run of ones, then an even or an odd run of zeros behind it
        start even
        accept even odd even-zeros zeros
        even       1 -> odd
        odd        1 -> even
        even       0 -> zeros
        zeros      0 -> zeros
        zeros      1 -> odd
        odd        0 -> odd-zeros
        odd-zeros  0 -> even-zeros
        even-zeros 0 -> odd-zeros
        even-zeros 1 -> odd
    """,
    4: """
        start none
        accept none one two
        none 1 -> none
        none 0 -> one
        one  1 -> none
        one  0 -> two
        two  1 -> none
    """,
    5: """
        start ee
        accept ee
        ee 0 -> oe
        oe 0 -> ee
        eo 0 -> oo
        oo 0 -> eo
        ee 1 -> eo
        eo 1 -> ee
        oe 1 -> oo
        oo 1 -> oe
    """,
    6: """
        start 0
        accept 0
        0 0 -> 1
        1 0 -> 2
        2 0 -> 0
        0 1 -> 2
        1 1 -> 0
        2 1 -> 1
    """,
    7: """
        start p
        accept p q r s
        p 0 -> p
        p 1 -> q
        q 1 -> q
        q 0 -> r
        r 0 -> r
        r 1 -> s
        s 1 -> s
    """,
}
"""The languages of Tomita 1982 as automata."""

TEXTBOOK: dict[int, Callable[[str], bool]] = {
    1: lambda w: "0" not in w,
    2: lambda w: re.fullmatch("(10)*", w) is not None,
    3: lambda w: not any(len(ones) % 2 and len(zeros) % 2 for ones, zeros in re.findall("(1+)(0+)", w)),
    4: lambda w: "000" not in w,
    5: lambda w: w.count("0") % 2 == w.count("1") % 2 == 0,
    6: lambda w: (w.count("0") - w.count("1")) % 3 == 0,
    7: lambda w: re.fullmatch("0*1*0*1*", w) is not None,
}

GRAMMARS = {
    1: "S -> '1' S |",
    2: "S -> '1' '0' S |",
    3: "S -> '1' O | '0' Z | \n O -> '1' S | '0' P | \n Z -> '0' Z | '1' O | \n P -> '0' Q \n Q -> '0' P | '1' O |",
    4: "S -> '1' S | '0' A | \n A -> '1' S | '0' B | \n B -> '1' S |",
    5: "S -> '0' A | '1' B | \n A -> '0' S | '1' C \n B -> '0' C | '1' S \n C -> '0' B | '1' A",
    6: "S -> '0' A | '1' B | \n A -> '0' B | '1' S \n B -> '0' S | '1' A",
    7: "S -> A B A B \n A -> '0' A | \n B -> '1' B |",
}


def tomita(number: int) -> Regular:
    """The language of one of the automata."""
    return Regular.parse(f"tomita{number}", "alphabet 0 1\n" + TOMITA[number])


DEFINITIONS = tuple(regular(tomita(number), TEXTBOOK[number], GRAMMARS[number]) for number in TOMITA)
