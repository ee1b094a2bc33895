"""The seven regular languages over 0 and 1 of Tomita 1982, a standard test of what recurrent networks learn.

    1  1*                       2  (10)*                3  no odd run of zeros after an odd run of ones
    4  no 000                   5  even numbers of 0 and of 1
    6  as many 0 as 1, modulo 3                         7  0*1*0*1*

>>> tomita(4).show_next("0 0 1")
'0/1/END 1/END 0/1/END'
"""

from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.languages.regular import Regular

AUTOMATA = {
    1: """
        start q
        accept q
        q 1 -> q
    """,
    2: """
        start q
        accept q
        q    1 -> open
        open 0 -> q
    """,
    3: """
        # an odd run of ones, then an even or an odd run of zeros
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


def tomita(number: int) -> Regular:
    """The language of this number, from 1 to 7."""
    if number not in AUTOMATA:
        raise LanguageError(f"Tomita's languages are numbered from 1 to 7, not {number}.")
    return Regular.parse(f"tomita{number}", "alphabet 0 1\n" + AUTOMATA[number])
