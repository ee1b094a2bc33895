"""A known automaton as all weights of a network, which then needs no training.

With strength H, for an automaton whose moves are (state i, symbol k, top l) -> state j, action:

third order, a neuron for each state:
    z_j = H (sum W_jikl h_i x_k r_l - 1/2)     W 1 where there is a move, else 0
    a   = sum A_ikl h_i x_k r_l                 A is the action

second order, a neuron for each move, and one that is on at first; h_i is on after move i, which led to its state:
    z_j = H (sum U_jik h_i [x; r]_k - 3/2)      U 1 for the symbol and for the top of move j, from all neurons in its state
    a   = sum A_j h'_j                          A is the action of move j

All neurons are 0 once the automaton is dead, and stay so. y = sigmoid(H (accepting neurons - 1/2)). With quantised states every H
is exact; with sigmoids they err towards each other: third order is exact from H = 6 on, second order from 12 (found by trial, at
up to 960 symbols). `STRENGTHS` are above.

By Omlin & Giles 1996, who encode finite automata in second-order networks; Mali et al. 2019 carry it over to a stack.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from marnn_bench.baselines.automata.known import Arrays, nothing_known, with_knowledge
from marnn_bench.baselines.automata.machine import BOTTOM, Condition, Move, StackMachine, State
from marnn_bench.baselines.automata.stack_cells import NSPDA, StackCell
from marnn_bench.baselines.cells.parameters import Parameters, initialise
from marnn_bench.errors import UsageError

STRENGTHS: Final = {2: 16.0, 3: 8.0}
"""H by order."""


def neurons_for(machine: StackMachine, order: int) -> int:
    """How many state neurons its program takes."""
    return len(machine.states) if order == 3 else 1 + len(machine.moves)


def programmed(cell: StackCell, machine: StackMachine, strength: float | None = None) -> StackCell:
    """The cell whose weights begin as the program of the machine, which reads the cell's symbols; further neurons stay off.

    UsageError if it has too few state neurons, or not the machine's symbols or acceptance.
    """
    require_fit(cell, machine)
    if cell.hidden < (needed := neurons_for(machine, cell.order)):
        what = "states" if cell.order == 3 else "moves, and a start"
        raise UsageError(
            f"The automaton takes {needed} state neurons, for its {what}, and the network has {cell.hidden}: give it {needed}."
        )
    strength = STRENGTHS[cell.order] if strength is None else strength
    arrays, accepting = (_third if cell.order == 3 else _second)(cell, machine, strength)
    output = np.zeros((cell.hidden, cell.columns))
    output[accepting] = strength
    return with_knowledge(
        cell, {**arrays, "output.weight": output, "output.bias": np.full((1, cell.columns), -strength / 2)}
    )


def require_fit(cell: StackCell, machine: StackMachine) -> None:
    """UsageError unless the cell reads the machine's symbols, and accepts as it does."""
    end = isinstance(cell, NSPDA) and cell.end
    if cell.inputs != len(machine.symbols) or end != machine.end:
        raise UsageError(
            f"The automaton reads {' '.join(machine.symbols)}, and the network {cell.inputs} symbols, END "
            f"{'among' if end else 'not among'} them: convert the automaton for this network."
        )
    if machine.empty == isinstance(cell, NSPDA):
        raise UsageError(
            "An NNPDA accepts by the empty stack, an NSPDA by its state alone: convert the automaton for this network."
        )


def parameters_of(cell: StackCell, runs: int = 1) -> Parameters:
    """The weights of a cell that is programmed wholly, the same in each run."""
    return initialise(cell.shapes, 0, range(runs)).each(lambda tensor: tensor.detach())


def _third(cell: StackCell, machine: StackMachine, strength: float) -> tuple[Arrays, list[int]]:
    arrays = {name: np.zeros_like(array) for name, array in nothing_known(cell.product).items()}
    place = {state: i for i, state in enumerate(machine.states)}
    for (state, symbol, top), move in machine.moves.items():
        weights = arrays["weights.weight"][symbol, top, place[state]]
        weights[place[move.to]], weights[-1] = strength, move.action
    arrays["bias"] = np.full((1, cell.hidden), -strength / 2)
    return arrays, [place[state] for state in machine.states if state in machine.accepting]


def _second(cell: StackCell, machine: StackMachine, strength: float) -> tuple[Arrays, list[int]]:
    arrays = {name: np.zeros_like(array) for name, array in nothing_known(cell.product).items()}
    neurons = [(Condition(None, 0, BOTTOM), Move(machine.start, 0)), *machine.moves.items()]
    entered = _places_by_state(machine.moves, machine.start)
    for j, (condition, move) in enumerate(neurons[1:], start=1):
        before = entered.get(condition.state, [])
        arrays["state.weight"][condition.symbol, before, j] = strength
        arrays["state_top"][condition.top, before, j] = strength
        arrays["action.weight"][:, j] = move.action
    arrays["bias"] = np.full((1, cell.hidden), -1.5 * strength)
    return arrays, [i for i, (_, move) in enumerate(neurons) if move.to in machine.accepting]


def _places_by_state(moves: Mapping[Condition, Move], start: State) -> dict[State, list[int]]:
    """The neurons that are on in each state: the first at the start, then those of the moves that lead there."""
    entered: dict[State, list[int]] = {start: [0]}
    for j, move in enumerate(moves.values(), start=1):
        entered.setdefault(move.to, []).append(j)
    return entered
