"""The pushdown device against a plain interpreter, on automata nobody thought of."""

from itertools import product
from math import comb

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.envelope import regular_envelope
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
            accepting_any=frozenset(draw(st.sampled_from(["", "", "q", "r"]))),
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


def accepts(automaton: Pushdown, here: Configuration) -> bool:
    """Whether a string may end here."""
    return here[0] in automaton.accepting_any or (here[0] in automaton.accepting and not here[1])


def is_live(automaton: Pushdown, configuration: Configuration) -> bool:
    """Whether acceptance can be reached; with three states and two stack symbols six more on the stack are enough."""
    seen, todo = {configuration}, [configuration]
    highest = len(configuration[1]) + 6
    while todo:
        here = todo.pop()
        if accepts(automaton, here):
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
        assert accepted == (here is not None and accepts(automaton, here))
        expected = set()
        if here is not None and live:
            for symbol in AB:
                after = step(automaton, here, symbol)
                if after and is_live(automaton, after):
                    expected.add(symbol)
            expected |= {"END"} if accepted else set()
        if text:
            assert set(AB.members(int(masks[offsets[row + 1] - 1]))) == expected


@settings(max_examples=50)
@given(automata(), st.integers(0, 3))
def test_a_regular_envelope_is_wrong_about_no_member_and_no_string_with_so_low_a_stack(
    automaton: Pushdown, height: int
) -> None:
    texts = [" ".join(word) for length in range(8) for word in product("ab", repeat=length)]
    batch = Strings.from_texts(AB, texts)
    accepted = automaton.accepts(batch)
    assume(accepted.any())
    enclosed = regular_envelope(automaton, height).accepts(batch)
    assert enclosed[accepted].all()
    for row, text in enumerate(texts):
        here: Configuration | None = ("p", ())
        stacks = [()] + [here[1] for s in text.split() if (here := here and step(automaton, here, s))]
        if max(map(len, stacks)) <= height:
            assert enclosed[row] == accepted[row]


def test_with_any_stack_the_prefixes_of_well_nested_strings_can_be_said() -> None:
    """There are C(n, n // 2) of them over one kind of bracket, and each can go on with an opening one."""
    prefixes = Pushdown.parse("""
        start q
        accept any q
        q a -> q, push b
        q b -> q, pop b
    """)
    for length in range(9):
        words = list(product("ab", repeat=length))
        batch = Strings.from_texts(prefixes.alphabet, map(" ".join, words))
        expected = [
            all(word[:cut].count("a") >= word[:cut].count("b") for cut in range(length + 1)) for word in words
        ]
        assert prefixes.accepts(batch).tolist() == expected
        assert sum(expected) == comb(length, length // 2)
    strings = Strings.from_texts(prefixes.alphabet, ["a a b b b"])
    shown = [prefixes.alphabet.show(int(mask)) for mask in prefixes.next_symbols(strings)]
    assert shown == ["a/b/END", "a/b/END", "a/b/END", "a/END", "-"]


def test_an_automaton_that_accepts_nothing_is_refused() -> None:
    with pytest.raises(LanguageError, match="Line 1, `start q`: the automaton accepts no string"):
        Pushdown.parse("start q\naccept r\nq a -> q, push X\nq b -> r, push X\nr a -> q, pop X")


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
        ("q a -> q, push X", "Line 4, .*: no rule pops X, and the stack must be empty"),
        ("q a -> q, pop X", "Line 4, .*: no rule pushes X"),
        ("q a -> q, push X, write y,", "Line 4, .*: y, ends with a comma"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(line: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        Pushdown.parse(f"\n start q\n accept q\n {line}\n")
