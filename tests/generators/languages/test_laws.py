"""Samplers against their exact laws, string by string."""

from collections.abc import Callable
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.brute_force import all_strings, members
from helpers.definitions.regular import tomita
from helpers.frequencies import assert_drawn
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages import counter_languages
from marnn_bench.generators.languages.arithmetic import BinaryAddition
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import (
    MarkedPalindromes,
    StringReversal,
    homomorphic_palindromes,
)
from marnn_bench.generators.languages.regular import Regular
from marnn_bench.generators.languages.shuffles import Shuffle
from marnn_bench.generators.laws import Law
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY = derive_key({"test": "laws"})
WEIGHTED = Regular.parse(
    "weighted-ones",
    """
    start even
    accept even
    even 0 -> even [1/3]
    even 1 -> odd
    odd  0 -> odd [5/7]
    odd  1 -> even [2]
    odd  2 -> odd [1/10]
    """,
)

LAWS = [
    (Dyck(1), "pcfg:p=1/2,q=1/4", Window(0, 10)),
    (Dyck(2), "pcfg:p=1/2,q=1/4", Window(2, 6)),
    (Dyck(2), "pcfg:p=2/5,q=1/2", Window(4, 6)),
    (Dyck(3), "pcfg:p=1/3,q=0", Window(2, 6)),
    (Dyck(1), "uniform", Window(2, 12)),
    (Dyck(2), "uniform", Window(0, 6)),
    (Dyck(2), "uniform-strings", Window(2, 8)),
    (Shuffle(1), "uniform", Window(0, 10)),
    (Shuffle(2), "uniform", Window(2, 6)),
    (Shuffle(4), "uniform", Window(2, 4)),
    (MarkedPalindromes(), "uniform", Window(2, 9)),
    (MarkedPalindromes(("a", "b"), ("a", "b"), measure="n"), "uniform", Window(1, 6)),
    (homomorphic_palindromes(), "uniform", Window(3, 7)),
    (StringReversal(), "uniform", Window(2, 8)),
    (counter_languages.anbn(), "uniform", Window(1, 12)),
    (counter_languages.unary_addition(), "uniform", Window(2, 9)),
    (counter_languages.unary_multiplication("length"), "uniform", Window(3, 30)),
    (counter_languages.anbncbmam(), "uniform", Window(5, 20)),
    (BinaryAddition(), "uniform", Window(0, 6)),
    (BinaryAddition(), "uniform-split", Window(0, 6)),
    (tomita(3), "uniform", Window(0, 8)),
    (tomita(5), "uniform", Window(1, 9)),
    (WEIGHTED, "uniform", Window(0, 5)),
    (WEIGHTED, "weighted", Window(0, 6)),
]
every_law = pytest.mark.parametrize(
    ("language", "spec", "window"), LAWS, ids=lambda x: getattr(x, "name", str(x))
)


def draw(law: Law, window: Window, rows: int) -> Strings:
    return law.draw(window, KEY, np.arange(rows, dtype=np.uint64))


@every_law
def test_probabilities_sum_to_one(language: Language, spec: str, window: Window) -> None:
    log_probs = language.law(spec).log_prob(members(language, window), window)
    assert isclose(np.exp(log_probs).sum(), 1, rel_tol=1e-12)


@every_law
def test_frequencies_follow_the_law(language: Language, spec: str, window: Window) -> None:
    """Chi-square of 100,000 draws over every string of the window, rare ones together."""
    law, everything = language.law(spec), members(language, window)
    assert_drawn(draw(law, window, 100_000), everything, np.exp(law.log_prob(everything, window)))


@every_law
def test_a_string_outside_the_law_has_probability_zero(language: Language, spec: str, window: Window) -> None:
    """A member that is too large, and whatever of up to three symbols is no member."""
    larger = next(n for n in range(window.high + 1, window.high + 9) if language.count(n))
    short = Strings.concatenate([all_strings(len(language.alphabet), length) for length in range(4)])
    wrong = short.take(~language.accepts(short))
    outside = Strings.from_ids(language.alphabet, [next(iter(language.enumerate(larger))), *wrong])
    assert (language.law(spec).log_prob(outside, window) == -np.inf).all()


@every_law
def test_a_law_is_exact_if_it_gives_probabilities(language: Language, spec: str, window: Window) -> None:
    """Among all laws of its language, too."""
    assert language.law(spec).is_exact
    for name in language.law_names:
        law = language.law(name)
        if law.is_exact:
            assert len(law.log_prob(members(language, window), window)) > 0
        else:
            with pytest.raises(LanguageError, match="has no exact probabilities"):
                law.log_prob(members(language, window), window)


@every_law
def test_no_draws_give_no_strings(language: Language, spec: str, window: Window) -> None:
    assert len(draw(language.law(spec), window, 0)) == 0


@settings(max_examples=70)
@given(
    st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**63), min_size=1, max_size=5), st.sampled_from(LAWS)
)
def test_a_draw_depends_on_its_number_alone(
    key: int, numbers: list[int], case: tuple[Language, str, Window]
) -> None:
    """Whatever batch it is made in."""
    language, spec, window = case
    law = language.law(spec)
    together = law.draw(window, key, np.array(numbers, np.uint64))  # type: ignore[arg-type]
    for i, number in enumerate(numbers):
        alone = law.draw(window, key, np.array([number], np.uint64))  # type: ignore[arg-type]
        assert alone.ids.tolist() == together[i].tolist()


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (lambda: Dyck(2).law("normal"), "has no law 'normal'"),
        (lambda: Dyck(2).law("pcfg:p=1/2,q=1/2"), r"p \+ q < 1"),
        (lambda: Dyck(2).law("pcfg:p=0,q=1/4"), "p > 0"),
        (lambda: Dyck(2).law("pcfg:p=half"), "is not NAME=NUMBER"),
        (lambda: Dyck(2).law("pcfg:r=1/4"), "no parameter r"),
        (lambda: Dyck(2).law("suzgun-truncated:q=1/2,p=1/4"), "q < 1/2"),
        (lambda: Dyck(5).law("enclosed:outer=0"), "whole numbers of at least 1"),
        (lambda: Dyck(5).law("enclosed:parts=3/2"), "whole numbers of at least 1"),
        (lambda: Dyck(5).law("enclosed:depth=3"), "no parameter depth; it has outer, parts, pool"),
        (lambda: Dyck(5).law("uniform-strings:p=1"), "no parameter p; it has none"),
        (lambda: draw(Dyck(5).law("enclosed"), Window(11, 13), 1), r"has lengths 6, 10, \.\.\.: none is in"),
        (lambda: draw(Dyck(1).law("enclosed"), Window(18, 18), 1), "14 strings .* not 1,000"),
        (lambda: Shuffle(0), "1 to 8 kinds of brackets, not 0"),
        (lambda: Shuffle(9), "1 to 8 kinds of brackets, not 9"),
        (lambda: BinaryAddition().law("weighted"), "it has uniform, uniform-split"),
        (lambda: draw(Shuffle(2).law("uniform"), Window(1_002, 1_002), 1), "reach up to 1,000, beyond which they take minutes. Try 2:1000"),
        (lambda: draw(Dyck(2).law("uniform"), Window(7, 7), 1), r"dyck2 has no strings in the window 7:7\. Try 7:8"),
    ],
)  # fmt: skip
def test_a_law_that_cannot_be_says_why(law: Callable[[], object], message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        law()
