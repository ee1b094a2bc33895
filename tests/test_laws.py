"""Samplers against their exact laws, and the laws against computations of another kind."""

from collections import Counter
from fractions import Fraction
from math import isclose, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import (
    MarkedPalindromes,
    StringReversal,
    homomorphic_palindromes,
)
from marnn_bench.generators.laws import Law
from marnn_bench.generators.sampling.distinct import select_distinct
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY = derive_key({"test": "laws"})
GRAMMAR = "pcfg:p=1/2,q=1/4"

LAWS = [
    (Dyck(1), GRAMMAR, Window(0, 10)),
    (Dyck(2), GRAMMAR, Window(2, 6)),
    (Dyck(2), "pcfg:p=2/5,q=1/2", Window(4, 6)),
    (Dyck(3), "pcfg:p=1/3,q=0", Window(2, 6)),
    (Dyck(1), "uniform", Window(2, 12)),
    (Dyck(2), "uniform", Window(0, 6)),
    (MarkedPalindromes(), "uniform", Window(2, 9)),
    (homomorphic_palindromes(), "uniform", Window(3, 7)),
    (StringReversal(), "uniform", Window(2, 8)),
]
every_law = pytest.mark.parametrize(
    ("language", "spec", "window"), LAWS, ids=lambda x: getattr(x, "name", str(x))
)


def draw(law: Law, window: Window, rows: int) -> Strings:
    return law.draw(window, KEY, np.arange(rows, dtype=np.uint64))


def members(language: Language, window: Window) -> Strings:
    return Strings.from_ids(
        language.alphabet, [row for length in window for row in language.enumerate(length)]
    )


@every_law
def test_probabilities_sum_to_one(language: Language, spec: str, window: Window) -> None:
    assert isclose(
        np.exp(language.law(spec).log_prob(members(language, window), window)).sum(), 1, rel_tol=1e-12
    )


@every_law
def test_frequencies_follow_the_law(language: Language, spec: str, window: Window) -> None:
    """Chi-square of 100,000 draws over every string of the window, rare ones together."""
    law, rows = language.law(spec), 100_000
    everything = members(language, window)
    expected = rows * np.exp(law.log_prob(everything, window))
    counted = Counter(draw(law, window, rows).texts(language.alphabet))
    observed = np.array([counted.pop(text, 0) for text in everything.texts(language.alphabet)])
    assert not counted, "strings outside the window or the language"
    assert not observed[expected == 0].any()
    rare = expected < 10
    cells = [np.append(x[~rare], x[rare].sum()) for x in (observed, expected)]
    cells = [x[cells[1] > 0] for x in cells]
    assert stats.chisquare(*cells).pvalue > 1e-4


@every_law
def test_a_string_outside_the_law_has_probability_zero(language: Language, spec: str, window: Window) -> None:
    longer = next(n for n in range(window.high + 1, window.high + 9) if language.count(n))
    outside = Strings.from_ids(language.alphabet, [next(iter(language.enumerate(longer))), (0,)])
    assert (language.law(spec).log_prob(outside, window) == -np.inf).all()


def inside_probability(string: str, pairs: int, p: float, q: float) -> float:
    """P(S derives the string) by the inside algorithm on S -> open S close | S S | nothing, in plain floats."""
    r = 1 - p - q
    empty = (1 - sqrt(1 - 4 * q * r)) / (2 * q) if q else r
    closing = dict(["()", "[]", "{}"][:pairs])
    inside: dict[tuple[int, int], float] = {(i, i): empty for i in range(len(string) + 1)}
    for width in range(1, len(string) + 1):
        for i in range(len(string) - width + 1):
            j = i + width
            total = q * sum(inside[i, k] * inside[k, j] for k in range(i + 1, j))
            if closing.get(string[i]) == string[j - 1] and width >= 2:
                total += p / pairs * inside[i + 1, j - 1]
            inside[i, j] = total / (1 - 2 * q * empty)  # S S with one of them empty, any number of times
    return inside[0, len(string)]


@pytest.mark.parametrize(("p", "q"), [("1/2", "1/4"), ("1/3", "1/3"), ("3/5", "0"), ("1/10", "1/2")])
def test_probabilities_are_those_of_the_inside_algorithm(p: str, q: str) -> None:
    language, window = Dyck(2), Window(2, 8)
    everything = members(language, window)
    texts = [text.replace(" ", "") for text in everything.texts(language.alphabet)]
    inside = np.array([inside_probability(text, 2, float(Fraction(p)), float(Fraction(q))) for text in texts])
    found = np.exp(language.law(f"pcfg:p={p},q={q}").log_prob(everything, window))
    assert np.allclose(found, inside / inside.sum(), rtol=1e-11)


def test_the_length_law_follows_the_recurrence_of_the_grammar() -> None:
    """W(n) = (p W(n-1) + q sum W(i) W(n-i)) / (1 - 2 q W(0)), far beyond what can be enumerated."""
    empty, weights = 2 - sqrt(3), [2 - sqrt(3)]
    for n in range(1, 61):
        joined = sum(weights[i] * weights[n - i] for i in range(1, n))
        weights.append((0.5 * weights[n - 1] + 0.25 * joined) / (1 - 0.5 * empty))
    law = Dyck(2).law(GRAMMAR)
    found = law.size_weights(Window(0, 120))  # type: ignore[attr-defined]
    assert all(isclose(float(found[2 * n]), weights[n], rel_tol=1e-12) for n in range(61))
    assert sum(weights) < 1


def test_the_uniform_law_of_long_strings_is_the_inverse_count() -> None:
    language, window = Dyck(2), Window(200, 200)
    strings = draw(language.law("uniform"), window, 3)
    assert np.allclose(language.law("uniform").log_prob(strings, window), -log(language.count(200)))


def test_the_empty_string_is_drawn_where_the_window_allows_it() -> None:
    lengths = draw(Dyck(1).law(GRAMMAR), Window(0, 2), 20_000).lengths
    empty = 2 - sqrt(3)
    one_pair = 0.5 * empty / (1 - 0.5 * empty)
    assert abs((lengths == 0).mean() - empty / (empty + one_pair)) < 0.02


@settings(max_examples=30)
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


def test_the_truncated_law_has_the_statistics_of_the_published_program() -> None:
    """5,000 distinct strings of Dyck-2: mean lengths 25.04 and 73.04, mean maximal depths 7.34 and 14.29."""
    law = Dyck(2).law("suzgun-truncated")
    for window, mean_length, mean_depth in ((Window(2, 50), 25.04, 7.34), (Window(52, 100), 73.04, 14.29)):
        chosen = select_distinct(law.language, law, window, KEY, 5_000)  # type: ignore[attr-defined]
        strings = law.draw(window, KEY, chosen.draws)
        depths = np.maximum.reduceat(Dyck(2).depths(strings), strings.offsets[:-1])
        assert abs(strings.lengths.mean() - mean_length) < 4 * strings.lengths.std() / sqrt(5_000) * 1.5
        assert abs(depths.mean() - mean_depth) < 4 * depths.std() / sqrt(5_000) * 1.5
    with pytest.raises(LanguageError, match="no exact probabilities"):
        law.log_prob(strings, window)


def test_the_truncated_law_is_not_the_grammar() -> None:
    """In [52, 100] the published program prefers other lengths: the means of 20,000 draws are far apart."""
    window = Window(52, 100)
    exact, truncated = (
        draw(Dyck(2).law(spec), window, 20_000).lengths for spec in (GRAMMAR, "suzgun-truncated")
    )
    assert abs(exact.mean() - truncated.mean()) > 5 * exact.std() / sqrt(10_000)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("normal", "has no law 'normal'"),
        ("pcfg:p=1/2,q=1/2", "p \\+ q < 1"),
        ("pcfg:p=0,q=1/4", "p > 0"),
        ("pcfg:p=half", "is not NAME=NUMBER"),
        ("pcfg:r=1/4", "no parameter r"),
        ("suzgun-truncated:q=1/2,p=1/4", "q < 1/2"),
    ],
)
def test_a_law_that_cannot_be_says_why(spec: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        Dyck(2).law(spec)


def test_a_window_without_strings_names_the_nearest_that_has_some() -> None:
    with pytest.raises(LanguageError, match=r"dyck2 has no strings in the window 7:7. Try 7:8"):
        draw(Dyck(2).law("uniform"), Window(7, 7), 1)
