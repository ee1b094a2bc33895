"""Counter, shuffle, arithmetic and regular languages once more: no automaton, no exponent, no count."""

import re
from collections.abc import Callable
from functools import cache
from itertools import product

from definitions import Definition, String, marked_palindrome

from marnn_bench.generators.languages import counter_languages
from marnn_bench.generators.languages.arithmetic import BinaryAddition
from marnn_bench.generators.languages.blocks import Blocks
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import MarkedPalindromes
from marnn_bench.generators.languages.regular import Regular
from marnn_bench.generators.languages.shuffles import Shuffle


def blocks(language: Blocks, spell: Callable[..., str], grammar: str = "") -> Definition:
    """All strings are written down with numbers up to one more than the prefix is long, and looked through."""
    numbers = spell.__code__.co_argcount

    @cache
    def strings(largest: int) -> list[String]:
        found = [tuple(spell(*values)) for values in product(range(1, largest + 1), repeat=numbers)]
        return sorted(found, key=len)

    def completion(prefix: String) -> String | None:
        size = len(prefix)
        return next((s[size:] for s in strings(size + 1) if s[:size] == prefix), None)

    return Definition(language, lambda string: completion(string) == (), completion, grammar)


def shuffle(pairs: int) -> Definition:
    """The brackets of each kind alone: removing matching neighbours leaves nothing; live: it leaves opening ones only."""
    language, brackets = Shuffle(pairs), Dyck(pairs).brackets

    def completion(prefix: String) -> String | None:
        owed: String = ()
        for opening, closing in brackets:
            left = "".join("(" if s == opening else ")" for s in prefix if s in (opening, closing))
            while "()" in left:
                left = left.replace("()", "")
            if ")" in left:
                return None
            owed += (closing,) * len(left)
        return owed

    return Definition(language, lambda string: completion(string) == (), completion, "")


def binary_addition() -> Definition:
    """Texts with integers in them, added by Python."""
    operand = "(0|1[01]*)"

    def completion(prefix: String) -> String | None:
        text = "".join(prefix)
        begun = text.partition("=")[0]
        for rest in ["="] if "=" in text else ["=", "0=", "+0=", "0+0="]:
            if sides := re.fullmatch(rf"{operand}\+{operand}=", begun + rest):
                total = f"{int(sides[1], 2) + int(sides[2], 2):b}"
                whole = f"{sides[0]}{total[::-1]}."
                return tuple(whole[len(text) :]) if whole.startswith(text) else None
        return None

    return Definition(BinaryAddition(), lambda string: completion(string) == (), completion, "")


def regular(language: Regular, member: Callable[[str], bool], grammar: str) -> Definition:
    """A completion is looked for among all strings of up to six symbols."""
    tails = [tail for length in range(7) for tail in product(language.alphabet, repeat=length)]

    def decides(string: String) -> bool:
        return member("".join(string))

    def completion(prefix: String) -> String | None:
        return next((tail for tail in tails if decides(prefix + tail)), None)

    return Definition(language, decides, completion, grammar)


TOMITA = {
    1: """
        start q
        accept q
        q 1 -> q
        q 0 -> sink
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


def tomita(number: int) -> Definition:
    """One of Tomita's languages, by its textbook definition."""
    language = Regular.parse(f"tomita{number}", "alphabet 0 1\n" + TOMITA[number])
    return regular(language, TEXTBOOK[number], GRAMMARS[number])


DEFINITIONS = (
    blocks(counter_languages.anbn(), lambda n: "a" * n + "b" * n, "S -> 'a' S 'b' | 'a' 'b'"),
    blocks(counter_languages.anbncn(), lambda n: "a" * n + "b" * n + "c" * n),
    blocks(counter_languages.anbncndn(), lambda n: "a" * n + "b" * n + "c" * n + "d" * n),
    blocks(counter_languages.anb2n(), lambda n: "a" * n + "bb" * n, "S -> 'a' S 'b' 'b' | 'a' 'b' 'b'"),
    blocks(
        counter_languages.anb3n(), lambda n: "a" * n + "bbb" * n, "S -> 'a' S 'b' 'b' 'b' | 'a' 'b' 'b' 'b'"
    ),
    blocks(
        counter_languages.unary_addition(),
        lambda n, m: "a" * n + "b" * m + "c" * (n + m),
        "S -> 'a' S 'c' | 'a' B 'c' \n B -> 'b' B 'c' | 'b' 'c'",
    ),
    blocks(counter_languages.anbmcndm(), lambda n, m: "a" * n + "b" * m + "c" * n + "d" * m),
    blocks(counter_languages.unary_multiplication(), lambda n, k: "a" * n + "b" * k + "c" * (n * k)),
    blocks(
        counter_languages.anbncbmam(),
        lambda n, m: "a" * n + "b" * n + "c" + "b" * m + "a" * m,
        "S -> A 'c' B \n A -> 'a' A 'b' | 'a' 'b' \n B -> 'b' B 'a' | 'b' 'a'",
    ),
    blocks(
        counter_languages.unary_addition_nm(),
        lambda n, m: "a" * (n + m) + "b" * n + "c" * m,
        "S -> 'a' S 'c' | 'a' B 'c' \n B -> 'a' B 'b' | 'a' 'b'",
    ),
    blocks(counter_languages.anbn("length"), lambda n: "a" * n + "b" * n, "S -> 'a' S 'b' | 'a' 'b'"),
    blocks(counter_languages.unary_multiplication("length"), lambda n, k: "a" * n + "b" * k + "c" * (n * k)),
    marked_palindrome(MarkedPalindromes(("a", "b"), ("a", "b"), name="memorization", measure="n")),
    binary_addition(),
    *(shuffle(pairs) for pairs in (1, 2, 4, 6)),
    *(tomita(number) for number in range(1, 8)),
)
