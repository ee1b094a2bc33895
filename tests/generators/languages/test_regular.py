"""Regular languages: those of Tomita 1982, and random automata against a plain interpreter."""

from fractions import Fraction
from math import prod

import pytest
from hypothesis import given, settings

from helpers.brute_force import all_strings
from helpers.definitions.regular import TEXTBOOK
from helpers.finite_automata import AB, WORDS, after, automata, step
from marnn_bench.generators.devices.finite_automaton import DFA
from marnn_bench.generators.devices.walks import Walks
from marnn_bench.generators.languages.regular import Regular
from marnn_bench.generators.languages.tomita import AUTOMATA, tomita
from marnn_bench.generators.strings import Strings


@pytest.mark.parametrize(("number", "states"), [(1, 1), (2, 2), (3, 4), (4, 3), (5, 4), (6, 3), (7, 4)])
def test_tomitas_languages_have_as_many_live_states_as_is_known(number: int, states: int) -> None:
    assert len(tomita(number).automaton.minimal().states) == states


@pytest.mark.parametrize("number", AUTOMATA)
def test_tomitas_languages_over_all_strings_up_to_length_14(number: int) -> None:
    language = tomita(number)
    strings = Strings.concatenate([all_strings(2, length) for length in range(15)])
    texts = strings.texts(language.alphabet)
    expected = [TEXTBOOK[number](text.replace(" ", "")) for text in texts]
    assert language.accepts(strings).tolist() == expected


def test_behind_an_odd_run_of_zeros_after_an_odd_run_of_ones_the_third_language_goes_on_with_zero() -> None:
    """A prefix is not dead because it is no member."""
    assert tomita(3).show_next("1 0 0 1") == "0/1/END 0 0/1/END 0/1/END"


def test_counts_are_exact_where_floats_are_not() -> None:
    """Strings without two ones in a row are counted by Fibonacci's numbers: F(302) has 63 digits."""
    fibonacci = Regular.parse("fibonacci", "start a\n accept a b\n a 0 -> a\n a 1 -> b\n b 0 -> a")
    a, b = 1, 2
    for _ in range(300):
        a, b = b, a + b
    assert fibonacci.count(300) == a


@settings(max_examples=50)
@given(automata())
def test_counts_enumeration_and_weights_are_those_of_an_interpreter(automaton: DFA) -> None:
    """Membership by the interpreter, the weight of a string by multiplying fractions along its walk."""
    language, weights = Regular("random", automaton), dict.fromkeys(range(6), Fraction(0))
    members: dict[int, list[tuple[int, ...]]] = {length: [] for length in weights}
    for word in WORDS:
        if len(word) in weights and after(automaton, automaton.start, word) in automaton.accepting:
            members[len(word)].append(tuple(map(AB.id, word)))
            states = [after(automaton, automaton.start, word[:cut]) for cut in range(len(word))]
            walk = [step(automaton, state, symbol) for state, symbol in zip(states, word, strict=True)]
            weights[len(word)] += prod((t.weight for t in walk if t), start=Fraction(1))
    for length, listed in members.items():
        assert [*language.enumerate(length)] == listed == [*Walks(automaton).enumerate(length)]
        assert language.count(length) == len(listed)
        assert language.walks.total(length) == weights[length]
