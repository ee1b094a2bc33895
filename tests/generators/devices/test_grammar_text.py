"""Reading grammars: exact fractions, nltk's opinion of the same text, and an error with a line for all that is wrong."""

import warnings
from decimal import Decimal
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
        ("S -> 'a{i}' [1/5] for i = 5..1", "Line 1.*the family 5..1 is empty; write the smaller number first"),
        ("S -> 'a' [1/5] for i = 1..5", r"Line 1.*\{i\} is not in the rule"),
        ("S -> 'a{i}' [1/5] for i = 1..100001", "Line 1.*a family has at most 100,000 rules, not those of 1..100001"),
        ("S -> 'a{i}' [1] for i = 1.." + "9" * 5_000, "Line 1.*a family has at most 100,000 rules"),
        ("S -> 'a{i}' [1/60000] for i = 1..60000\nS -> 'b{i}' [1/60000] for i = 1..60000", "Line 2.*more than 100,000 rules"),
        ("S -> 'a{i}' [1/70000] for i = 1..70000", "An alphabet has at most 65,536 symbols, not 70,000"),
        ("S -> " + "'a' " * 1_001 + "[1]", "Line 1.*a right side has at most 1,000 symbols and nonterminals, not 1,001"),
        ("S -> 'a{i}' " + "'b' " * 999 + "[1/1001] for i = 1..1001", "Line 1.*right sides have more than 1,000,000 parts"),
        ("S -> " + " | ".join(f"'a' [1/{10**49 + i}]" for i in range(700)), "Line 1.*a common denominator of more than 32,768 bits"),
        ("S -> 'a' [1e-5000] | 'b' [1]", r"Line 1.*\[1e-5000\] has an exponent beyond 50"),
        ("S -> 'a' [1/2]\x0b | 'b' [1/2]", r"Line 1 has a character that cannot be seen, U\+000B"),
        ("S -> 'a' [1/2] |\\\n 'b\u200b' [1/2]", r"Line 2 has .* U\+200B \(ZERO WIDTH SPACE\)"),
    ],
)  # fmt: skip
def test_a_text_that_cannot_be_names_the_rule_and_the_line(text: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message) as caught:
        Grammar.parse(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_grammars_as_large_as_they_may_be_are_read_in_seconds() -> None:
    """Whatever the order of their rules."""
    chain = [f"N{i} -> 'a' N{i + 1} [1/2] | 'b' [1/2]" for i in range(5_000)] + ["N5000 -> 'c' [1]"]
    for text in ("\n".join(chain), "\n".join([chain[0], *chain[:0:-1]])):
        grammar = Grammar.parse(text)
        assert grammar.probability(1) == Decimal("0.5")
        assert grammar.derivations(3) == 1
