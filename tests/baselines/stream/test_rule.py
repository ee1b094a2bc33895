"""Learning from a stream: the compiled rule is the reference's, and that is gradient descent through the last steps."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.memories import List, Stack
from marnn_bench.baselines.cells.parameters import Parameters, initialise
from marnn_bench.baselines.engine.program import Places
from marnn_bench.baselines.models.joulin2015 import (
    LayerSizes,
    MemorySizes,
    SlowSizes,
    lstm,
    rnn,
    rounded,
    srcn,
    with_memory,
)
from marnn_bench.baselines.stream.compiled import CompiledRule
from marnn_bench.baselines.stream.reference import ReferenceRule

SYMBOLS, COLUMNS, STEPS = 3, 4, 7
FAR, NEAR = 15.0, 0.0002
"""Bounds of errors: one that is hardly ever met, and one that often is."""


def of(kind: type[Stack] | type[List], *sizes: int, **others: int) -> Cell:
    return with_memory(kind, SYMBOLS, COLUMNS, MemorySizes(*sizes, **others))


CELLS = {
    "stack": (of(Stack, 6, 2), FAR),
    "stack with all": (of(Stack, 5, 3, cells=4, no_op=True, recurrent=True), NEAR),
    "list": (of(List, 6, 2, cells=5, no_op=True), NEAR),
    "srcn": (srcn(SYMBOLS, COLUMNS, SlowSizes(6, 3)), NEAR),
    "rnn": (rnn(SYMBOLS, COLUMNS, LayerSizes(6)), FAR),
    "lstm of two layers": (lstm(SYMBOLS, COLUMNS, LayerSizes(4, 2)), NEAR),
    "one run at a time": (of(Stack, 40, 10), NEAR),
}


def some_places(count: int) -> Places:
    """Symbols and answers at random, some of them not asked, the state begun anew now and then."""
    random = np.random.default_rng(0)
    answers = random.integers(-1, COLUMNS, count).astype(np.int32)
    emptied = (random.random(count) < 0.04).astype(np.uint8)
    emptied[0] = 1
    return Places(random.integers(SYMBOLS, size=count).astype(np.int32), answers, emptied)


def learned(rule: CompiledRule | ReferenceRule, places: Places, rates: list[float], *cuts: int) -> np.ndarray:
    """Its sums of losses over all places, in pieces."""
    sums = np.zeros(len(rates))
    for first, last in zip((0, *cuts), (*cuts, len(places)), strict=True):
        rule.learn(places, range(first, last), rates, sums)
    return sums


def furthest(one: Parameters, other: Parameters) -> float:
    pairs = zip(one.tensors.values(), other.tensors.values(), strict=True)
    return max((a - b).abs().max().item() for a, b in pairs)


@pytest.mark.parametrize("name", CELLS)
def test_a_hundred_symbols_give_the_losses_and_parameters_of_the_reference(name):
    (cell, bound), places, rates = CELLS[name], some_places(100), [0.1, 0.3]
    compiled, reference = (kind(cell, STEPS, bound, [3, 5], seed=1) for kind in (CompiledRule, ReferenceRule))
    losses = learned(compiled, places, rates, 40, 41) - learned(reference, places, rates)
    assert np.abs(losses).max() < 1e-9
    assert furthest(compiled.parameters(), reference.parameters()) < 1e-9
    assert np.abs(compiled.losses(places) - reference.losses(places)).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [of(List, 6, 2), of(Stack, 6, 2, depth=3), rounded(of(Stack, 6, 2))],
    ids=["list", "deep", "rounded"],
)
def test_so_they_do_for_others(cell):
    CELLS["other"] = (cell, FAR)
    test_a_hundred_symbols_give_the_losses_and_parameters_of_the_reference("other")


@pytest.mark.parametrize("rule", [CompiledRule, ReferenceRule])
def test_a_first_update_is_plain_gradient_descent(rule: Callable[..., CompiledRule | ReferenceRule]):
    """Up to the first answer nothing changes, so that autograd through the steps from there gives the update."""
    cell, ids, answer = of(Stack, 6, 2), [0, 1, 1, 2, 0], 3
    answers = np.array([-1] * (len(ids) - 1) + [answer], np.int32)
    places = Places(np.array(ids, np.int32), answers, np.array([1, 0, 0, 0, 0], np.uint8))
    for steps in (2, 5, 9):
        ours = rule(cell, steps, FAR, [0])
        learned(ours, places, [0.7])
        w = initialise(cell.shapes, 0, [0])
        state = cell.initial_state(w, 1)
        for place, symbol in enumerate(ids):
            state = tuple(t.detach() if place == len(ids) - steps else t for t in state)
            inputs = StepInputs(torch.tensor(1.0), None, 0, True)
            state, features = cell.step(w, state, cell.encode(w, torch.tensor([[symbol]])), inputs)
        loss = -cell.decode(w, features)[0, 0, answer].log()
        gradients = torch.autograd.grad(loss, [*w.tensors.values()])
        expected = {name: t - 0.7 * g for (name, t), g in zip(w.tensors.items(), gradients, strict=True)}
        assert furthest(ours.parameters(), Parameters(expected)) < 1e-12


def test_errors_are_clipped_and_a_rate_of_zero_changes_nothing():
    cell, places = of(Stack, 6, 2), some_places(60)
    near, far = (CompiledRule(cell, STEPS, bound, [3, 5]) for bound in (NEAR, FAR))
    learned(near, places, [0.1, 0.0])
    learned(far, places, [0.1, 0.0])
    begun = initialise(cell.shapes, 0, [3, 5])
    for name, tensor in begun.tensors.items():
        assert torch.equal(near.parameters().tensors[name][1], tensor[1])
    assert furthest(near.parameters(), far.parameters()) > 1e-6
