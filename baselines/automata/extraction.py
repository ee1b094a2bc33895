"""From a trained network back to an automaton: its states are clusters of the network's.

All configurations that strings of up to so many symbols lead to are visited, breadth first. After a move the network's state
belongs to the first cluster whose first member is no further from it than a tolerance in any neuron; else it begins a new one. From
then on the first member stands for all of them. What is on a continuous stack is taken as whole: actions are rounded.

Then states from which none accepts are left out, and states that do the same are joined.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from marnn_bench.baselines.automata.conversion import ACCEPT, END, START
from marnn_bench.baselines.automata.machine import BOTTOM, Condition, Move, StackMachine, State
from marnn_bench.baselines.automata.stack_cells import NSPDA, StackCell
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.errors import UsageError

MAX_STATES: Final = 256
MAX_CONFIGURATIONS: Final = 100_000

Configuration = tuple[int, tuple[int, ...]]
"""A cluster, and the symbols on the stack, the top last."""


def extract(
    cell: StackCell, w: Parameters, alphabet: Iterable[str], longest: int = 10, tolerance: float = 0.5
) -> StackMachine:
    """The automaton of one run of a recogniser, whose symbols are START and these.

    longest:    symbols of the strings whose configurations are visited
    tolerance:  between 0 and 1, of each neuron

    UsageError if it comes to too many states.
    """
    symbols = (START, *alphabet)
    if len(symbols) != cell.symbols or cell.columns != 1:
        raise UsageError("An automaton is extracted from networks that are trained on a recognition task.")
    with torch.inference_mode():
        network = _Network(cell, w, tolerance)
        moves = network.explored(longest)
        if isinstance(cell, NSPDA) and cell.end:
            moves |= network.ended(moves)
            machine = StackMachine((*symbols, END), 0, frozenset({ACCEPT}), moves, start_step=True, end=True)
        else:
            accepting = frozenset(state for state in range(len(network.states)) if network.accepts(state))
            machine = StackMachine(
                symbols, 0, accepting, moves, empty=not isinstance(cell, NSPDA), start_step=True
            )
    return minimised(machine)


@dataclass
class _Network:
    """One run, asked move by move. states: the first member of each cluster, [1, 1, hidden]"""

    cell: StackCell
    w: Parameters
    tolerance: float
    states: list[Tensor] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.states.append(self.cell.initial_state(self.w, 1)[0])

    def explored(self, longest: int) -> dict[Condition, Move]:
        """The moves of all configurations that START and so many symbols lead to."""
        moves: dict[Condition, Move] = {}
        known: dict[Configuration, None] = {}
        newest: list[Configuration] = [(0, ())]
        for step in range(1 + longest):
            after = {
                self._after(moves, here, symbol): None
                for here in newest
                for symbol in (range(1, self.cell.symbols) if step else [0])
            }
            newest = [here for here in after if here not in known]
            known |= dict.fromkeys(newest)
            if len(self.states) > MAX_STATES or len(known) > MAX_CONFIGURATIONS:
                raise UsageError(
                    f"Strings of {step} symbols lead to {len(self.states)} states and {len(known):,} configurations: take shorter "
                    "strings, or a greater tolerance."
                )
        return moves

    def _after(self, moves: dict[Condition, Move], here: Configuration, symbol: int) -> Configuration:
        state, stack = here
        top = 1 + stack[-1] if stack else BOTTOM
        condition = Condition(state, symbol, top)
        if condition not in moves:
            after, moved = self._step(state, symbol, top)
            moves[condition] = Move(self._cluster(after), moved)
        to, action = moves[condition]
        assert isinstance(to, int)
        return to, (*stack, symbol) if action > 0 else stack[:-1] if action < 0 else stack

    def _step(self, state: int, symbol: int, top: int) -> tuple[Tensor, int]:
        """The state after one symbol, and the action, rounded; popping nothing is none."""
        cell, w = self.cell, self.w
        h, x, r = self.states[state], cell.encode(w, torch.full((1, 1), symbol)), self._read(top)
        (*_, after), action = cell.transition(w, h, x, r)
        rounded = int(action.item() > 1 / 2) - int(action.item() < -1 / 2)
        return after, rounded

    def _read(self, top: int) -> Tensor:
        read = self.w.full((1, 1 + self.cell.symbols))
        read[..., top] = 1
        return read

    def _cluster(self, h: Tensor) -> int:
        for number, member in enumerate(self.states):
            if (h - member).abs().max().item() < self.tolerance:
                return number
        self.states.append(h)
        return len(self.states) - 1

    def accepts(self, state: int) -> bool:
        """By the state alone."""
        answer = torch.sigmoid(self.w["output"](self.states[state]))
        return answer.item() >= 1 / 2

    def ended(self, moves: Mapping[Condition, Move]) -> dict[Condition, Move]:
        """The moves by END that accept, of all states and tops."""
        tops = {BOTTOM, *(1 + condition.symbol for condition, move in moves.items() if move.action > 0)}
        found = {}
        for state in range(len(self.states)):
            for top in sorted(tops):
                features = torch.cat([self.states[state], self._read(top)], -1)
                if self.cell.decode(self.w, features).item() >= 1 / 2:
                    found[Condition(state, self.cell.symbols, top)] = Move(ACCEPT, 0)
        return found


def minimised(machine: StackMachine) -> StackMachine:
    """The same language, without states that lead nowhere, and with states joined that do the same (Moore 1956).

    States are called q0, q1, ... in the order in which they come; ACCEPT keeps its name.
    """
    live = _leading_to(machine)
    moves = {
        condition: move for condition, move in machine.moves.items() if {condition.state, move.to} <= live
    }
    states = [state for state in machine.states if state in live or state == machine.start]
    block = {state: int(state in machine.accepting) for state in states}
    of_state = {state: [(c, m) for c, m in moves.items() if c.state == state] for state in states}
    while True:
        signs = {
            state: (
                block[state],
                frozenset((c.symbol, c.top, m.action, block[m.to]) for c, m in of_state[state]),
            )
            for state in states
        }
        numbers = {sign: number for number, sign in enumerate(dict.fromkeys(signs.values()))}
        refined = {state: numbers[signs[state]] for state in states}
        if len(set(refined.values())) == len(set(block.values())):
            break
        block = refined
    named: dict[State, State] = {
        state: ACCEPT if state == ACCEPT else f"q{number}" for state, number in refined.items()
    }
    return StackMachine(
        machine.symbols,
        named[machine.start],
        frozenset(named[state] for state in machine.accepting if state in named),
        {Condition(named[c.state], c.symbol, c.top): Move(named[m.to], m.action) for c, m in moves.items()},
        machine.empty,
        machine.start_step,
        machine.end,
    )


def _leading_to(machine: StackMachine) -> set[State]:
    """The states from which moves lead to an accepting one, whatever the stack."""
    live = set(machine.accepting)
    while more := {c.state for c, m in machine.moves.items() if m.to in live} - live:
        live |= more
    return live
