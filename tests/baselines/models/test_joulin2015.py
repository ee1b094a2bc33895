"""The models of Joulin & Mikolov 2015 against their equations, and their numbers of parameters."""

import pytest
import torch

from helpers.agreement import assert_agrees, assert_steps_agree, inputs_of
from helpers.equations import joulin2015 as literal
from helpers.paths import ROOT
from marnn_bench.baselines.cells.memories import List, Stack
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.models.joulin2015 import (
    BASELINES,
    LayerSizes,
    MemorySizes,
    SlowSizes,
    lstm,
    rnn,
    rounded,
    srcn,
    with_memory,
)
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.tasks.registry import find_task

WITH_MEMORY = [
    ("stack", Stack, MemorySizes(hidden=5, memories=3, cells=20)),
    ("stack", Stack, MemorySizes(hidden=5, memories=2, cells=4, no_op=True)),
    ("stack", Stack, MemorySizes(hidden=4, memories=2, cells=20, depth=3, recurrent=True)),
    ("list", List, MemorySizes(hidden=5, memories=2, cells=20)),
    ("list", List, MemorySizes(hidden=5, memories=2, cells=7, depth=1, no_op=True)),
]


@pytest.mark.parametrize(("kind", "memory", "sizes"), WITH_MEMORY)
def test_stack_and_list_rnn_are_equations_2_to_6(kind, memory, sizes):
    cell = with_memory(memory, 3, 4, sizes)
    assert_agrees(cell, literal.stack_rnn(kind, sizes.memories, sizes.cells, sizes.depth))
    assert_steps_agree(cell)


@pytest.mark.parametrize(
    ("cell", "equations"),
    [
        (rnn(3, 4, LayerSizes(5)), literal.rnn),
        (srcn(3, 4, SlowSizes(5, 2)), literal.srcn(0.95)),
        (lstm(3, 4, LayerSizes(5)), literal.lstm(1)),
        (lstm(3, 4, LayerSizes(5, layers=2)), literal.lstm(2)),
    ],
)
def test_models_without_memories_are_their_equations(cell, equations):
    assert_agrees(cell, equations)
    assert_steps_agree(cell)


@pytest.mark.parametrize(
    ("model", "task", "count"),
    [
        # H (d + S k + S m + S + c), on anbn with two symbols and three columns
        ("stack-rnn", "anbn", 40 * (2 + 10 * 2 + 10 * 2 + 10 + 3)),
        ("list-rnn", "anbn", 40 * (2 + 5 * 2 + 5 * 3 + 5 + 3)),
        ("stack-rnn", "memorization", 100 * (3 + 10 * 2 + 10 * 3 + 10 + 4)),
        ("list-rnn", "memorization", 100 * (3 + 10 * 2 + 10 * 4 + 10 + 4)),
        ("stack-rnn-recurrent", "anbn", 100 * (2 + 60 * 2 + 60 * 2 + 60 + 3 + 100)),
        ("rnn-500", "anbn", 500 * (2 + 500 + 3)),
        ("lstm-1x50", "anbn", 4 * 50 * (2 + 50 + 1) + 3 * 51),
        ("lstm-2x200", "anbn", 4 * 200 * (2 + 200 + 1) + 4 * 200 * 401 + 3 * 201),
        ("srcn", "anbn", 40 * 2 + 100 * (40 + 2 + 100) + 3 * 140),
    ],
)
def test_models_have_as_many_parameters_as_their_equations(model, task, count):
    assert find_baseline(f"joulin-{model}").cell(find_task(task)).num_parameters == count


def test_without_r_a_hidden_unit_remembers_nothing():
    """What comes after a symbol depends on the memories and the symbol alone (section 5.1)."""
    cell = with_memory(Stack, 3, 4, MemorySizes(hidden=5, memories=2, cells=9))
    (content,) = cell.initial_state(initialise(cell.shapes, 0, [0]), batch=1)
    assert content.shape[2:] == (2, 2, 1)


def test_rounded_actions_are_whole_at_evaluation_alone():
    """All of a number that was pushed is on the stack: every cell holds -1 or a number in (0, 1)."""
    cell = rounded(with_memory(Stack, 3, 4, MemorySizes(hidden=5, memories=2, cells=9)))
    w, state = initialise(cell.shapes, 0, [0]), None
    ids = torch.tensor([[0, 1, 2, 1, 0, 0, 2, 1]])
    for training in (False, True):
        state, inputs = cell.initial_state(w, 1), inputs_of(cell, 1, 1, 8, training)
        for clock in range(8):
            state, _ = cell.step(w, state, cell.encode(w, ids[:, clock : clock + 1]), inputs.at(clock))
        held = state[-1]
        assert bool(((held == -1) | ((held > 0) & (held < 1))).all()) is not training


def test_initial_weights_are_sums_of_three_uniform_numbers():
    """Standard deviation .1, none beyond .3, and the kurtosis of such sums, 3 - 6/5 / 3."""
    cell = find_baseline("joulin-stack-rnn").cell(find_task("anbn"))
    w = initialise(cell.shapes, 0, range(50))
    numbers = torch.cat([tensor.detach().flatten() for tensor in w.tensors.values()])
    assert numbers.abs().max().item() <= 0.3
    assert numbers.std().item() == pytest.approx(0.1, rel=0.01)
    assert (numbers**4).mean().item() / numbers.var().item() ** 2 == pytest.approx(2.6, rel=0.02)


def test_the_curriculum_is_the_published_programs():
    """In epoch e, n is drawn from 2 to max(min(e + 3, nmax), 3) - 1; no halving unless e > nmax / 2.

    In three counting tasks the script's nmax is 15; here it is that of validation, 20.
    """
    for task, nmax in [("anbn", 20), ("anb2n", 20), ("unary-addition", 10), ("memorization", 20)]:
        baseline = find_baseline("joulin-stack-rnn")
        recipe = baseline.recipes.get(task, baseline.recipe)
        for epoch in range(100):
            largest = max(min(epoch + 3, nmax), 3) - 1
            assert recipe.curriculum.sizes(epoch) == range(2, largest + 1)
            assert (epoch >= recipe.schedule.patient) is (epoch > nmax / 2)


def test_the_page_has_every_model_and_its_number_of_parameters():
    page = (ROOT / "docs" / "models" / "joulin2015.md").read_text()
    for baseline in BASELINES:
        assert f"{baseline.cell(find_task('anbn')).num_parameters:,}" in page, baseline.name
