"""Blocks whose lengths depend on one another: the strings of all small numbers are written down and looked through."""

from collections.abc import Callable
from functools import cache
from itertools import product

from helpers.definitions.definition import Definition, String
from marnn_bench.generators.languages import counter_languages
from marnn_bench.generators.languages.blocks import Blocks

LARGEST = 121
"""Of the numbers that are tried: no shortest completion of a prefix of so many symbols needs a larger one."""


def blocks(language: Blocks, spell: Callable[..., str], grammar: str = "") -> Definition:
    """A prefix is completed to the shortest of the strings that begin with it."""

    @cache
    def beginning_with(prefix: String) -> list[tuple[str, tuple[int, ...]]]:
        """The strings that begin so, as far as a prefix radii, each with its numbers; the shortest string first."""
        if not prefix:
            numbers = product(range(1, LARGEST + 1), repeat=spell.__code__.co_argcount)
            lengths = {chosen: len(spell(*chosen)) for chosen in numbers}
            return [
                (spell(*chosen)[: LARGEST + 1], chosen) for chosen in sorted(lengths, key=lengths.__getitem__)
            ]
        last = len(prefix) - 1
        return [entry for entry in beginning_with(prefix[:-1]) if entry[0][last : last + 1] == prefix[-1]]

    def completion(prefix: String) -> String | None:
        if len(prefix) > LARGEST:
            raise ValueError(
                f"A prefix of up to {LARGEST} symbols can be completed, not one of {len(prefix)}."
            )
        found = beginning_with(prefix)
        return tuple(spell(*found[0][1])[len(prefix) :]) if found else None

    return Definition(language, lambda string: completion(string) == (), completion, grammar)


ANBN = "S -> 'a' S 'b' | 'a' 'b'"

DEFINITIONS = (
    blocks(counter_languages.anbn(), lambda n: "a" * n + "b" * n, ANBN),
    blocks(counter_languages.anbn("length"), lambda n: "a" * n + "b" * n, ANBN),
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
    blocks(
        counter_languages.unary_addition_nm(),
        lambda n, m: "a" * (n + m) + "b" * n + "c" * m,
        "S -> 'a' S 'c' | 'a' B 'c' \n B -> 'a' B 'b' | 'a' 'b'",
    ),
    blocks(counter_languages.anbmcndm(), lambda n, m: "a" * n + "b" * m + "c" * n + "d" * m),
    blocks(counter_languages.unary_multiplication(), lambda n, k: "a" * n + "b" * k + "c" * (n * k)),
    blocks(counter_languages.unary_multiplication("length"), lambda n, k: "a" * n + "b" * k + "c" * (n * k)),
    blocks(
        counter_languages.anbncbmam(),
        lambda n, m: "a" * n + "b" * n + "c" + "b" * m + "a" * m,
        "S -> A 'c' B \n A -> 'a' A 'b' | 'a' 'b' \n B -> 'b' B 'a' | 'b' 'a'",
    ),
)
