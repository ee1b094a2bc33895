"""Finite automata nobody thought of, and a plain interpreter of them."""

from fractions import Fraction
from itertools import product

from hypothesis import assume
from hypothesis import strategies as st

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.finite_automaton import DFA, Transition
from marnn_bench.generators.errors import LanguageError

AB = Alphabet.of("a b")
STATES = "pqrst"
WORDS = [word for length in range(7) for word in product("ab", repeat=length)]


@st.composite
def automata(draw: st.DrawFn) -> DFA:
    states = st.sampled_from(STATES)
    weights = st.fractions(Fraction(1, 9), 3, max_denominator=9)
    moves = draw(
        st.dictionaries(st.tuples(states, st.sampled_from("ab")), st.tuples(states, weights), min_size=3)
    )
    transitions = tuple(Transition(*source, *target) for source, target in moves.items())
    named = sorted({"p", *(q for t in transitions for q in (t.state, t.to))})
    try:
        return DFA(AB, "p", frozenset(draw(st.sets(st.sampled_from(named), min_size=1))), transitions)
    except LanguageError:
        assume(False)
        raise


def step(automaton: DFA, state: str | None, symbol: str) -> Transition | None:
    """The transition of a symbol, looked for from the first to the last."""
    return next((t for t in automaton.transitions if (t.state, t.symbol) == (state, symbol)), None)


def after(automaton: DFA, state: str | None, word: tuple[str, ...]) -> str | None:
    """The state that a word leads to."""
    for symbol in word:
        transition = step(automaton, state, symbol)
        state = transition.to if transition else None
    return state
