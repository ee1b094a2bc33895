"""Regular envelopes: finite automata that accept every member, and what else they accept."""

import re

import numpy as np
import pytest

from helpers.brute_force import all_strings, small_window
from helpers.definitions import DEFINITIONS, Definition
from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.keys import Key
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.even_palindromes import EvenPalindromes
from marnn_bench.generators.languages.regular import Regular
from marnn_bench.generators.languages.shuffles import Shuffle
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

ENCLOSED = [d for d in DEFINITIONS if d.language.envelope is not None]
WITHOUT = (EvenPalindromes, Regular, Shuffle)
every_enclosed = pytest.mark.parametrize("definition", ENCLOSED, ids=lambda d: d.name)

ORDER = {
    "anbn": "a+b+",
    "anbncn": "a+b+c+",
    "anbncndn": "a+b+c+d+",
    "anb2n": "a+b+",
    "anb3n": "a+b+",
    "unary-addition": "a+b+c+",
    "unary-addition-nm": "a+b+c+",
    "anbmcndm": "a+b+c+d+",
    "unary-multiplication": "a+b+c+",
    "anbncbmam": "a+b+cb+a+",
}


@every_enclosed
def test_it_is_a_finite_automaton_of_few_states(definition: Definition) -> None:
    assert isinstance(definition.language.envelope, DFA)
    assert len(definition.language.envelope.states) < 2_000


@every_enclosed
def test_it_accepts_every_short_member(definition: Definition) -> None:
    """Of all strings that there are."""
    language = definition.language
    assert language.envelope is not None
    symbols = len(language.alphabet)
    longest = next(length for length in range(11, 0, -1) if symbols**length < 20_000)
    for length in range(longest + 1):
        strings = all_strings(symbols, length)
        texts = strings.texts(language.alphabet)
        member = [definition.member(tuple(text.split())) for text in texts]
        assert language.envelope.accepts(strings.take(np.flatnonzero(member))).all()


@every_enclosed
def test_it_accepts_members_that_no_finite_memory_holds(definition: Definition) -> None:
    language = definition.language
    window = Window(80, 120) if language.measure == "length" else small_window(language)
    strings = language.law("uniform").draw(window, Key(1), np.arange(200, dtype=np.uint64))
    assert language.envelope is not None
    assert language.envelope.accepts(strings).all()


@pytest.mark.parametrize("definition", [d for d in ENCLOSED if d.language.outline], ids=lambda d: d.name)
def test_that_of_blocks_is_their_order(definition: Definition) -> None:
    language = definition.language
    assert language.envelope is not None
    for length in range(8):
        strings = all_strings(len(language.alphabet), length)
        texts = strings.texts(language.alphabet)
        expected = [bool(re.fullmatch(ORDER[language.name], text.replace(" ", ""))) for text in texts]
        assert language.envelope.accepts(strings).tolist() == expected


def test_that_of_brackets_knows_the_innermost_eight() -> None:
    """Beneath them anything may close, and nothing needs to; [ for ( among the last eight is seen."""
    language = Dyck(2)
    texts = {
        "( " * 20 + ") " * 20: True,
        "( " * 20 + ") " * 8: True,
        "( " * 20 + ") " * 7: False,
        "( " * 20 + ") " * 8 + "] " * 30: True,
        "( " * 20 + ") " * 7 + "] ": False,
        "( " * 8 + ") " * 9: False,
    }
    strings = Strings.from_texts(language.alphabet, list(texts))
    assert language.envelope.accepts(strings).tolist() == [*texts.values()]


def test_some_have_none() -> None:
    assert {type(d.language) for d in DEFINITIONS if d not in ENCLOSED} >= set(WITHOUT)
    assert not [d.name for d in ENCLOSED if isinstance(d.language, WITHOUT)]
