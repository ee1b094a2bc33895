"""Grammars against brute force, nltk, closed forms, and the law of the Dyck languages that has a device of its own."""

from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import comb, exp, inf, isclose, log

import nltk
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from helpers.frequencies import assert_drawn
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.grammar import Grammar
from marnn_bench.generators.devices.grammar_text import Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.thresholds import EXACT
from marnn_bench.generators.window import Window

KEY = derive_key({"test": "grammar"})
DYCK2 = Grammar.parse("S -> '(' S ')' [1/4] | '[' S ']' [1/4] | S S [1/4] | [1/4]")

FINITE = {
    "ambiguous": "S -> S S [1/3] | 'a' [1/3] | 'b' [1/3]",
    "arithmetic": "E -> E '+' E [1/4] | 'x' [1/2] | '-' E [1/4]",
    "regular": "S -> 'a' S [1/2] | 'b' [1/3] | [1/6]",
    "one string": "S -> 'a' 'b' 'a' [1]",
    "empty rules": "S -> A 'b' B [1]\nA -> 'a' A [1/2] | [1/2]\nB -> 'b' B [1/3] | [2/3]",
    "unit rules": "S -> T [1/2] | 'a' T 'b' [1/2]\nT -> U [1/2] | 'a' [1/2]\nU -> 'b' U 'b' [1/3] | 'b' [2/3]",
    "empty parts": "S -> A B [1/2] | 'c' [1/2]\nA -> 'a' [1/2] | [1/2]\nB -> A [1/2] | 'b' B 'b' [1/4] | [1/4]",
    "same rule twice": "S -> 'a' S [1/4] | 'a' S [1/4] | 'b' [1/2]",
}
"""Grammars that give every string finitely many derivations."""

CYCLIC = {
    "brackets": "S -> '(' S ')' [1/2] | S S [1/4] | [1/4]",
    "unit cycle": "S -> T [1/2] | 'a' [1/2]\nT -> S [1/3] | 'b' T [1/3] | 'b' [1/3]",
    "hidden cycle": "S -> A S B [1/4] | 'c' [1/4] | T [1/4] | [1/4]\nT -> S T [1/2] | 'a' [1/4] | [1/4]\n"
    "A -> [1/2] | 'a' A [1/2]\nB -> A [1/2] | [1/2]",
    "derives itself alone": "S -> S [9/10] | 'a' S [1/20] | 'b' [1/20]",
    "silent part": "S -> E S 'a' [1/3] | E [1/3] | 'b' [1/3]\nE -> E E [1/4] | [3/4]",
    "never ends": "S -> S S [2/3] | 'a' [1/9] | 'b' [1/9] | [1/9]",
}
"""Grammars in which a nonterminal derives itself."""

every_grammar = pytest.mark.parametrize("text", [*FINITE.values(), *CYCLIC.values()], ids=[*FINITE, *CYCLIC])
every_finite_grammar = pytest.mark.parametrize("text", FINITE.values(), ids=FINITE)


def masses(
    rules: tuple[Rule, ...], longest: int, rounds: int, one: Fraction | float
) -> dict[str, dict[tuple[str, ...], Fraction | float]]:
    """Of each nonterminal, the probability of each string up to `longest`, by derivations of at most so many levels.

    Straight from the rules: no lengths, no pairs, no equations solved.
    """
    found: dict[str, dict[tuple[str, ...], Fraction | float]] = {rule.left: {} for rule in rules}
    for _ in range(rounds):
        deeper: dict[str, dict[tuple[str, ...], Fraction | float]] = {rule.left: {} for rule in rules}
        for rule in rules:
            whole = {(): rule.probability * one}
            for part in rule.right:
                options = {(part.name,): one} if part.is_symbol else found[part.name]
                longer: dict[tuple[str, ...], Fraction | float] = {}
                for (begun, p), (ended, q) in product(whole.items(), options.items()):
                    if len(begun) + len(ended) <= longest:
                        longer[begun + ended] = longer.get(begun + ended, 0 * one) + p * q
                whole = longer
            for string, p in whole.items():
                deeper[rule.left][string] = deeper[rule.left].get(string, 0 * one) + p
        if deeper == found:
            break
        found = deeper
    return found


def every_string(grammar: Grammar, longest: int) -> list[tuple[str, ...]]:
    return [s for n in range(longest + 1) for s in product(grammar.alphabet, repeat=n)]


def batch(grammar: Grammar, strings: list[tuple[str, ...]]) -> Strings:
    return Strings.from_texts(grammar.alphabet, map(" ".join, strings))


@every_grammar
def test_probabilities_are_those_of_all_derivations(text: str) -> None:
    """Of every string up to five symbols, the sum over its derivations up to 1,000 levels; and of every length."""
    grammar, longest = Grammar.parse(text), 5
    brute = masses(grammar.rules, longest, 1_000, 1.0)[grammar.rules[0].left]
    strings = every_string(grammar, longest)
    found = np.exp(grammar.log_prob(batch(grammar, strings)))
    expected = np.array([brute.get(string, 0.0) for string in strings])
    assert np.allclose(found, expected, rtol=1e-11, atol=1e-300)
    for length in range(longest + 1):
        total = sum(p for string, p in brute.items() if len(string) == length)
        assert isclose(float(grammar.probability(length)), total, rel_tol=1e-11, abs_tol=1e-300)


@every_finite_grammar
def test_probabilities_of_lengths_are_exact_fractions(text: str) -> None:
    """To 95 digits, where all derivations can be summed in fractions."""
    grammar, longest = Grammar.parse(text), 6
    brute = masses(grammar.rules, longest, 50, Fraction(1))[grammar.rules[0].left]
    for length in range(longest + 1):
        total = Fraction(sum(p for string, p in brute.items() if len(string) == length))
        expected = EXACT.divide(Decimal(total.numerator), Decimal(total.denominator))
        assert abs(grammar.probability(length) - expected) <= expected * Decimal("1e-95")


@every_finite_grammar
def test_derivations_are_counted_one_by_one(text: str) -> None:
    """As the number of ways in which rules of weight one derive a string."""
    grammar, longest = Grammar.parse(text), 6
    counting = tuple(Rule(rule.left, rule.right, Fraction(1), rule.line) for rule in grammar.rules)
    ways = masses(counting, longest, 50, Fraction(1))[grammar.rules[0].left]
    for length in range(longest + 1):
        assert grammar.derivations(length) == sum(w for string, w in ways.items() if len(string) == length)


@every_grammar
def test_frequencies_follow_the_law(text: str) -> None:
    """Chi-square of 50,000 draws over every string of the window; no draw outside the language."""
    grammar, window = Grammar.parse(text), Window(0, 5)
    for law in (grammar.law(), grammar.law("balanced", balanced=True)):
        strings = batch(grammar, every_string(grammar, window.high))
        chances = np.exp(law.log_prob(strings, window))
        assert isclose(chances.sum(), 1, rel_tol=1e-10)
        assert_drawn(law.draw(window, KEY, np.arange(50_000, dtype=np.uint64)), strings, chances)


# -- grammars nobody thought of


@st.composite
def grammars(draw: st.DrawFn) -> Grammar:
    """Two nonterminals, two symbols, right sides of up to three parts."""
    lines = []
    for left in ("S", "T"):
        sides = draw(
            st.lists(st.lists(st.sampled_from(["'a'", "'b'", "S", "T"]), max_size=3), min_size=1, max_size=4)
        )
        weights = draw(st.lists(st.integers(1, 9), min_size=len(sides), max_size=len(sides)))
        for side, weight in zip(sides, weights, strict=True):
            lines.append(f"{left} -> {' '.join(side)} [{weight}/{sum(weights)}]")
    try:
        return Grammar.parse("\n".join(lines), Alphabet.of("a b"))
    except LanguageError:
        assume(False)
        raise


@settings(max_examples=150)
@given(grammars())
def test_no_grammar_departs_from_the_sum_over_its_derivations(grammar: Grammar) -> None:
    longest, rounds = 3, 400
    try:
        found = np.exp(grammar.log_prob(batch(grammar, every_string(grammar, longest))))
    except LanguageError as error:
        assert "leave out the nonterminals that derive nothing but the empty string" in str(error)
        return
    brute, before = (masses(grammar.rules, longest, r, 1.0)["S"] for r in (rounds, rounds - 100))
    expected, earlier = (
        np.array([found.get(string, 0.0) for string in every_string(grammar, longest)])
        for found in (brute, before)
    )
    assert (expected <= found * (1 + 1e-9)).all()  # some derivations cannot weigh more than all
    settled = expected - earlier <= expected * 1e-12
    assert np.allclose(found[settled], expected[settled], rtol=1e-8)
    for length in range(longest + 1):
        total = sum(p for p, s in zip(found, every_string(grammar, longest), strict=True) if len(s) == length)
        assert isclose(float(grammar.probability(length)), total, rel_tol=1e-10)


@settings(max_examples=60)
@given(grammars(), st.integers(0, 2**64 - 1), st.lists(st.integers(0, 2**63), min_size=1, max_size=4))
def test_a_draw_depends_on_its_number_alone(grammar: Grammar, key: int, numbers: list[int]) -> None:
    """Whatever batch it is made in; and every draw is a member of the length asked."""
    window = Window(0, 20)
    try:
        law = grammar.law()
        together = law.draw(window, key, np.array(numbers, np.uint64))  # type: ignore[arg-type]
    except LanguageError:
        assume(False)
        raise
    for i, number in enumerate(numbers):
        alone = law.draw(window, key, np.array([number], np.uint64))  # type: ignore[arg-type]
        assert alone.ids.tolist() == together[i].tolist()
    assert np.isfinite(law.log_prob(together, window)).all()


# -- the Dyck languages' own law


def test_the_length_law_of_dyck_is_that_of_its_own_device() -> None:
    """P(empty) is 2 - sqrt 3, and the special law adds up numbers of trees (to 28 digits) instead of solving anything."""
    special = Dyck(2).law("pcfg:p=1/2,q=1/4").size_weights(Window(0, 128))  # type: ignore[attr-defined]
    root = EXACT.subtract(2, EXACT.sqrt(Decimal(3)))
    assert abs(DYCK2.probability(0) - root) < Decimal("1e-98")
    for length in range(0, 129, 2):
        assert abs(DYCK2.probability(length) - special[length]) <= special[length] * Decimal("1e-90")
        assert DYCK2.probability(length + 1) == 0


@pytest.mark.parametrize("window", [Window(2, 8), Window(52, 100)], ids=str)
def test_probabilities_of_dyck_strings_are_those_of_its_own_device(window: Window) -> None:
    special, general = Dyck(2).law("pcfg:p=1/2,q=1/4"), DYCK2.law()
    strings = special.draw(window, KEY, np.arange(200, dtype=np.uint64))
    assert np.allclose(general.log_prob(strings, window), special.log_prob(strings, window), rtol=1e-13)


def test_both_dyck_samplers_follow_the_law() -> None:
    """Lengths and maximal depths of 40,000 strings each in [52, 100] have one distribution."""
    draws, window, tables = np.arange(40_000, dtype=np.uint64), Window(52, 100), []
    for law in (Dyck(2).law("pcfg:p=1/2,q=1/4"), DYCK2.law()):
        strings = law.draw(window, KEY, draws)
        depths = np.maximum.reduceat(Dyck(2).depths(strings), strings.offsets[:-1])
        tables.append((np.bincount(strings.lengths, minlength=101), np.bincount(depths, minlength=51)))
    for ours, theirs in zip(*tables, strict=True):
        common = ours + theirs > 40
        assert stats.chi2_contingency([ours[common], theirs[common]]).pvalue > 1e-4


# -- grammars at and beyond the edge


@pytest.mark.parametrize("p", ["1/2", "2/3", "1/3"], ids=["critical", "supercritical", "subcritical"])
def test_binary_trees_have_their_closed_form(p: str) -> None:
    """S -> S S [p] | a [1-p]: n symbols in catalan(n-1) trees of weight p^(n-1) (1-p)^n each, whether or not it ends."""
    grammar, chance = Grammar.parse(f"S -> S S [{p}] | 'a' [{1 - Fraction(p)}]"), Fraction(p)
    for n in (1, 2, 3, 10, 100, 500):
        exact = comb(2 * n - 2, n - 1) // n * chance ** (n - 1) * (1 - chance) ** n
        expected = EXACT.divide(Decimal(exact.numerator), Decimal(exact.denominator))
        assert abs(grammar.probability(n) - expected) <= expected * Decimal("1e-90")


@pytest.mark.parametrize(
    ("text", "empty"),
    [
        ("S -> E 'a' [1]\nE -> E E [1/2] | [1/2]", 1),  # critical
        ("S -> E 'a' [1]\nE -> E E [2/3] | [1/3]", Fraction(1, 2)),  # ends in half of all cases
        ("S -> E 'a' [1]\nE -> E [6/7] | [1/7]", 1),
        ("S -> E 'a' [1]\nE -> [1/7] | [1/7] | [1/7] | [1/7] | [1/7] | [1/7] | [1/7]", 1),
    ],
)
def test_silent_nonterminals_weigh_what_they_should(text: str, empty: Fraction) -> None:
    assert abs(Grammar.parse(text).probability(1) - Decimal(float(empty))) < Decimal("1e-98")


def test_what_newton_cannot_prove_is_refused() -> None:
    """Critical nonterminals that derive nothing, one built on the other: the error of one is the square root of the next."""
    nested = "S -> E 'a' [1]\nE -> E E [1/2] | F [1/2]\nF -> F F [1/2] | G [1/2]\nG -> G G [1/2] | [1/2]"
    with pytest.raises(
        LanguageError, match="leave out the nonterminals that derive nothing but the empty string"
    ):
        Grammar.parse(nested).probability(1)


def test_improbable_strings_do_not_underflow() -> None:
    """400 symbols of probability 1/1000 each, where another nonterminal finds them all but certain."""
    grammar = Grammar.parse(
        """
        S -> X 'c' [1/2] | Y 'd' [1/2]
        X -> 'a' X [1/1000] | 'a' [999/1000]
        Y -> 'a' Y [999/1000] | 'a' [1/1000]
        """
    )
    strings = batch(grammar, [("a",) * 400 + (last,) for last in "cda"])
    unlikely = log(0.5) + 399 * log(0.001) + log(0.999)
    likely = log(0.5) + 399 * log(0.999) + log(0.001)
    assert np.allclose(grammar.log_prob(strings), [unlikely, likely, -inf], rtol=1e-13)


def test_lengths_that_do_not_exist_are_refused() -> None:
    window = Window(7, 7)
    with pytest.raises(LanguageError, match="no string with a length in the window 7:7"):
        DYCK2.law().draw(window, KEY, np.arange(1, dtype=np.uint64))
    with pytest.raises(LanguageError, match="derives no string of length 7"):
        DYCK2.sample(np.array([6, 7]), KEY, np.arange(2, dtype=np.uint64))
    assert (DYCK2.law().log_prob(batch(DYCK2, [(), ("(", ")")]), Window(4, 6)) == -inf).all()


# -- counting strings

UNAMBIGUOUS = {
    "brackets": "S -> '(' S ')' S | '[' S ']' S |",
    "equal numbers": "S -> 'a' S 'b' |",
    "palindromes": "S -> 'a' S 'a' | 'b' S 'b' | 'a' | 'b' |",
}


@pytest.mark.parametrize("text", UNAMBIGUOUS.values(), ids=UNAMBIGUOUS)
def test_strings_of_an_unambiguous_grammar_are_its_derivations(text: str) -> None:
    grammar = Grammar.without_probabilities(text)
    brute = masses(grammar.rules, 8, 50, 1.0)["S"]
    for length in range(9):
        strings = [tuple(grammar.alphabet.symbols[i] for i in ids) for ids in grammar.enumerate(length)]
        assert len(strings) == grammar.count(length) == len(set(strings))
        assert set(strings) == {string for string in brute if len(string) == length}
        if strings:
            draws = np.arange(100 * len(strings), dtype=np.uint64)
            drawn = grammar.sample_uniform(np.full(len(draws), length), KEY, draws)
            assert_drawn(drawn, batch(grammar, strings), np.full(len(strings), 1 / len(strings)))


def test_numbers_of_strings_are_exact_beyond_64_bits() -> None:
    grammar = Grammar.without_probabilities("S -> '(' S ')' S | '[' S ']' S |")
    assert [grammar.count(2 * n) for n in (40, 100)] == [comb(2 * n, n) // (n + 1) * 2**n for n in (40, 100)]


def test_a_long_string_of_a_thin_language_is_enumerated_too() -> None:
    """However deep its derivation."""
    grammar = Grammar.without_probabilities("S -> 'a' S 'b' |")
    assert list(grammar.enumerate(960)) == [(0,) * 480 + (1,) * 480]
    assert list(grammar.enumerate(959)) == []


def test_strings_with_many_derivations_are_not_counted() -> None:
    ambiguous = Grammar.parse(FINITE["ambiguous"])
    with pytest.raises(LanguageError, match="count derivations, or declare the grammar unambiguous"):
        ambiguous.count(3)
    with pytest.raises(LanguageError, match="infinitely many derivations"):
        DYCK2.derivations(2)


# -- nltk's opinion


@every_grammar
def test_nltk_recognises_the_same_strings(text: str) -> None:
    """Its chart parser, asked for a complete edge, on every string up to four symbols."""
    grammar = Grammar.parse(text)
    rules = "\n".join(f"{rule.left} -> {' '.join(map(str, rule.right))}" for rule in grammar.rules)
    parser = nltk.ChartParser(nltk.CFG.fromstring(rules))
    start = nltk.Nonterminal(grammar.rules[0].left)
    strings = [string for string in every_string(grammar, 4) if string]
    for string, value in zip(strings, grammar.log_prob(batch(grammar, strings)), strict=True):
        edges = parser.chart_parse(string).select(span=(0, len(string)))
        assert any(e.is_complete() and e.lhs() == start for e in edges) == (value > -inf), string


@pytest.mark.parametrize("name", ["ambiguous", "arithmetic", "one string", "unit rules"])
def test_probabilities_are_the_sums_of_nltks_parses(name: str) -> None:
    """On grammars without empty rules: the inside parser's parses together, the Viterbi parser's best among them."""
    grammar = Grammar.parse(FINITE[name])
    lines = [
        f"{rule.left} -> {' '.join(map(str, rule.right))} [{float(rule.probability)}]"
        for rule in grammar.rules
    ]
    theirs = nltk.PCFG.fromstring("\n".join(lines))
    inside, viterbi = nltk.InsideChartParser(theirs), nltk.ViterbiParser(theirs)
    strings = [string for string in every_string(grammar, 4) if string]
    for string, value in zip(strings, grammar.log_prob(batch(grammar, strings)), strict=True):
        chances = [tree.prob() for tree in inside.parse(list(string))]
        assert isclose(exp(value), sum(chances), rel_tol=1e-9)
        best = [tree.prob() for tree in viterbi.parse(list(string))]
        assert isclose(best[0], max(chances), rel_tol=1e-9) if chances else not best
