"""A known automaton as the weights of a network: exactly right without learning, and so is what is extracted from it."""

from functools import cache

import numpy as np
import pytest
import torch

from marnn_bench.baselines.automata.conversion import (
    begun,
    bottom_in_state,
    by_empty_stack,
    device_of,
    with_end,
)
from marnn_bench.baselines.automata.discrete_stack import DiscreteStack
from marnn_bench.baselines.automata.machine import Condition, Move, StackMachine, every_string
from marnn_bench.baselines.automata.programs import neurons_for, parameters_of, programmed
from marnn_bench.baselines.automata.stack_cells import NNPDA, NSPDA
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.intervals import NeuralStack
from marnn_bench.errors import UsageError
from marnn_bench.generators.strings import Strings
from marnn_bench.store.cache import cached_data
from marnn_bench.store.columns import read_strings
from marnn_bench.store.read import read_rows, split_entry
from marnn_bench.tasks.registry import find_task

LONGEST = {
    "anbn": 12,
    "anbncbmam": 8,
    "unary-addition": 8,
    "dyck1": 12,
    "dyck2": 6,
    "marked-palindrome": 6,
}
"""The six deterministic tasks, and how long the strings are that are all tried."""

every_task = pytest.mark.parametrize("name", LONGEST)
every_order = pytest.mark.parametrize("order", [2, 3])
every_convention = pytest.mark.parametrize("convert", [with_end, bottom_in_state])
every_sigmoid = pytest.mark.parametrize("quantised", [True, False])


@cache
def short_strings(name):
    """All of them, and whether each is a member."""
    language = find_task(f"{name}-recognition").language
    strings = every_string(len(language.alphabet), LONGEST[name])
    return strings, language.accepts(strings)


def program(name, order, convert, quantised, strength=None):
    """A network with its weights."""
    machine = begun(convert(device_of(find_task(f"{name}-recognition").language)))
    symbols = len(machine.symbols) - machine.end
    memory = DiscreteStack(symbols)
    neurons = neurons_for(machine, order)
    cell = NSPDA(symbols, 1, neurons, order, memory, quantised=quantised, end=machine.end)
    cell = programmed(cell, machine, strength)
    return cell, parameters_of(cell)


def accepted(cell, w, strings, together=20_000):
    """Whether each string is: [n]"""
    found = np.zeros(len(strings), np.bool_)
    order = np.argsort(strings.lengths, kind="stable")
    for rows in np.array_split(order, -(-len(strings) // together)):
        some = strings.take(rows)
        ids = np.zeros((len(some), 1 + some.lengths.max()), np.int64)
        places = np.arange(len(some.ids)) - np.repeat(some.offsets[:-1], some.lengths)
        ids[some.rows, 1 + places] = 1 + some.ids.astype(np.int64)
        with torch.inference_mode():
            state = cell.initial_state(w, len(some))
            for step, symbols in enumerate(torch.from_numpy(ids).unbind(1)):
                inputs = StepInputs(torch.tensor(1.0), None, step, training=False)
                state, features = cell.step(w, state, cell.encode(w, symbols[None]), inputs)
                if (ended := some.lengths == step).any():
                    answers = cell.decode(w, features[:, torch.from_numpy(ended)])
                    found[rows[ended]] = answers[0, :, 0].numpy() >= 0.5
    return found


@every_task
@pytest.mark.parametrize("convert", [with_end, bottom_in_state, by_empty_stack])
def test_a_converted_automaton_accepts_its_language(name, convert):
    strings, label = short_strings(name)
    machine = convert(device_of(find_task(f"{name}-recognition").language))
    assert (machine.accepts(strings) == label).all()
    assert (begun(machine).accepts(strings) == label).all()


@every_task
@every_order
@every_convention
@every_sigmoid
def test_a_programmed_network_is_right_on_all_short_strings(name, order, convert, quantised):
    strings, label = short_strings(name)
    if order == 2:  # up to 79 neurons: fewer symbols
        few = strings.lengths <= LONGEST[name] - 2
        strings, label = strings.take(few), label[few]
    assert (accepted(*program(name, order, convert, quantised), strings) == label).all()


@every_task
@every_order
def test_so_is_a_programmed_nnpda(name, order):
    strings, label = short_strings(name)
    few = strings.lengths <= LONGEST[name] - 2
    machine = begun(by_empty_stack(device_of(find_task(f"{name}-recognition").language)))
    symbols = len(machine.symbols)
    cell = NNPDA(symbols, 1, neurons_for(machine, order), order, NeuralStack(symbols))
    cell = programmed(cell, machine)
    assert (accepted(cell, parameters_of(cell), strings.take(few)) == label[few]).all()


def rows_of(name, split, count=None):
    task = find_task(f"{name}-recognition")
    folder = cached_data(task)
    table = read_rows(folder, split_entry(folder, task, split))
    rows = list(read_strings(task, table, split))[:count]
    return Strings.from_ids(task.language.alphabet, rows), table["label"].to_numpy()[:count]


@every_order
@every_convention
@every_sigmoid
def test_it_is_right_on_long_strings(order, convert, quantised):
    """Table 5, whose numbers are lost: its lengths. Some strings of one task; all of all tasks are below."""
    strings, label = rows_of("dyck1", "test_480", 60)
    assert (accepted(*program("dyck1", order, convert, quantised), strings) == label).all()


@pytest.mark.slow
@pytest.mark.parametrize("split", ["test_60", "test_480", "test_960"])
@every_task
@every_order
@every_convention
@every_sigmoid
def test_it_is_right_on_the_strings_of_table_5(name, split, order, convert, quantised):
    strings, label = rows_of(name, split)
    assert (accepted(*program(name, order, convert, quantised), strings, 500) == label).all()


@pytest.mark.parametrize("order, too_small, enough", [(3, 1, 6), (2, 1, 12)])
def test_sigmoids_take_a_strength(order, too_small, enough):
    """At less they forget what state they are in."""
    strings, label = rows_of("dyck1", "test_480", 60)
    for strength, exact in ((too_small, False), (enough, True)):
        network = program("dyck1", order, with_end, quantised=False, strength=strength)
        assert (accepted(*network, strings) == label).all() == exact


def test_without_a_bottom_in_the_state_and_without_end_dyck1_is_not_recognised():
    """The last pop is not seen: `( ) )`, `( (` and `( )` end in one state."""
    machine = by_empty_stack(device_of(find_task("dyck1-recognition").language))
    strings, label = short_strings("dyck1")
    blind = StackMachine(machine.symbols, machine.start, machine.accepting, machine.moves)
    wrong = blind.accepts(strings) != label
    assert wrong.any()
    assert not wrong[label].any(), "only of negatives"


def test_a_network_smaller_than_its_automaton_is_refused():
    machine = begun(with_end(device_of(find_task("anbn-recognition").language)))
    with pytest.raises(UsageError, match="takes 3 state neurons, for its states, and the network has 2"):
        programmed(NSPDA(3, 1, 2, 3, DiscreteStack(3)), machine)


def test_an_automaton_with_a_move_that_reads_nothing_is_refused():
    with pytest.raises(UsageError, match="epsilon"):
        StackMachine(("a",), "q", frozenset("q"), {Condition("q", -1, 0): Move("q", 0)})


def test_automata_and_networks_of_different_conventions_are_refused():
    device = device_of(find_task("dyck1-recognition").language)
    with pytest.raises(UsageError, match="END not among them"):
        programmed(NSPDA(3, 1, 6, 3, DiscreteStack(3), end=False), begun(with_end(device)))
    with pytest.raises(UsageError, match="accepts by the empty stack"):
        programmed(NSPDA(3, 1, 6, 3, DiscreteStack(3), end=False), begun(by_empty_stack(device)))
