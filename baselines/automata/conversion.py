"""From the formal devices of languages to automata that a network can be.

A network pushes the symbol that it reads, so each input symbol must push one stack symbol at most. A machine with one counter
converts directly: x + 1 is a push, x - 1 a pop, and x = 0 exactly if BOTTOM is on top.

It sees the top before it acts, so not that its last pop emptied the stack. There are two ways out: `bottom_in_state` keeps the
lowest symbol in the state instead of on the stack, `with_end` reads an END, with the top that it finds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from marnn_bench.baselines.automata.machine import BOTTOM, Condition, Move, StackMachine, State
from marnn_bench.errors import UsageError
from marnn_bench.generators.devices.counter_machine import CounterMachine
from marnn_bench.generators.devices.pushdown import Pushdown

END, ACCEPT, START = "END", "ACCEPT", "START"

Device = Pushdown | CounterMachine


@dataclass(frozen=True)
class Plain:
    """A rule of either device: it applies with one of the `tops` on top (None: with any), and pushes (1), pops (-1) or neither."""

    state: str
    symbol: int
    to: str
    action: int
    tops: frozenset[int] | None


def device_of(language: object) -> Device:
    """The automaton of a language. UsageError if it has none that a network with one stack can be."""
    device = getattr(language, "automaton", None)
    if not isinstance(device, Pushdown | CounterMachine):
        raise UsageError(
            "This language has no deterministic real-time automaton with one stack, which a network could be: an unmarked "
            "palindrome takes a guess where its middle is. Choose a deterministic language, such as dyck1-recognition."
        )
    return device


def plain_rules(device: Device) -> tuple[Plain, ...]:
    """The rules. UsageError says why a device has none."""
    return _of_pushdown(device) if isinstance(device, Pushdown) else _of_counter(device)


def _of_pushdown(device: Pushdown) -> tuple[Plain, ...]:
    pushed: dict[str, str] = {}
    for rule in device.rules:
        if rule.push and pushed.setdefault(rule.symbol, rule.push) != rule.push:
            raise UsageError(
                f"{rule.symbol} pushes {pushed[rule.symbol]} and {rule.push}, but a network pushes the symbol that it reads. "
                "Give an automaton in which each symbol pushes one stack symbol."
            )
    number = device.alphabet.id
    standing = {
        rule.pop: frozenset(1 + number(symbol) for symbol, kind in pushed.items() if kind == rule.pop)
        for rule in device.rules
        if rule.pop
    }
    return tuple(
        Plain(
            rule.state,
            number(rule.symbol),
            rule.target,
            1 if rule.push else -1 if rule.pop else 0,
            standing[rule.pop] if rule.pop else None,
        )
        for rule in device.rules
    )


def _of_counter(device: CounterMachine) -> tuple[Plain, ...]:
    if len(device.counters) > 1:
        raise UsageError(
            f"This language takes {len(device.counters)} counters, and one stack holds one. Choose a language of one counter, "
            "such as anbn-recognition."
        )
    some = frozenset(range(1, 1 + len(device.alphabet)))
    return tuple(
        Plain(
            rule.state,
            device.alphabet.id(rule.symbol),
            rule.to,
            len(rule.increment) - len(rule.decrement),
            frozenset({BOTTOM}) if rule.zero else some if rule.needed else None,
        )
        for rule in device.rules
    )


def by_empty_stack(device: Device) -> StackMachine:
    """The automaton's own states, accepting with an empty stack.

    UsageError if it accepts in some states whatever is on the stack, which this acceptance cannot say.
    """
    if device.accepting_any:
        raise UsageError(
            "This automaton accepts with symbols on its stack: give an NSPDA, which reads an END."
        )
    alphabet = device.alphabet.symbols
    moves = _reached(device.start, _own_moves(device))
    return StackMachine(alphabet, device.start, frozenset(device.accepting), moves, empty=True)


def with_end(device: Device) -> StackMachine:
    """The automaton's own states, one more symbol END, and the state ACCEPT, where END leads if the string is a member.

    >>> from marnn_bench.generators.languages.dyck import Dyck
    >>> print(with_end(device_of(Dyck(1))))
    start q
    accept ACCEPT
    q ( BOTTOM -> q, push
    q ( ( -> q, push
    q ( ) -> q, push
    q ) ( -> q, pop
    q END BOTTOM -> ACCEPT
    """
    alphabet = device.alphabet.symbols
    moves, end = _own_moves(device), len(alphabet)
    for state in sorted(device.accepting | device.accepting_any):
        tops = range(1 + end) if state in device.accepting_any else (BOTTOM,)
        moves |= {Condition(state, end, top): Move(ACCEPT, 0) for top in tops}
    moves = _reached(device.start, moves)
    return StackMachine((*alphabet, END), device.start, frozenset({ACCEPT}), moves, end=True)


def _own_moves(device: Device) -> dict[Condition, Move]:
    return {
        Condition(rule.state, rule.symbol, top): Move(rule.to, rule.action)
        for rule in plain_rules(device)
        for top in range(1 + len(device.alphabet))
        if rule.tops is None or top in rule.tops
    }


def bottom_in_state(device: Device) -> StackMachine:
    """States are pairs of the automaton's and of its lowest stack symbol, BOTTOM if there is none; above it is the stack."""
    tops = range(1 + len(device.alphabet))
    moves: dict[Condition, Move] = {}
    for rule in plain_rules(device):
        for low in tops:
            for top in tops if low != BOTTOM else (BOTTOM,):
                topmost = top if top != BOTTOM else low
                if rule.tops is None or topmost in rule.tops:
                    kept = low != BOTTOM and (rule.action >= 0 or top != BOTTOM)
                    lowest = low if kept else 1 + rule.symbol if rule.action > 0 else BOTTOM
                    move = Move((rule.to, lowest), rule.action if kept else 0)
                    moves[Condition((rule.state, low), rule.symbol, top)] = move
    start = (device.start, BOTTOM)
    accepting = {(state, BOTTOM) for state in device.accepting}
    accepting |= {(state, low) for state in device.accepting_any for low in tops}
    return StackMachine(device.alphabet.symbols, start, frozenset(accepting), _reached(start, moves))


def begun(machine: StackMachine) -> StackMachine:
    """The same behind one more first symbol, START, which changes nothing."""
    moves = {Condition(machine.start, 0, BOTTOM): Move(machine.start, 0)}
    for (state, symbol, top), move in machine.moves.items():
        moves[Condition(state, 1 + symbol, top if top == BOTTOM else 1 + top)] = move
    return StackMachine(
        (START, *machine.symbols), machine.start, machine.accepting, moves, machine.empty, True, machine.end
    )


def _reached(start: State, moves: Mapping[Condition, Move]) -> dict[Condition, Move]:
    """The moves of states that can be reached; whether a top can lie there is not asked."""
    found: dict[State, None] = {start: None}
    while True:
        more = {move.to for condition, move in moves.items() if condition.state in found} - found.keys()
        if not more:
            return {condition: move for condition, move in moves.items() if condition.state in found}
        found |= dict.fromkeys(more)
