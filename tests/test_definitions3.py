"""Counter, shuffle, arithmetic and regular languages against brute force and their second definitions."""

from collections.abc import Iterator
from itertools import islice, product
from math import isclose

import nltk
import numpy as np
import pytest
from definitions import Definition, String
from definitions3 import DEFINITIONS
from test_languages import all_strings, bound_of, live_prefixes

from marnn_bench.generators.alphabet import END
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

every_definition = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.name)
KEY = derive_key({"test": "definitions3"})


def members(definition: Definition) -> Iterator[tuple[int, ...]]:
    """All members up to the bound: no string is shorter than its size."""
    bound = bound_of(definition)
    for size in range(bound + 1):
        yield from (string for string in definition.language.enumerate(size) if len(string) <= bound)


def last_masks(definition: Definition, prefixes: list[String]) -> np.ndarray:
    strings = Strings.from_texts(definition.language.alphabet, map(" ".join, prefixes))
    return definition.language.next_symbols(strings)[strings.offsets[1:] - 1]


@every_definition
def test_membership_over_all_strings(definition: Definition) -> None:
    """Of all strings up to the bound the automaton accepts those that are enumerated, which the definition calls members."""
    alphabet, listed = definition.language.alphabet, list(members(definition))
    assert len(set(listed)) == len(listed)
    assert all(definition.member(tuple(alphabet.symbols[i] for i in string)) for string in listed)
    accepted = set()
    for length in range(bound_of(definition) + 1):
        strings = all_strings(len(alphabet), length)
        accepted |= {tuple(s.tolist()) for s in strings.take(definition.language.accepts(strings))}
        step = max(1, len(alphabet) ** length // 2_000)
        for string in islice(product(range(len(alphabet)), repeat=length), 0, None, step):
            assert definition.member(tuple(alphabet.symbols[i] for i in string)) == (string in accepted)
    assert accepted == set(listed)


@every_definition
def test_counts_and_sizes_are_those_of_the_enumeration(definition: Definition) -> None:
    language = definition.language
    for size in range(min(bound_of(definition), 7) + 1):
        strings = Strings.from_ids(language.alphabet, language.enumerate(size))
        assert len(strings) == language.count(size)
        assert (language.measured(strings) == size).all()
        assert language.accepts(strings).all()


@every_definition
def test_next_symbol_sets_are_those_of_the_enumerated_strings(definition: Definition) -> None:
    """Where every continuation fits the bound: a symbol is in the set exactly if some enumerated string has it next."""
    language, bound = definition.language, bound_of(definition)
    following: dict[String, set[str]] = {}
    for ids in members(definition):
        string = (*(language.alphabet.symbols[i] for i in ids), END)
        for cut in range(len(string)):
            following.setdefault(string[:cut], set()).add(string[cut])
    compared = 0
    for prefix, found in following.items():
        continuations = [definition.completion((*prefix, s)) for s in language.alphabet]
        if prefix and all(c is None or len(prefix) + 1 + len(c) <= bound for c in continuations):
            assert set(language.show_next(" ".join(prefix)).split(" ")[-1].split("/")) == found
            compared += 1
    assert compared >= 2


@every_definition
def test_next_symbol_sets_agree_with_the_definition_on_the_tree_of_live_prefixes(
    definition: Definition,
) -> None:
    """On every live prefix, and the set is empty one illegal symbol further."""
    language = definition.language
    prefixes = [p for p in live_prefixes(definition, 12, most=5_000) if p]
    masks = last_masks(definition, prefixes)
    for prefix, mask in zip(prefixes, masks, strict=True):
        assert set(language.alphabet.members(int(mask))) == definition.next_set(prefix), prefix
    illegal = [
        (*prefix, symbol)
        for prefix, mask in zip(prefixes, masks, strict=True)
        for symbol in language.alphabet
        if symbol not in language.alphabet.members(int(mask))
    ]
    assert not last_masks(definition, illegal).any()
    assert language.automaton.first_symbols() == language.alphabet.mask(definition.next_set(()))


@every_definition
def test_depth_is_the_length_of_the_shortest_completion(definition: Definition) -> None:
    """But for sums and regular languages, which say otherwise, and for the marker of palindromes."""
    language = definition.language
    if language.name == "binary-addition" or language.name.startswith("tomita"):
        return
    for ids in islice(members(definition), 1, 300):
        string = tuple(language.alphabet.symbols[i] for i in ids)
        completions = [definition.completion(string[:cut]) or () for cut in range(1, len(string) + 1)]
        owed = [sum(s != "#" for s in completion) for completion in completions]
        assert language.depths(Strings.from_ids(language.alphabet, [ids])).tolist() == owed


@pytest.mark.parametrize("definition", [d for d in DEFINITIONS if d.grammar], ids=lambda d: d.name)
def test_nltk_recognises_the_same_strings(definition: Definition) -> None:
    """nltk's chart parser, asked for a complete edge, on members and on strings one symbol away from them."""
    language = definition.language
    grammar = nltk.CFG.fromstring(definition.grammar)
    parser, start = nltk.ChartParser(grammar), grammar.start()
    found = list(islice(members(definition), 30))
    near = {
        (*row[:i], s, *row[i + 1 :])
        for row in found[:20]
        for i in range(len(row))
        for s in range(len(language.alphabet))
    }
    batch = Strings.from_ids(language.alphabet, sorted({*found, *near})[:300])
    for text, accepted in zip(batch.texts(language.alphabet), language.accepts(batch), strict=True):
        tokens = text.split()
        known = all(f"'{token}'" in definition.grammar for token in tokens)
        edges = parser.chart_parse(tokens).select(span=(0, len(tokens))) if known else ()
        assert any(e.is_complete() and e.lhs() == start for e in edges) == accepted, text


@every_definition
def test_strings_of_every_size_are_drawn_and_are_members(definition: Definition) -> None:
    """Also of sizes far beyond the enumeration, where nothing but the two devices can check each other."""
    language = definition.language
    for window in (Window(0, 9), Window(30, 40)):
        law = language.law("uniform")
        strings = law.draw(window, KEY, np.arange(400, dtype=np.uint64))
        assert language.accepts(strings).all()
        assert set(language.measured(strings)) == set(language.sizes(window))
        assert (language.depths(strings)[strings.offsets[1:][strings.lengths > 0] - 1] == 0).all()


@every_definition
def test_log_probabilities_of_the_uniform_law_sum_to_one(definition: Definition) -> None:
    language, window = definition.language, Window(0, 5)
    rows = [string for size in language.sizes(window) for string in language.enumerate(size)]
    strings = Strings.from_ids(language.alphabet, rows)
    assert isclose(np.exp(language.law("uniform").log_prob(strings, window)).sum(), 1, rel_tol=1e-12)
