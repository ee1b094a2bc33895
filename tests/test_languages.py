"""Membership, counts and next-symbol sets against brute force and against definitions without an automaton."""

from collections.abc import Iterator
from itertools import islice, product

import nltk
import numpy as np
import pytest
from definitions import DEFINITIONS, Definition, String

from marnn_bench.generators.alphabet import END
from marnn_bench.generators.language import Transduction
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import StringReversal, homomorphic_palindromes
from marnn_bench.generators.strings import Strings

MOST_STRINGS, LONGEST = 2_000_000, 10
every_definition = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.name)


def bound_of(definition: Definition) -> int:
    """The longest length up to which there are at most two million strings, at most ten."""
    symbols, length = len(definition.language.alphabet), 0
    while length < LONGEST and sum(symbols**k for k in range(length + 2)) <= MOST_STRINGS:
        length += 1
    return length


def all_strings(symbols: int, length: int) -> Strings:
    """Every string of this length, as ids."""
    grid = (
        np.indices((symbols,) * length, np.uint8).reshape(length, -1).T.ravel()
        if length
        else np.empty(0, np.uint8)
    )
    return Strings(np.ascontiguousarray(grid), np.arange(symbols**length + 1, dtype=np.int64) * length)


def live_prefixes(definition: Definition, longest: int, most: int = 40_000) -> Iterator[String]:
    """Prefixes that some string goes on with, by length."""
    layer: list[String] = [()]
    found = 0
    for _ in range(longest + 1):
        yield from layer
        found += len(layer)
        layer = [
            (*p, s)
            for p in layer
            for s in definition.language.alphabet
            if definition.completion((*p, s)) is not None
        ]
        if found + len(layer) > most:
            return


@every_definition
def test_membership_and_counts_over_all_strings(definition: Definition) -> None:
    """Of all strings up to the bound, the automaton accepts those that the definition calls members, no others."""
    alphabet = definition.language.alphabet
    for length in range(bound_of(definition) + 1):
        strings = all_strings(len(alphabet), length)
        accepted = {tuple(string.tolist()) for string in strings.take(definition.language.accepts(strings))}
        assert len(accepted) == definition.language.count(length)
        assert accepted == set(definition.language.enumerate(length))
        assert all(definition.member(tuple(alphabet.symbols[i] for i in string)) for string in accepted)
        rejected = islice(
            product(range(len(alphabet)), repeat=length), 0, None, max(1, len(alphabet) ** length // 5000)
        )
        for string in rejected:
            assert definition.member(tuple(alphabet.symbols[i] for i in string)) == (string in accepted)


@every_definition
def test_next_symbol_sets_are_those_of_the_enumerated_strings(definition: Definition) -> None:
    """Where every continuation fits the bound: a symbol is in the set exactly if some enumerated string has it next."""
    language, bound = definition.language, bound_of(definition)
    following: dict[String, set[str]] = {}
    for length in range(bound + 1):
        for ids in language.enumerate(length):
            string = (*(language.alphabet.symbols[i] for i in ids), END)
            for cut in range(length + 1):
                following.setdefault(string[:cut], set()).add(string[cut])
    compared = 0
    for prefix, found in following.items():
        continuations = [definition.completion((*prefix, s)) for s in language.alphabet]
        if prefix and all(c is None or len(prefix) + 1 + len(c) <= bound for c in continuations):
            assert set(language.show_next(" ".join(prefix)).split(" ")[-1].split("/")) == found
            compared += 1
    assert compared >= 4


@every_definition
def test_next_symbol_sets_agree_with_the_definition_on_the_tree_of_live_prefixes(
    definition: Definition,
) -> None:
    """On every live prefix, and the set is empty one illegal symbol further."""
    language = definition.language
    prefixes = [p for p in live_prefixes(definition, 12) if p]
    masks = _last_masks(definition, prefixes)
    for prefix, mask in zip(prefixes, masks, strict=True):
        assert set(language.alphabet.members(int(mask))) == definition.next_set(prefix), prefix
    illegal = [
        (*prefix, symbol)
        for prefix, mask in zip(prefixes, masks, strict=True)
        for symbol in language.alphabet
        if symbol not in language.alphabet.members(int(mask))
    ]
    assert not _last_masks(definition, illegal).any()
    assert language.automaton.first_symbols() == language.alphabet.mask(definition.next_set(()))


def _last_masks(definition: Definition, prefixes: list[String]) -> np.ndarray:
    strings = Strings.from_texts(definition.language.alphabet, map(" ".join, prefixes))
    return definition.language.next_symbols(strings)[strings.offsets[1:] - 1]


@every_definition
def test_depth_is_the_length_of_the_shortest_completion_of_what_is_open(definition: Definition) -> None:
    """The closed form of the depth against the definition's completion, on every member up to length 10."""
    language = definition.language
    for length in range(1, min(bound_of(definition), 9) + 1):
        rows = list(islice(language.enumerate(length), 500))
        if rows:
            strings = Strings.from_ids(language.alphabet, rows)
            symbols = [tuple(language.alphabet.symbols[i] for i in row) for row in rows]
            owed = [
                sum(
                    s != "#" or language.name == "string-reversal"
                    for s in definition.completion(string[: cut + 1]) or ()
                )
                for string in symbols
                for cut in range(length)
            ]
            assert language.depths(strings).tolist() == owed


@every_definition
def test_nltk_recognises_the_same_strings(definition: Definition) -> None:
    """nltk's chart parser, asked for a complete edge, on members and on strings one symbol away from them."""
    language = definition.language
    parser = nltk.ChartParser(nltk.CFG.fromstring(definition.grammar))
    members = [row for length in range(1, 8) for row in islice(language.enumerate(length), 12)]
    strings = {row for row in members} | {
        (*row[:i], s, *row[i + 1 :])
        for row in members[:40]
        for i in range(len(row))
        for s in range(len(language.alphabet))
    }
    batch = Strings.from_ids(language.alphabet, sorted(strings)[:5_000])
    for text, accepted in zip(batch.texts(language.alphabet), language.accepts(batch), strict=True):
        tokens = text.split()
        known = all(token in definition.grammar for token in tokens)
        chart = parser.chart_parse(tokens) if known else None
        start = nltk.Nonterminal("S")
        complete = chart and any(
            e.is_complete() and e.lhs() == start for e in chart.select(span=(0, len(tokens)))
        )
        assert bool(complete) == accepted, text


def test_dyck1_counts_are_catalan_numbers() -> None:
    assert [Dyck(1).count(2 * n) for n in range(10)] == [1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862]


def test_counts_of_bernardy_2018() -> None:
    """Section 4: 625 and 6,917 strings of one kind of brackets up to 14 and 18, 131,250 of five of length 10."""
    assert sum(Dyck(1).count(n) for n in range(1, 15)) == 625
    assert sum(Dyck(1).count(n) for n in range(1, 19)) == 6_917
    assert Dyck(5).count(10) == 131_250


def test_the_examples_of_table_1_of_suzgun_2019() -> None:
    openers = {"(", "["}
    shown = [set(cell.split("/")) - {END} for cell in Dyck(2).show_next("( [ ] )").split()]
    assert shown == [openers | {")"}, openers | {"]"}, openers | {")"}, openers]
    assert homomorphic_palindromes().show_next("a b c # z y x") == "a/b/c/# a/b/c/# a/b/c/# z y x END"


def test_dyck_of_31_pairs_has_masks_and_of_32_has_not() -> None:
    widest = Dyck(31)
    assert len(widest.show_next("(8 )8").split()[1].split("/")) == 31 + 1
    with pytest.raises(Exception, match="up to 63 symbols"):
        Dyck(32).show_next("( )")


@pytest.mark.parametrize(
    "language", [StringReversal(), StringReversal(letters=("a", "b"))], ids=["abc", "ab"]
)
def test_reversal_writes_the_word_backwards_behind_markers(language: Transduction) -> None:
    for length in range(2, 9, 2):
        rows = list(language.enumerate(length))
        half = length // 2
        targets = language.transduce(Strings.from_ids(language.alphabet, rows))
        marker = language.alphabet.id("#")
        assert [tuple(t.tolist()) for t in targets] == [(marker,) * half + row[:half][::-1] for row in rows]


def test_a_pair_is_accepted_only_with_its_own_target() -> None:
    language = StringReversal()
    sources = Strings.from_texts(language.alphabet, ["a b # #", "a b # #", "a #", "a b #"])
    targets = Strings.from_texts(language.outputs, ["# # b a", "# # a b", "# a #", "# # b"])
    assert language.accepts_pairs(sources, targets).tolist() == [True, False, False, False]
