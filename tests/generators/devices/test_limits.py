"""What would take minutes is refused at once, with its size and what would do."""

from decimal import Decimal

import numpy as np
import pytest

from marnn_bench.generators.devices import binarised_grammar
from marnn_bench.generators.devices.grammar import Grammar
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.language import Language
from marnn_bench.generators.languages.dyck import Dyck
from marnn_bench.generators.languages.gender import Gender
from marnn_bench.generators.languages.regular import Regular
from marnn_bench.generators.languages.shuffles import Shuffle
from marnn_bench.generators.strings import Strings
from marnn_bench.generators.window import Window

KEY = derive_key({"test": "limits"})
ONE = np.arange(1, dtype=np.uint64)
DIGITS = Regular.parse(
    "digits",
    f"start 0\naccept 0\n0 a -> 1 [1/{10**49 + 7}]\n1 a -> 0 [1/{10**49 + 9}]\n0 b -> 0 [1/{10**49 + 13}]",
)
DYCK1 = "S -> '(' S ')' [1/2] | S S [1/4] | [1/4]"


@pytest.mark.parametrize("window", [Window(1, 20_000), Window(0, 10**17), Window(30_000, 30_000)])
def test_a_window_whose_tables_would_take_minutes_is_refused_with_one_that_would_do(window: Window) -> None:
    law = Grammar.parse(DYCK1).law()
    with pytest.raises(
        LanguageError, match=r"take tables of .* steps .*, more than 30,000,000: ask for up to 4,096"
    ):
        law.draw(window, KEY, ONE)


@pytest.mark.parametrize(
    ("language", "spec", "message"),
    [
        (Dyck(2), "pcfg", r"tables for strings of up to 4,000 symbols, .* 1:20000 is too wide. Try 1:4000"),
        (Dyck(2), "suzgun-truncated", r"tables for strings of up to 4,000 symbols"),
        (Shuffle(2), "uniform", r"the tables of shuffle2 reach up to 1,000, beyond which they take minutes. Try 1:1000"),
        (Gender(), "uniform", r"the tables of gender reach up to \d,\d+, beyond which they take minutes. Try 1:\d+"),
        (Gender(), "itg", r"Strings of 20,000 symbols take tables of .*: ask for up to 2,048 symbols"),
        (Dyck(2), "uniform", r"the tables of dyck2 reach up to 10,000, beyond which they take minutes. Try 1:10000"),
        (DIGITS, "uniform", r"the tables of digits reach up to 10,000, beyond"),
        (DIGITS, "weighted", r"products of these weights reach up to 511 symbols, .* or weights with fewer digits"),
    ],
)  # fmt: skip
def test_a_law_whose_tables_would_take_minutes_says_how_far_they_reach(
    language: Language, spec: str, message: str
) -> None:
    with pytest.raises(LanguageError, match=message):
        language.law(spec).draw(Window(1, 20_000 if spec != "weighted" else 5_000), KEY, ONE)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("suzgun-truncated:p=1e-50", r"which has the probability 2.0e-50"),
        ("suzgun-truncated:p=1/10,q=1/10", r"draws until a length is in the window 40:50"),
        ("suzgun-truncated:q=4/9", r"derivations of millions of brackets"),
    ],
)
def test_derivations_that_hardly_ever_fit_the_window_are_refused(spec: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        Dyck(2).law(spec).draw(Window(40 if "1/10" in spec else 2, 50), KEY, ONE)


def test_a_string_of_a_finite_automaton_is_enumerated_however_long_it_is() -> None:
    only_a = Regular.parse("only-a", "start q\naccept q\nq a -> q")
    assert [*only_a.enumerate(5_000)] == [(0,) * 5_000]


def test_numbers_of_derivations_grow_with_the_length_and_so_do_the_steps_they_take() -> None:
    grammar = Grammar.without_probabilities("S -> 'a' S 'a' S | 'b' S 'b' S | 'c' S 'c' S | ")
    with pytest.raises(
        LanguageError, match=r"Strings of 4,000 symbols take tables of .*: ask for up to 2,048 symbols"
    ):
        grammar.count(4_000)


def test_the_probability_of_a_string_that_would_take_minutes_is_refused() -> None:
    grammar = Grammar.parse(DYCK1)
    strings = Strings.from_texts(grammar.alphabet, ["( " * 2_000 + ") " * 2_000])
    with pytest.raises(LanguageError, match=r"The probability of a string of 4,000 symbols takes .* steps"):
        grammar.log_prob(strings)


def test_nonterminals_that_all_turn_into_one_another_are_refused_when_they_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Products grow with the cube of their number; the limit is lowered so that it is met in no time."""
    monkeypatch.setattr(binarised_grammar, "MAX_CLOSURE_WORK", 20_000)
    for number in (20, 40):
        units = " | ".join(f"N{j} [1/{number + 1}]" for j in range(number))
        text = "\n".join(f"N{i} -> {units} | 'a' [1/{number + 1}]" for i in range(number))
        if number == 20:
            assert Grammar.parse(text).probability(1) > Decimal("0.999")
        else:
            with pytest.raises(
                LanguageError, match=r"The unit and empty rules of this grammar, 42 symbols, .* use fewer"
            ):
                Grammar.parse(text).probability(1)


def test_a_derivation_that_hardly_ever_leaves_its_unit_rules_is_not_drawn() -> None:
    """Its probability is known all the same."""
    grammar = Grammar.parse(f"S -> T [1] \n T -> S [0.{'9' * 49}] | 'a' [1e-49]")
    assert abs(grammar.probability(1) - 1) < Decimal("1e-40")
    with pytest.raises(
        LanguageError, match=r"turns into itself 1\.0e\+49 times on average before it goes on"
    ):
        grammar.sample(np.array([1]), KEY, ONE)


def test_more_derivations_of_the_empty_string_than_can_be_written_are_refused() -> None:
    """2^(2^40): each nonterminal has the square of what the one below it has."""
    doubling = "\n".join(f"E{i} -> E{i + 1} E{i + 1} [1]" for i in range(40))
    grammar = Grammar.parse(f"S -> 'a' E0 [1]\n{doubling}\nE40 -> [1/2] | [1/2]")
    with pytest.raises(LanguageError, match=r"The empty string has more than 2\^1,000,000 derivations"):
        grammar.derivations(1)


def test_a_grammar_too_large_for_any_table_is_refused() -> None:
    """300 right sides of 1,000 nonterminals each, all different: 300,000 pairs."""
    sides = "\n".join(f"S -> N{i} {'N0 ' * 998}N{i} [1/300]" for i in range(300))
    ends = "\n".join(f"N{i} -> 'a{i}' [1]" for i in range(300))
    with pytest.raises(
        LanguageError, match=r"The grammar is too large to be counted or drawn from: for its 300,302 symbols"
    ):
        Grammar.parse(f"{sides}\n{ends}").probability(1)
