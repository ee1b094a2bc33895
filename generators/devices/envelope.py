"""Regular envelopes: a finite automaton that accepts all that a pushdown automaton accepts, and more.

Of the stack it remembers the symbols on top. What lies beneath is forgotten: it may be any symbol that a rule pops, or
nothing at all. So the envelope is wrong only about strings that are no members, for what was pushed too long before.
"""

from collections.abc import Iterator

from marnn_bench.generators.devices.finite_automaton import DFA, Transition
from marnn_bench.generators.devices.pushdown import Pushdown, Rule

MAX_HEIGHT, MAX_STACKS = 8, 256
"""So many stack symbols are remembered, or fewer where they have more combinations than that."""

Configuration = tuple[str, tuple[str, ...], bool]
"""State, the symbols on top of the stack, the last one topmost, and whether more may lie beneath."""


def regular_envelope(automaton: Pushdown, height: int | None = None) -> DFA:
    """The envelope that remembers the `height` symbols on top of the stack, by default as many as there is room for.

    LanguageError if the automaton accepts no string.

    >>> brackets = Pushdown.parse('''
    ...     start q
    ...     accept q
    ...     q ( -> q, push )
    ...     q ) -> q, pop )
    ... ''')
    >>> from marnn_bench.generators.strings import Strings
    >>> texts = ["( ( ) )", "( ( )", "( " * 9 + ") " * 9, "( " * 9 + ") " * 8, "( " * 9 + ") " * 7]
    >>> regular_envelope(brackets).accepts(Strings.from_texts(brackets.alphabet, texts)).tolist()
    [True, False, True, True, False]
    """
    if height is None:
        height = _height(len({rule.push for rule in automaton.rules if rule.push}))
    rules: dict[tuple[str, str], list[Rule]] = {}
    for rule in automaton.rules:
        rules.setdefault((rule.state, rule.symbol), []).append(rule)
    start: frozenset[Configuration] = frozenset({(automaton.start, (), False)})
    names, todo, transitions = {start: "0"}, [start], []
    for here in todo:
        for symbol in automaton.alphabet:
            after = frozenset(
                reached
                for configuration in here
                for rule in rules.get((configuration[0], symbol), ())
                for reached in _apply(rule, configuration, height)
            )
            if after and after not in names:
                names[after] = str(len(names))
                todo.append(after)
            if after:
                transitions.append(Transition(names[here], symbol, names[after]))
    accepting = frozenset(
        name
        for here, name in names.items()
        if any(
            state in automaton.accepting_any or (state in automaton.accepting and not known)
            for state, known, _ in here
        )
    )
    return DFA(automaton.alphabet, names[start], accepting, tuple(transitions))


def _height(symbols: int) -> int:
    """How many are remembered of a stack of so many different symbols."""
    return max(height for height in range(MAX_HEIGHT + 1) if symbols**height <= MAX_STACKS)


def _apply(rule: Rule, configuration: Configuration, height: int) -> Iterator[Configuration]:
    """What a rule leads to, if it applies."""
    _, known, more = configuration
    if rule.push:
        above = (*known, rule.push)
        kept = above[max(len(above) - height, 0) :]
        yield rule.target, kept, more or len(kept) < len(above)
    elif not rule.pop:
        yield rule.target, known, more
    elif known and known[-1] == rule.pop:
        yield rule.target, known[:-1], more
    elif more and not known:
        yield rule.target, known, more
