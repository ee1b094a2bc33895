"""Samplers of counter, shuffle, arithmetic and regular languages against their exact laws."""

from collections import Counter
from math import comb, isclose

import numpy as np
import pytest
from definitions3 import TOMITA
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from test_languages import all_strings

from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages import counter_languages
from marnn_bench.generators.languages.arithmetic import BinaryAddition
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.palindromes import MarkedPalindromes
from marnn_bench.generators.languages.regular import Regular
from marnn_bench.generators.languages.shuffles import Shuffle
from marnn_bench.generators.laws import Law
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY = derive_key({"test": "laws3"})
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
    (counter_languages.anbn(), "uniform", Window(1, 12)),
    (counter_languages.unary_addition(), "uniform", Window(2, 9)),
    (counter_languages.unary_multiplication("length"), "uniform", Window(3, 30)),
    (counter_languages.anbncbmam(), "uniform", Window(5, 20)),
    (MarkedPalindromes(("a", "b"), ("a", "b"), measure="n"), "uniform", Window(1, 6)),
    (BinaryAddition(), "uniform", Window(0, 6)),
    (BinaryAddition(), "uniform-split", Window(0, 6)),
    (Shuffle(1), "uniform", Window(0, 10)),
    (Shuffle(2), "uniform", Window(2, 6)),
    (Shuffle(4), "uniform", Window(2, 4)),
    (Dyck(2), "uniform-strings", Window(2, 8)),
    (Regular.parse("tomita3", TOMITA[3]), "uniform", Window(0, 8)),
    (Regular.parse("tomita5", TOMITA[5]), "uniform", Window(1, 9)),
    (WEIGHTED, "uniform", Window(0, 5)),
    (WEIGHTED, "weighted", Window(0, 6)),
]
every_law = pytest.mark.parametrize(
    ("language", "spec", "window"), LAWS, ids=lambda x: getattr(x, "name", str(x))
)


def draw(law: Law, window: Window, rows: int) -> Strings:
    return law.draw(window, KEY, np.arange(rows, dtype=np.uint64))


def members(language: Language, window: Window) -> Strings:
    return Strings.from_ids(language.alphabet, [row for size in window for row in language.enumerate(size)])


@every_law
def test_probabilities_sum_to_one(language: Language, spec: str, window: Window) -> None:
    everything = members(language, window)
    assert isclose(np.exp(language.law(spec).log_prob(everything, window)).sum(), 1, rel_tol=1e-12)


@every_law
def test_frequencies_follow_the_law(language: Language, spec: str, window: Window) -> None:
    """Chi-square of 50,000 draws over every string of the window, rare ones together."""
    law, rows = language.law(spec), 50_000
    everything = members(language, window)
    expected = rows * np.exp(law.log_prob(everything, window))
    counted = Counter(draw(law, window, rows).texts(language.alphabet))
    observed = np.array([counted.pop(text, 0) for text in everything.texts(language.alphabet)])
    assert not counted, "strings outside the window or the language"
    rare = expected < 10
    cells = [np.append(x[~rare], x[rare].sum()) for x in (observed, expected)]
    cells = [x[cells[1] > 0] for x in cells]
    assert stats.chisquare(*cells).pvalue > 1e-4


@every_law
def test_a_string_outside_the_law_has_probability_zero(language: Language, spec: str, window: Window) -> None:
    larger = next(n for n in range(window.high + 1, window.high + 9) if language.count(n))
    wrong = all_strings(len(language.alphabet), 3)
    wrong = wrong.take(~language.accepts(wrong))
    outside = Strings.from_ids(language.alphabet, [next(iter(language.enumerate(larger))), *wrong])
    assert (language.law(spec).log_prob(outside, window) == -np.inf).all()


@every_law
def test_no_draws_give_no_strings(language: Language, spec: str, window: Window) -> None:
    assert len(draw(language.law(spec), window, 0)) == 0


@settings(max_examples=40)
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


def test_the_uniform_split_of_a_sum_is_not_uniform() -> None:
    """Of size 4: with x empty 8 strings share 1/5; with |x| = 1 there are 4 that do."""
    language, window = BinaryAddition(), Window(4, 4)
    sums = Strings.from_texts(language.alphabet, ["0 + 1 0 1 1 = 1 1 0 1 .", "1 + 1 0 1 = 0 1 1 ."])
    assert np.allclose(np.exp(language.law("uniform-split").log_prob(sums, window)), [1 / 40, 1 / 20])
    assert np.allclose(np.exp(language.law("uniform").log_prob(sums, window)), 1 / 28)


def test_splits_of_digits_are_uniform_far_beyond_what_can_be_enumerated() -> None:
    language, rows = BinaryAddition(), 30_000
    digits = language.digits(draw(language.law("uniform-split"), Window(60, 60), rows))
    assert (digits.sum(axis=1) == 60).all()
    assert stats.chisquare(np.bincount(digits[:, 0], minlength=61)).pvalue > 1e-4
    digits = language.digits(draw(language.law("uniform"), Window(60, 60), rows))
    weights = np.array([2, *[1] * 59, 2]) / 63
    assert stats.chisquare(np.bincount(digits[:, 0], minlength=61), rows * weights).pvalue > 1e-4


def test_shuffles_share_their_brackets_as_the_counts_say() -> None:
    """Of two kinds and 40 brackets: C(40, 2i) Catalan(i) Catalan(20-i) strings have i pairs of the first kind."""
    strings, rows = draw(Shuffle(2).law("uniform"), Window(40, 40), 20_000), 20_000
    firsts = (strings.ids.reshape(rows, 40) == 0).sum(axis=1)
    ways = [float(Dyck(1).count(2 * i) * Dyck(1).count(40 - 2 * i) * comb(40, 2 * i)) for i in range(21)]
    expected = rows * np.array(ways) / sum(ways)
    common = expected > 10
    cells = [np.append(x[common], x[~common].sum()) for x in (np.bincount(firsts, minlength=21), expected)]
    assert stats.chisquare(*cells).pvalue > 1e-4


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (lambda: Dyck(5).law("enclosed:outer=0"), "whole numbers of at least 1"),
        (lambda: Dyck(5).law("enclosed:parts=3/2"), "whole numbers of at least 1"),
        (lambda: Dyck(5).law("enclosed:depth=3"), "no parameter depth; it has outer, parts, pool"),
        (lambda: Dyck(5).law("uniform-strings:p=1"), "no parameter p; it has none"),
        (lambda: draw(Dyck(5).law("enclosed"), Window(11, 13), 1), r"has lengths 6, 10, \.\.\.: none is in"),
        (lambda: draw(Dyck(1).law("enclosed"), Window(18, 18), 1), "14 strings .* not 1,000"),
        (lambda: Shuffle(0), "1 to 8 kinds of brackets, not 0"),
        (lambda: Shuffle(9), "1 to 8 kinds of brackets, not 9"),
        (lambda: BinaryAddition().law("weighted"), "it has uniform, uniform-split"),
        (lambda: draw(Shuffle(2).law("uniform"), Window(1_002, 1_002), 1), "up to 1,000 symbols"),
    ],
)
def test_a_law_that_cannot_be_says_why(law: object, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        law()  # type: ignore[operator]
