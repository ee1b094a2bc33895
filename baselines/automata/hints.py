"""Hints: a part of what is known of an automaton as initial weights, which training is free to change.

The paper's own definitions of its two hints are lost; these are ours.

actions  (hint 1)  what each symbol does to the stack, in all states: A is 1.5 times the action of the moves that read this symbol
                   with this top, where all of them agree
moves    (hint 2)  the moves that touch the stack: weights 4 to the next state and -4 to all others, A 1.5 times the action
dead     (as the dead neurons of Sun et al. 1998)  the last neuron is reached with a symbol and top that no state has a move for,
                   such as `)` on the empty stack, and never left: weights 4, and -4 to all others

With each of them START keeps the first neuron on and all others off: it is no symbol of the language. Neuron i stands for state i of the automaton. A map of second order has no weight for symbol and top together: there a hint says
what does not depend on the top.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.automata.known import Arrays, nothing_known, with_knowledge
from marnn_bench.baselines.automata.machine import BOTTOM, StackMachine, State
from marnn_bench.baselines.automata.programs import require_fit
from marnn_bench.baselines.automata.stack_cells import NSPDA, StackCell
from marnn_bench.errors import UsageError

ACTION: Final = 1.5
TRANSITION: Final = 4.0


def hinted(cell: StackCell, machine: StackMachine, hints: tuple[str, ...]) -> StackCell:
    """The cell that begins with these hints; later ones overwrite what earlier ones say.

    UsageError for an unknown hint, a machine that the network does not fit, and too few neurons.
    """
    require_fit(cell, machine)
    arrays = nothing_known(cell.product)
    for hint in hints:
        if hint not in HINTS:
            raise UsageError(f"There is no hint {hint!r}: it is {', '.join(HINTS)}.")
        needed = len(machine.states) * (hint != "actions") + (hint == "dead")
        if cell.hidden < needed:
            raise UsageError(
                f"The hint {hint} takes {needed} state neurons, and the network has {cell.hidden}: --hidden {needed}."
            )
        HINTS[hint](arrays, machine)
    if machine.start_step:
        _start(arrays)
    cell = with_knowledge(cell, arrays)
    if not isinstance(cell, NSPDA):
        return cell
    return replace(cell, known=tuple(map(tuple, _known(arrays).tolist())))


def _known(arrays: Arrays) -> NDArray[np.bool_]:
    """Where transitions are hinted at: [input, top]"""
    if "weights.weight" in arrays:
        return np.asarray(~np.isnan(arrays["weights.weight"][..., :-1]).all((2, 3)))
    of_symbol = np.asarray(~np.isnan(arrays["state.weight"]).all((1, 2)))
    return np.repeat(of_symbol[:, None], len(arrays["state_top"]), 1)


def _actions(arrays: Arrays, machine: StackMachine) -> None:
    """Of symbols with the tops on which all moves agree."""
    found: dict[tuple[int, int], set[int]] = {}
    for condition, move in machine.moves.items():
        found.setdefault((condition.symbol, condition.top), set()).add(move.action)
    if "weights.weight" in arrays:
        for here, actions in found.items():
            if len(actions) == 1:
                arrays["weights.weight"][*here, :, -1] = ACTION * min(actions)
        return
    for symbol in range(len(machine.symbols)):
        if len(actions := set().union(*(of for (read, _), of in found.items() if read == symbol))) == 1:
            arrays["action.weight"][symbol] = ACTION * min(actions)
    arrays["action_top"][:] = 0


def _moves(arrays: Arrays, machine: StackMachine) -> None:
    place = {state: i for i, state in enumerate(machine.states)}
    for (state, symbol, top), move in machine.moves.items():
        if move.action and "weights.weight" in arrays:
            weights = arrays["weights.weight"][symbol, top, place[state]]
            weights[:-1], weights[place[move.to]], weights[-1] = -TRANSITION, TRANSITION, ACTION * move.action
        elif move.action and len(_targets(machine, state, symbol)) == 1:
            arrays["state.weight"][symbol, place[state]] = -TRANSITION
            arrays["state.weight"][symbol, place[state], place[move.to]] = TRANSITION
    if "weights.weight" not in arrays:
        _actions(arrays, machine)


def _start(arrays: Arrays) -> None:
    """START, which is no symbol of the language, leaves the first neuron on and all others off."""
    to_states = (
        arrays["weights.weight"][0, BOTTOM, 0, :-1]
        if "weights.weight" in arrays
        else arrays["state.weight"][0, 0]
    )
    to_states[:], to_states[0] = -TRANSITION, TRANSITION


def _targets(machine: StackMachine, state: State, symbol: int) -> set[State]:
    """The states that this symbol leads to from one, whatever is on top."""
    return {move.to for (q, read, _), move in machine.moves.items() if (q, read) == (state, symbol)}


def _dead(arrays: Arrays, machine: StackMachine) -> None:
    if "weights.weight" not in arrays:
        raise UsageError("The hint dead is of symbol and top together: give it to a network of third order.")
    to_states = arrays["weights.weight"][..., :-1]
    moved = {(condition.symbol, condition.top) for condition in machine.moves}
    pushed = {1 + condition.symbol for condition, move in machine.moves.items() if move.action > 0}
    for symbol in range(machine.start_step, len(machine.symbols) - machine.end):
        for top in sorted({BOTTOM, *pushed}):
            if (symbol, top) not in moved:
                to_states[symbol, top] = -TRANSITION
                to_states[symbol, top, :, -1] = TRANSITION
    to_states[:, :, -1] = -TRANSITION
    to_states[:, :, -1, -1] = TRANSITION


HINTS: Final[Mapping[str, Callable[[Arrays, StackMachine], None]]] = {
    "actions": _actions,
    "moves": _moves,
    "dead": _dead,
}
"""By name."""
