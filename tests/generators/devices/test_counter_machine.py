"""Counter machines: a plain interpreter on machines nobody thought of, and what a text may not say."""

from itertools import product
from math import comb

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.devices.counter_machine import CounterMachine
from marnn_bench.generators.devices.counter_rules import Rule
from marnn_bench.generators.errors import LanguageError
from marnn_bench.generators.strings import Strings

AB = Alphabet.of("a b")
WORDS = [word for length in range(8) for word in product("ab", repeat=length)]
BATCH = Strings.from_texts(AB, map(" ".join, WORDS))
Configuration = tuple[str, dict[str, int]]

names = st.sets(st.sampled_from("xy"), max_size=2).map(frozenset)
rules = st.builds(
    Rule,
    st.sampled_from("pqr"),
    st.sampled_from("ab"),
    st.sampled_from("pqr"),
    zero=names,
    positive=names,
    increment=names,
    decrement=names,
)


@st.composite
def machines(draw: st.DrawFn) -> CounterMachine:
    """Few sets of rules are a machine; those that can be are made more likely by rules that empty the counters."""
    listed = draw(st.lists(rules, min_size=1, max_size=4))
    emptying = [
        Rule("p", "a", "p", decrement=frozenset("x")),
        Rule("p", "b", "p", zero=frozenset("x"), decrement=frozenset("y")),
    ]
    listed += draw(st.sampled_from([emptying, emptying[:1], []]))
    try:
        accepting = [
            frozenset(draw(st.sampled_from(states))) for states in (["p", "q", "pq"], ["", "", "q", "r"])
        ]
        return CounterMachine(AB, "p", accepting[0], tuple(listed), accepting[1])
    except LanguageError:
        assume(False)
        raise


def step(machine: CounterMachine, here: Configuration | None, symbol: str) -> Configuration | None:
    """One step, by the words of the definition."""
    if here is None:
        return None
    state, values = here
    for rule in machine.rules:
        if (rule.state, rule.symbol) != (state, symbol) or any(values[c] for c in rule.zero):
            continue
        if all(values[c] for c in rule.positive | rule.decrement):
            changed = {c: n + (c in rule.increment) - (c in rule.decrement) for c, n in values.items()}
            return rule.to, changed
    return None


def accepts(machine: CounterMachine, here: Configuration) -> bool:
    """Whether a string may end here."""
    return here[0] in machine.accepting_any or (here[0] in machine.accepting and not any(here[1].values()))


def is_live(machine: CounterMachine, here: Configuration) -> bool:
    """Whether acceptance can be reached, counters never more than four above what they are."""
    seen, todo, most = [here], [here], max(here[1].values(), default=0) + 4
    for state, values in todo:
        if accepts(machine, (state, values)):
            return True
        for symbol in AB:
            after = step(machine, (state, values), symbol)
            if after and after not in seen and max(after[1].values(), default=0) <= most:
                seen.append(after)
                todo.append(after)
    return False


@settings(max_examples=100)
@given(machines())
def test_membership_next_symbols_and_trace_are_those_of_an_interpreter(machine: CounterMachine) -> None:
    """What is more, every configuration that is met is live: that is what the machine was checked for."""
    masks, accepted = machine.next_symbols(BATCH), machine.accepts(BATCH)
    states, values = machine.trace(BATCH)
    for row, word in enumerate(WORDS):
        here: Configuration | None = (machine.start, dict.fromkeys(machine.counters, 0))
        for symbol in word:
            here = step(machine, here, symbol)
        member = here is not None and accepts(machine, here)
        assert accepted[row] == member
        expected = {s for s in AB if step(machine, here, s)} | ({"END"} if member else set())
        last = BATCH.offsets[row + 1] - 1
        assert set(AB.members(int(masks[last]) if word else machine.first_symbols())) == expected
        if here is not None and word:
            assert is_live(machine, here)
            assert (states[last], dict(zip(machine.counters, values[last].tolist(), strict=True))) == here
        elif word:
            assert states[last] == "dead"


def test_with_any_counters_majority_can_be_said() -> None:
    """More a than b, behind any prefix: counted by binomials, and every prefix can go on with both symbols."""
    majority = CounterMachine.parse("""
        start even
        accept any more
        even a -> more
        even b -> fewer
        more a -> more, x + 1
        more b if x > 0 -> more, x - 1
        more b if x = 0 -> even
        fewer b -> fewer, x + 1
        fewer a if x > 0 -> fewer, x - 1
        fewer a if x = 0 -> even
    """)
    more = [word.count("a") > word.count("b") for word in WORDS]
    assert majority.accepts(BATCH).tolist() == more
    for length in range(8):
        of_length = [
            accepted
            for word, accepted in zip(WORDS, majority.accepts(BATCH), strict=True)
            if len(word) == length
        ]
        assert sum(of_length) == sum(comb(length, k) for k in range(length + 1) if 2 * k > length)
    shown = {majority.alphabet.show(int(mask)) for mask in majority.next_symbols(BATCH)}
    assert shown == {"a/b", "a/b/END"}


HEAD = "start q\naccept q\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + "q a -> q\nq a if x = 0 -> q, x + 1", r"`q a -> q` \(line 3\) and `q a if x = 0 -> q, x \+ 1` \(line 4\) can apply"),
        (HEAD + "q a if x > 0 -> q\nq a -> q, x - 1", "can apply at once: the machine must be deterministic"),
        (HEAD + "q a -> q, x + 1\nq b -> q, x - 1\nq c if x > 0 -> r\nr c -> r", "From state r with x > 0 the machine is not"),
        (HEAD + "q a -> r, x + 1\nr b -> r, x + 1", "From state r with x > 0"),
        (HEAD + "q a -> r\nr b -> s\ns b -> r", "From state r the machine is not seen"),
        ("start q\naccept r\nq a -> q, x + 1\nq b -> r", "not seen to reach acceptance"),
        ("start q\naccept r\nq a -> r, x + 1\nr b -> r", "accepts no string"),
        (HEAD + "q a -> q\nq b -> q, x - 1", "Line 4, `q b -> q, x - 1`: the counters are never such"),
        (HEAD + "q a if [1] = 0 -> q", r"Line 3, .*: \[1\] is no name"),
        (HEAD + "".join(f"q{i} a -> q{i + 1}\n" for i in range(-1, 299)).replace("q-1", "q")
         + "q299 a -> q, " + ", ".join(f"x{i} + 1" for i in range(8)), "301 states and 8 counters is too large"),
        (HEAD + "q a if x = 0 -> q, x - 1", "contradicts itself about a counter"),
        (HEAD + "q a -> q, x + 1, x - 1", "contradicts itself about a counter"),
        (HEAD + "q a if x < 1 -> q", "Line 3, .*: `x < 1` is neither `x = 0` nor `x > 0`"),
        (HEAD + "q a -> q, x + 2", r"Line 3, .*: `x \+ 2` is neither `x \+ 1` nor `x - 1`"),
        (HEAD + "q a -> q,", "Line 3, .*: `` is neither"),
        (HEAD + "q a b -> q", "Line 3, `q a b -> q`: a rule reads"),
        (HEAD + "alphabet b\nq a -> q", "Line 4, `q a -> q`: symbol a is not in the alphabet b"),
        (HEAD + "q END -> q", "END is reserved"),
        (HEAD + "\n".join(f"q s{i} if x{i} = 0 -> q" for i in range(9)), "at most 8 counters"),
    ],
)  # fmt: skip
def test_a_text_that_is_no_machine_says_why(text: str, message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        CounterMachine.parse(text)


def test_a_machine_that_lives_only_because_its_counters_agree_is_refused() -> None:
    """In x and y the same is counted, but that cannot be seen from which of them is zero."""
    with pytest.raises(LanguageError, match="not seen to reach acceptance"):
        CounterMachine.parse(HEAD + "q a -> q, x + 1, y + 1\nq b -> q, x - 1, y - 1")
