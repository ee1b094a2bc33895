"""Dyck languages: known counts, the examples of papers, and their laws against computations of another kind."""

from fractions import Fraction
from math import isclose, log, sqrt

import numpy as np
import pytest

from helpers.brute_force import members
from marnn_bench.generators.alphabet import END
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.laws import Law
from marnn_bench.generators.sampling.distinct import select_distinct
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY = derive_key({"test": "dyck"})
GRAMMAR = "pcfg:p=1/2,q=1/4"


def draw(law: Law, window: Window, rows: int) -> Strings:
    return law.draw(window, KEY, np.arange(rows, dtype=np.uint64))


def test_dyck1_counts_are_catalan_numbers() -> None:
    assert [Dyck(1).count(2 * n) for n in range(10)] == [1, 1, 2, 5, 14, 42, 132, 429, 1430, 4862]


def test_counts_of_bernardy_2018() -> None:
    """Section 4: 625 and 6,917 strings of one kind of brackets up to 14 and 18, 131,250 of five of length 10."""
    assert sum(Dyck(1).count(n) for n in range(1, 15)) == 625
    assert sum(Dyck(1).count(n) for n in range(1, 19)) == 6_917
    assert Dyck(5).count(10) == 131_250


def test_the_example_of_table_1_of_suzgun_2019() -> None:
    openers = {"(", "["}
    shown = [set(cell.split("/")) - {END} for cell in Dyck(2).show_next("( [ ] )").split()]
    assert shown == [openers | {")"}, openers | {"]"}, openers | {")"}, openers]


def test_dyck_of_31_pairs_has_masks_and_of_32_has_not() -> None:
    widest = Dyck(31)
    assert len(widest.show_next("(8 )8").split()[1].split("/")) == 31 + 1
    with pytest.raises(Exception, match="up to 63 symbols"):
        Dyck(32).show_next("( )")


def test_more_than_63_symbols_are_accepted_without_masks() -> None:
    language = Dyck(40)
    strings = Strings.from_texts(language.alphabet, ["(40 ( ) )40", "(40 )"])
    assert language.accepts(strings).tolist() == [True, False]


# -- laws


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
