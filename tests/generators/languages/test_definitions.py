"""Every language against brute force, against a definition without an automaton, and against nltk."""

from collections.abc import Iterator
from itertools import islice
from math import isclose

import nltk
import numpy as np
import pytest

from helpers import brute_force
from helpers.brute_force import all_strings
from helpers.definitions import DEFINITIONS, Definition, String
from marnn_bench.generators.alphabet import END
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

MOST_STRINGS, LONGEST = 2_000_000, 10
KEY = derive_key({"test": "definitions"})
every_definition = pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda d: d.name)


def bound_of(definition: Definition) -> int:
    """The longest length up to which there are at most two million strings, at most ten."""
    symbols, length = len(definition.language.alphabet), 0
    while length < LONGEST and sum(symbols**k for k in range(length + 2)) <= MOST_STRINGS:
        length += 1
    return length


def members(definition: Definition, most_of_a_size: int | None = None) -> Iterator[tuple[int, ...]]:
    """The members up to the bound, by size: no string is shorter than its size."""
    bound = bound_of(definition)
    for size in range(bound + 1):
        short = (ids for ids in definition.language.enumerate(size) if len(ids) <= bound)
        yield from islice(short, most_of_a_size)


def spelt(definition: Definition, ids: tuple[int, ...]) -> String:
    return tuple(definition.language.alphabet.symbols[i] for i in ids)


def live_prefixes(definition: Definition, longest: int, most: int) -> Iterator[String]:
    """Prefixes that some string goes on with, by length; a length only if all before it and its own are not too many."""
    layer: list[String] = [()]
    found = 0
    for _ in range(longest + 1):
        yield from layer
        found += len(layer)
        longer = ((*prefix, s) for prefix in layer for s in definition.language.alphabet)
        layer = [prefix for prefix in longer if definition.completion(prefix) is not None]
        if found + len(layer) > most:
            return


def last_masks(definition: Definition, prefixes: list[String]) -> np.ndarray:
    strings = Strings.from_texts(definition.language.alphabet, map(" ".join, prefixes))
    return definition.language.next_symbols(strings)[strings.offsets[1:] - 1]


@every_definition
def test_membership_over_all_strings(definition: Definition) -> None:
    """Of all strings up to the bound the automaton accepts those that are enumerated, which the definition calls members.

    Of every length, the definition is asked for 5,000 strings spread over all of them, too.
    """
    symbols, listed = len(definition.language.alphabet), list(members(definition))
    assert len(set(listed)) == len(listed)
    assert all(definition.member(spelt(definition, ids)) for ids in listed)
    accepted = set()
    for length in range(bound_of(definition) + 1):
        strings = all_strings(symbols, length)
        accepted |= {tuple(ids.tolist()) for ids in strings.take(definition.language.accepts(strings))}
        spread = strings.take(range(0, len(strings), max(1, len(strings) // 5_000)))
        for ids in (tuple(ids.tolist()) for ids in spread):
            assert definition.member(spelt(definition, ids)) == (ids in accepted)
    assert accepted == set(listed)


@every_definition
def test_counts_and_sizes_are_those_of_the_enumeration(definition: Definition) -> None:
    language = definition.language
    for size in range(bound_of(definition) + 1):
        strings = brute_force.members(language, Window(size, size))
        assert len(strings) == language.count(size)
        assert (language.sizes_of(strings) == size).all()
        assert language.accepts(strings).all()


@every_definition
def test_next_symbol_sets_are_those_of_the_enumerated_strings(definition: Definition) -> None:
    """Where every continuation fits the bound: a symbol is in the set exactly if some enumerated string has it next."""
    language, bound = definition.language, bound_of(definition)
    following: dict[String, set[str]] = {}
    for ids in members(definition):
        string = (*spelt(definition, ids), END)
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
    prefixes = [prefix for prefix in live_prefixes(definition, 12, most=20_000) if prefix]
    masks = last_masks(definition, prefixes)
    illegal = []
    for prefix, mask in zip(prefixes, masks, strict=True):
        legal = language.alphabet.members(int(mask))
        assert set(legal) == definition.next_set(prefix), prefix
        illegal += [(*prefix, symbol) for symbol in language.alphabet if symbol not in legal]
    assert not last_masks(definition, illegal).any()
    assert language.automaton.first_symbols() == language.alphabet.mask(definition.next_set(()))


@pytest.mark.parametrize(
    "definition", [d for d in DEFINITIONS if d.uncounted is not None], ids=lambda d: d.name
)
def test_depth_is_the_length_of_the_shortest_completion(definition: Definition) -> None:
    """Of 500 members of every size, in every place."""
    language = definition.language
    listed = list(members(definition, most_of_a_size=500))
    owed = [
        sum(symbol != definition.uncounted for symbol in definition.completion(string[:cut]) or ())
        for string in (spelt(definition, ids) for ids in listed)
        for cut in range(1, len(string) + 1)
    ]
    assert language.depths(Strings.from_ids(language.alphabet, listed)).tolist() == owed


@pytest.mark.parametrize("definition", [d for d in DEFINITIONS if d.grammar], ids=lambda d: d.name)
def test_nltk_recognises_the_same_strings(definition: Definition) -> None:
    """nltk's chart parser, asked for a complete edge, on members and on strings one symbol away from them."""
    language = definition.language
    grammar = nltk.CFG.fromstring(definition.grammar)
    parser, start = nltk.ChartParser(grammar), grammar.start()
    sizes = (islice(language.enumerate(size), 12) for size in range(LONGEST + 1))
    found = list(islice((ids for listed in sizes for ids in listed if len(ids) <= LONGEST), 33))
    near = {
        (*ids[:i], symbol, *ids[i + 1 :])
        for ids in found
        for i in range(len(ids))
        for symbol in range(len(language.alphabet))
    }
    batch = Strings.from_ids(language.alphabet, sorted({*found, *near}))
    for text, accepted in zip(batch.texts(language.alphabet), language.accepts(batch), strict=True):
        tokens = text.split()
        known = all(f"'{token}'" in definition.grammar for token in tokens)
        edges = parser.chart_parse(tokens).select(span=(0, len(tokens))) if known else ()
        assert any(edge.is_complete() and edge.lhs() == start for edge in edges) == accepted, text


@every_definition
def test_strings_of_every_size_are_drawn_and_are_members(definition: Definition) -> None:
    """Also of sizes far beyond the enumeration, where nothing but the two devices can check each other."""
    language = definition.language
    for window in (Window(0, 9), Window(30, 40)):
        strings = language.law("uniform").draw(window, KEY, np.arange(400, dtype=np.uint64))
        assert language.accepts(strings).all()
        assert set(language.sizes_of(strings)) == set(language.sizes(window))
        assert (language.depths(strings)[strings.offsets[1:][strings.lengths > 0] - 1] == 0).all()


@every_definition
def test_log_probabilities_of_the_uniform_law_sum_to_one(definition: Definition) -> None:
    language, window = definition.language, Window(0, 5)
    log_probs = language.law("uniform").log_prob(brute_force.members(language, window), window)
    assert isclose(np.exp(log_probs).sum(), 1, rel_tol=1e-12)
