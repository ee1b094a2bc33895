"""Reading grammars: exact fractions, nltk's opinion of the same text, and an error with a line for all that is wrong."""

import warnings
from fractions import Fraction

import nltk
import pytest

from marnn_bench.generators.devices.grammar import Grammar
from marnn_bench.generators.devices.grammar_text import read_rules, read_rules_without_probabilities
from marnn_bench.generators.errors import LanguageError

SENTENCES = """
    # the example of Jurafsky and Martin, abridged
    S -> NP VP [0.8] | Aux NP VP [0.15] | VP [0.05]
    NP -> Det Nominal [0.2] | 'I' [0.4] | "Houston" [0.4]
    Nominal -> 'flight' [0.75] | Nominal 'flight' [0.25]   # it's recursive
    VP -> 'book' NP [0.9] | \\
        'include' [0.1]
    Det -> 'that' [0.6] | 'a' [0.4]
    Aux -> 'do#es' [1.0]
"""


def test_nltk_reads_the_same_rules() -> None:
    ours = [
        (rule.left, [part.name for part in rule.right], float(rule.probability))
        for rule in read_rules(SENTENCES)
    ]
    without_comments = "\n".join(line.split("   #")[0] for line in SENTENCES.splitlines())
    theirs = nltk.PCFG.fromstring(without_comments)
    assert ours == [(str(p.lhs()), [str(x) for x in p.rhs()], p.prob()) for p in theirs.productions()]
    assert str(theirs.start()) == "S"


def test_probabilities_are_exact() -> None:
    rules = read_rules("S -> 'a' S [1/3] | 'b' [0.1] | [17/30]")
    assert [rule.probability for rule in rules] == [Fraction(1, 3), Fraction(1, 10), Fraction(17, 30)]


def test_symbols_may_look_like_anything_but_spaces() -> None:
    symbols = [
        part.name
        for rule in read_rules("S -> '#' '[' '|' \"'\" '->' '\\' [1] # S -> 'x'")
        for part in rule.right
    ]
    assert symbols == ["#", "[", "|", "'", "->", "\\"]


def test_one_line_may_stand_for_many_rules() -> None:
    rules = read_rules("S -> N [1]\nN -> 'n{i}' 'x' [1/3] | 'm{i}' [1/6] for i = 4..5  # four of them")
    assert [str(rule) for rule in rules[1:]] == [
        "N -> 'n4' 'x' [1/3]", "N -> 'm4' [1/6]", "N -> 'n5' 'x' [1/3]", "N -> 'm5' [1/6]",
    ]  # fmt: skip


def test_sums_that_are_almost_one_are_normalised_with_a_warning() -> None:
    with pytest.warns(
        UserWarning, match=r"Line 1: the probabilities of S add up to 0\.9999999; divided by that"
    ):
        rules = read_rules("S -> 'a' [0.3333333] | 'b' [0.6666666]")
    assert [rule.probability for rule in rules] == [Fraction(3333333, 9999999), Fraction(6666666, 9999999)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_rules("S -> 'a' [1/3] | 'b' [2/3]")


def test_without_probabilities_alternatives_share_them_equally() -> None:
    rules = read_rules_without_probabilities("S -> 'a' S | 'b' S |\nS -> 'c'")
    assert {rule.probability for rule in rules} == {Fraction(1, 4)}
    with pytest.raises(LanguageError, match=r"Line 2, `S -> 'b' \[1\]`: .* leave them out"):
        read_rules_without_probabilities("S -> 'a'\nS -> 'b' [1]")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "A grammar needs at least one rule"),
        ("# nothing but this", "A grammar needs at least one rule"),
        ("S 'a' [1]", r"Line 1, `S 'a' \[1\]`: a rule begins with a nonterminal and an arrow"),
        ("'a' -> S [1]", "Line 1.*a rule begins with a nonterminal and an arrow"),
        ("\n\nS -> 'a' [1/2] | $ [1/2]", r"Line 3.*cannot be read from `\$ \[1/2\]` on"),
        ("S -> 'a [1]", "Line 1.*cannot be read from `'a"),
        ("S -> 'a' [1/2] 'b' [1/2]", "Line 1.*'b' is not expected here"),
        ("S -> 'a' -> 'b' [1]", "Line 1.*-> is not expected here"),
        ("S -> 'a' | 'b' [1]", "Line 1.*the right side 'a' has no probability"),
        ("S -> 'a' [1/2] |", "Line 1.*the right side nothing has no probability"),
        ("S -> 'a' [half]", r"Line 1.*\[half\] is no probability"),
        ("S -> 'a' [1/0]", r"Line 1.*\[1/0\] is no probability"),
        ("S -> 'a' [0] | 'b' [1]", r"Line 1.*above 0 and at most 1, not \[0\]"),
        ("S -> 'a' [3/2]", "Line 1.*above 0 and at most 1"),
        ("S -> 'a b' [1]", "Line 1.*symbol 'a b' is empty or has a space in it"),
        ("S -> '' [1]", "Line 1.*symbol '' is empty"),
        ("S -> 'a' [1/2] | \\\n 'END' [1/2]", "Line 1.*END is reserved"),
        ("S -> 'a' [1/2]\nS -> 'b' [0.4]", "Line 1.*the probabilities of S add up to 9/10, not 1"),
        ("S -> 'a' T [1]", r"Line 1, `S -> 'a' T \[1\]`: T has no rule; quote it if it is a symbol"),
        ("S -> 'a' [1]\nT -> 'b' [1]", "Line 2.*T cannot be reached from S"),
        ("S -> 'a' [1/2] | T [1/2]\nT -> T 'b' [1]", "Line 2.*no string can be derived from T"),
        ("S -> S 'a' [1]", "Line 1.*the language is empty"),
        ("S -> [1]", "derives no string but the empty one"),
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_names_the_rule_and_the_line(text: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message) as caught:
        Grammar.parse(text)
    assert "\n" not in str(caught.value)
