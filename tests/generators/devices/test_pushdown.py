"""The pushdown device against a plain interpreter, on automata nobody thought of."""

from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.pushdown import Pushdown, Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.strings import Strings

AB = Alphabet.of("a b")
Configuration = tuple[str, tuple[str, ...]]

rules = st.builds(
    lambda state, symbol, action, stack, to: Rule(
        state, symbol, to=to, **({action: stack} if action else {})
    ),
    st.sampled_from("pqr"),
    st.sampled_from("ab"),
    st.sampled_from(["push", "pop", "push", "pop", ""]),
    st.sampled_from("XY"),
    st.sampled_from("pqr"),
)


@st.composite
def automata(draw: st.DrawFn) -> Pushdown:
    try:
        return Pushdown(
            AB,
            "p",
            frozenset(draw(st.sets(st.sampled_from("pqr"), min_size=1))),
            tuple(draw(st.lists(rules, min_size=2, max_size=8))),
        )
    except LanguageError:
        assume(False)
        raise


def step(automaton: Pushdown, configuration: Configuration, symbol: str) -> Configuration | None:
    state, stack = configuration
    for rule in automaton.rules:
        if rule.state == state and rule.symbol == symbol and (rule.pop is None or stack[-1:] == (rule.pop,)):
            stack = (*stack, rule.push) if rule.push else stack[:-1] if rule.pop else stack
            return rule.target, stack
    return None


def is_live(automaton: Pushdown, configuration: Configuration) -> bool:
    """Whether acceptance can be reached; with three states and two stack symbols six more on the stack are enough."""
    seen, todo = {configuration}, [configuration]
    highest = len(configuration[1]) + 6
    while todo:
        here = todo.pop()
        if here[0] in automaton.accepting and not here[1]:
            return True
        for symbol in AB:
            after = step(automaton, here, symbol)
            if after and after not in seen and len(after[1]) <= highest:
                seen.add(after)
                todo.append(after)
    return False


@settings(max_examples=150)
@given(automata())
def test_membership_and_next_symbols_are_those_of_an_interpreter(automaton: Pushdown) -> None:
    texts = [" ".join(word) for length in range(7) for word in product("ab", repeat=length)]
    batch = Strings.from_texts(AB, texts)
    masks, offsets = automaton.next_symbols(batch), batch.offsets
    for row, (text, accepted) in enumerate(zip(texts, automaton.accepts(batch), strict=True)):
        here: Configuration | None = ("p", ())
        for symbol in text.split():
            here = here and step(automaton, here, symbol)
        live = here is not None and is_live(automaton, here)
        assert accepted == (here is not None and here[0] in automaton.accepting and not here[1])
        expected = set()
        if here is not None and live:
            for symbol in AB:
                after = step(automaton, here, symbol)
                if after and is_live(automaton, after):
                    expected.add(symbol)
            expected |= {"END"} if accepted else set()
        if text:
            assert set(AB.members(int(masks[offsets[row + 1] - 1]))) == expected


@pytest.mark.parametrize(
    ("clash", "message"),
    [
        ((Rule("q", "a", push="X"), Rule("q", "a", pop="X")), "must be deterministic"),
        ((Rule("q", "a", to="r"), Rule("q", "a")), "must be deterministic"),
        ((Rule("q", "a", push="X", pop="X"),), "both pushes and pops"),
        ((Rule("q", "c"),), "not in the alphabet"),
    ],
)
def test_rules_that_cannot_be_are_named(clash: tuple[Rule, ...], message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        Pushdown(AB, "q", frozenset("q"), clash)


def test_an_automaton_is_read_from_its_text() -> None:
    written = Pushdown.parse("""
        # w # w^R over a b, one output a symbol
        start first
        accept second
        first a -> first, push a, write -
        first b -> first, push b, write -
        first # -> second, write -
        second a -> second, pop a, write a
        second b -> second, pop b, write b
    """, outputs=Alphabet.of("a b -"))  # fmt: skip
    strings = Strings.from_texts(written.alphabet, ["a b b # b b a"])
    assert written.alphabet.symbols == ("a", "b", "#")
    assert written.transduce(strings).texts(Alphabet.of("a b -")) == ["- - - - b b a"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q a -> q, shove X", "Line 4, `q a -> q, shove X`: a rule reads"),
        ("q -> q", "Line 4, `q -> q`: a rule reads"),
        ("q END -> q", "reserved"),
        ("q a -> q, push X, pop X", "both pushes and pops"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        Pushdown.parse(f"\n start q\n accept q\n {line}\n")
