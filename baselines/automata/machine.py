"""Deterministic pushdown automata such as a network can be: one step a symbol, pushing at most the symbol that is read."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marnn_bench.errors import UsageError
from marnn_bench.generators.strings import Strings

BOTTOM: Final = 0
"""What is read of the empty stack; of any other 1 + the symbol on top."""

State = Hashable


class Condition(NamedTuple):
    """When a move is made: in this state, reading this symbol, with this on top (BOTTOM or 1 + a symbol)."""

    state: State
    symbol: int
    top: int


class Move(NamedTuple):
    """The next state, and 1 to push the symbol that is read, -1 to pop, 0 for neither."""

    to: State
    action: int


@dataclass(frozen=True)
class StackMachine:
    """An automaton. Where no move is known it is dead.

    symbols:    what it reads, by number: perhaps START first, which every string begins with, and END last
    accepting:  states
    empty:      whether the stack must be empty, too
    start_step, end:  whether the first of the symbols is START, the last one END

    UsageError if a move reads no symbol.
    """

    symbols: tuple[str, ...]
    start: State
    accepting: frozenset[State]
    moves: Mapping[Condition, Move]
    empty: bool = False
    start_step: bool = False
    end: bool = False

    def __post_init__(self) -> None:
        for condition in self.moves:
            if condition.symbol not in range(len(self.symbols)):
                raise UsageError(
                    f"A move of state {condition.state} reads no symbol: a network takes one step a symbol, and cannot follow "
                    "epsilon-moves. Give a real-time automaton."
                )

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The start, then all others in the order of the moves."""
        named = [state for condition, move in self.moves.items() for state in (condition.state, move.to)]
        return tuple(dict.fromkeys((self.start, *named)))

    @cached_property
    def _tables(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Next state and action by state, symbol and top; the state behind all others is dead."""
        place, dead = {state: i for i, state in enumerate(self.states)}, len(self.states)
        to = np.full((dead + 1, len(self.symbols), len(self.symbols) + 1), dead)
        action = np.zeros_like(to)
        for (state, symbol, top), move in self.moves.items():
            to[place[state], symbol, top], action[place[state], symbol, top] = place[move.to], move.action
        return to, action

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        """Whether each string is accepted: [n]; ids are those of the symbols, without START and END."""
        ids, steps = self.padded(strings)
        to, actions = self._tables
        rows = np.arange(len(strings))
        state = np.zeros(len(strings), np.int64)
        height, stack = state.copy(), np.zeros((len(strings), ids.shape[1] + 2), np.int64)
        for t in range(ids.shape[1]):
            live, read, top = t < steps, ids[:, t], stack[rows, height]
            action = np.where(live, actions[state, read, top], 0)
            state = np.where(live, to[state, read, top], state)
            stack[rows, height + 1] = np.where(action > 0, 1 + read, stack[rows, height + 1])
            height = np.maximum(height + action, 0)
        good = np.isin(state, [i for i, name in enumerate(self.states) if name in self.accepting])
        return good & (height == 0) if self.empty else good

    def padded(self, strings: Strings) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of what is read of each string, START and END among them, and how many these are.

        [n, the most], with 0 behind a string's last; [n]
        """
        steps = strings.lengths + self.start_step + self.end
        ids = np.zeros((len(strings), int(steps.max(initial=0))), np.int64)
        places = np.arange(len(strings.ids)) - np.repeat(strings.offsets[:-1], strings.lengths)
        ids[strings.rows, places + self.start_step] = strings.ids.astype(np.int64) + self.start_step
        if self.end:
            ids[np.arange(len(strings)), steps - 1] = len(self.symbols) - 1
        return ids, steps

    def __str__(self) -> str:
        """A line for each move: `state symbol top -> state, action`."""
        named = {BOTTOM: "BOTTOM", **{1 + i: symbol for i, symbol in enumerate(self.symbols)}}
        actions = {1: ", push", -1: ", pop", 0: ""}
        lines = [f"start {self.start}", f"accept {' '.join(sorted(map(str, self.accepting)))}"]
        lines += [
            f"{state} {self.symbols[symbol]} {named[top]} -> {move.to}{actions[move.action]}"
            for (state, symbol, top), move in self.moves.items()
        ]
        return "\n".join(lines)


def every_string(symbols: int, longest: int) -> Strings:
    """All strings over so many symbols, the empty one first, of up to so many symbols.

    >>> len(every_string(2, 3))
    15
    """
    rows = [
        np.array(np.unravel_index(np.arange(symbols**length), (symbols,) * length), np.uint8).T
        for length in range(1, longest + 1)
    ]
    lengths = np.concatenate([[0], *(np.full(len(of), of.shape[1]) for of in rows)])
    ids = np.concatenate([np.empty(0, np.uint8), *(of.ravel() for of in rows)])
    return Strings(ids, np.concatenate([[0], np.cumsum(lengths)]))
