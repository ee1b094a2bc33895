"""Synchronous grammars: sides of any lengths and order, and what a text may not say."""

import numpy as np
import pytest

from marnn_bench.generators.devices.synchronous_grammar import SynchronousGrammar
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key

KEY = derive_key({"test": "synchronous"})


def test_sides_may_have_any_lengths_and_order() -> None:
    """Targets three times as long, empty or reordered; more of them than there is room for at first."""
    grammar = SynchronousGrammar.parse(
        """
        S -> 'a' S1 T2 | T2 'x' S1 'y' 'x' [1/2]
        S -> 'a'       |                   [1/2]
        T -> 'b'       | 'z'               [1]
        """
    )
    sources, targets = grammar.sample(np.full(200, 9), KEY, np.arange(200, dtype=np.uint64))
    assert set(sources.texts(grammar.sources.alphabet)) == {"a a a a a b b b b"}
    assert set(targets.texts(grammar.outputs)) == {"z x z x z x z x y x y x y x y x"}
    assert len(targets.ids) > len(sources.ids) + 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("S -> 'a' [1]", "Line 1.*a source side and a target side"),
        ("S -> 'a' | 'b' | 'c' [1]", "Line 1.*a source side and a target side"),
        ("S -> 'a' | 'b'", "Line 1.*the probability stands behind the target side"),
        ("S -> 'a' [1] | 'b'", "Line 1.*the probability stands behind the target side"),
        ("S -> | 'b' [1]", "Line 1.*the source side is empty"),
        ("S -> 'a' | 'b' [1/2]\nS -> 'a' S | S [1/2]", "Line 2.*number the nonterminal S, like S1"),
        ("S -> 'a' | 'b' [1/2]\nS -> 'a' S1 | S2 [1/2]", "Line 2.*each nonterminal, with its number, stands once"),
        ("S -> 'a' | 'b' [1/2]\nS -> S1 S1 | S1 S1 [1/2]", "Line 2.*each nonterminal, with its number, stands once"),
        ("S -> 'a' | 'b' [1/2]\nS -> 'a' S1 | 'b' [1/2]", "Line 2.*each nonterminal, with its number, stands once"),
        ("S -> 'a' | 'b' [1/2]\nS -> S1 | S1 'b' [1/2]", "derives itself"),
        ("S -> 'a' | 'b' [1/2]\nS -> T1 | T1 [1/2]", "Line 2.*T has no rule"),
        ("S -> 'a' | 'b' [1/2]", "Line 1.*the probabilities of S add up to 1/2"),
        ("S -> 'a' S1 | S1 [1]", "Line 1.*the language is empty"),
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_names_the_line(text: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        SynchronousGrammar.parse(text)
