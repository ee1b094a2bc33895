"""Finite automata: a plain interpreter, brute force, what a text may not say."""

import numpy as np
import pytest
from hypothesis import given, settings

from helpers.finite_automata import AB, STATES, WORDS, after, automata
from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.finite_automaton import DFA, Transition
from marnn_bench.generators.devices.walks import Walks, _choices
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.keys import derive_key
from marnn_bench.generators.strings import Strings

BATCH = Strings.from_texts(AB, map(" ".join, WORDS))


def is_live(automaton: DFA, state: str | None) -> bool:
    """Whether acceptance can be reached, which takes at most one symbol for each other state."""
    return any(after(automaton, state, word) in automaton.accepting for word in WORDS if len(word) < 5)


@settings(max_examples=100)
@given(automata())
def test_membership_and_next_symbols_are_those_of_an_interpreter(automaton: DFA) -> None:
    live = {state: is_live(automaton, state) for state in (*STATES, None)}
    masks, accepted = automaton.next_symbols(BATCH), automaton.accepts(BATCH)
    for row, word in enumerate(WORDS):
        state = after(automaton, automaton.start, word)
        assert accepted[row] == (state in automaton.accepting)
        expected = {s for s in AB if live[after(automaton, state, (s,))]} | (
            {"END"} if accepted[row] else set()
        )
        mask = int(masks[BATCH.offsets[row + 1] - 1]) if word else automaton.first_symbols()
        assert set(AB.members(mask)) == expected, word


@settings(max_examples=100)
@given(automata())
def test_the_minimal_automaton_is_the_same_language_with_states_that_all_differ(automaton: DFA) -> None:
    minimal = automaton.minimal()
    assert minimal.accepts(BATCH).tolist() == automaton.accepts(BATCH).tolist()
    assert minimal.next_symbols(BATCH).tolist() == automaton.next_symbols(BATCH).tolist()
    assert minimal.live == set(minimal.states)
    futures = {
        tuple(after(minimal, state, word) in minimal.accepting for word in WORDS) for state in minimal.states
    }
    assert len(futures) == len(minimal.states)
    assert minimal.minimal() == minimal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "start q\naccept q r\nq a -> q\nq a -> r",
            r"`q a -> q` \(line 3\) and `q a -> r` \(line 4\): the automaton must be determin",
        ),
        ("start q\naccept any q\nq a -> q", "Line 2, `accept any q`: a finite automaton has no memory"),
        (
            "start q\naccept q\nq a -> q [1e-99999999]",
            "Line 3.*the weight 1e-99999999 has an exponent beyond 50",
        ),
        ("start q\naccept q\nalphabet b\nq a -> q", "Line 4, `q a -> q`: symbol a is not in the alphabet b"),
        ("start q\naccept q\nq END -> q", "END is reserved"),
        ("start q\naccept q\nq a b -> q", "Line 3, `q a b -> q`: a transition reads"),
        ("start q\naccept q\n\nq a -> q [x]", r"Line 4, `q a -> q \[x\]`: the weight x is no number"),
        ("start q\naccept q\nq a -> q [0]", "needs a weight above 0, not 0"),
        ("start q r\naccept q\nq a -> q", "starts in one state, not in q and r"),
        ("accept q\nq a -> q", "needs a line `start`"),
        ("start q\nstart r\naccept q\nq a -> q", "Line 2, `start r`: there is a line `start` already"),
        ("start q\naccept q\nq a q", "Line 3, `q a q`: write `start STATE`"),
        ("start q\naccept q", "An alphabet needs at least one symbol"),
    ],
)
def test_a_text_that_is_no_automaton_says_why(text: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        DFA.parse(text)


def test_symbols_with_spaces_and_unknown_ones_are_refused_in_data_too() -> None:
    with pytest.raises(LanguageError, match="has a space in it"):
        DFA(Alphabet(("a b",)), "q", frozenset("q"), (Transition("q", "a b", "q"),))
    with pytest.raises(LanguageError, match="Symbol 'c' is not in the alphabet a b"):
        DFA(AB, "q", frozenset("q"), (Transition("q", "c", "q"),))


def test_a_symbol_that_cannot_come_is_not_drawn_by_the_largest_random_word_either() -> None:
    """The last of the symbols to choose from has no threshold of its own, so it must be one that can come."""
    odd = DFA.parse("start q\naccept r\nq a -> r\nr a -> q\nq b -> q\nr b -> r\nq c -> s\ns c -> r")
    _, outcomes = _choices(Walks(odd), 2)
    q, r, s = (odd.states.index(state) for state in "qrs")
    assert outcomes[1, [q, r, s]].tolist() == [1, 2, 3], "one symbol to come: a, b, c"
    assert outcomes[2, [q, r, s]].tolist() == [3, 2, 3], "two: c c, a a or b b, c b"


def test_a_table_that_would_not_fit_is_refused_with_its_size() -> None:
    circle = "start 0\naccept 0\n" + "\n".join(f"{i} a -> {(i + 1) % 50}" for i in range(50))
    wide = DFA.parse(circle + "\nalphabet a " + " ".join(f"x{i}" for i in range(49)))
    with pytest.raises(
        LanguageError, match="65,536 symbols are too long for a sampler with 50 states and 50"
    ):
        Walks(wide).sample(np.array([60_000]), derive_key({}), np.zeros(1, np.uint64))
