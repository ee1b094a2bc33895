"""The controls against their equations, at as many parameters as the models that they are compared with."""

from functools import partial

import pytest
import torch

from helpers.agreement import assert_agrees, assert_steps_agree, inputs_of
from helpers.equations.controls import attention, control, recurrence
from helpers.examples import first_rows
from marnn_bench.baselines.cells.blocks import rotate
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.models.controls import BASELINES, BlockSizes, state_space, transformer
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.training.loop import train
from marnn_bench.errors import UsageError
from marnn_bench.tasks.registry import all_tasks, find_task

SMALL = BlockSizes(hidden=8, blocks=2, heads=2, parameters=900)

every_control = pytest.mark.parametrize("model", [baseline.name for baseline in BASELINES])


@pytest.mark.parametrize("sinusoidal", [False, True])
@pytest.mark.parametrize("positions", ["none", "rotary", "alibi"])
def test_a_transformer_is_its_equations(positions, sinusoidal):
    cell = transformer(positions, sinusoidal, 5, 3, SMALL)
    assert_agrees(cell, control(2, partial(attention, heads=2, positions=positions), sinusoidal))
    assert_steps_agree(cell, steps=17)


@pytest.mark.parametrize("negative", [False, True])
def test_a_state_space_model_is_its_equations(negative):
    cell = state_space(negative, 5, 3, SMALL)
    assert_agrees(cell, control(2, partial(recurrence, negative=negative)))
    assert_steps_agree(cell, steps=17)


@every_control
def test_no_answer_depends_on_what_comes_later(model):
    cell = find_baseline(model).cell(find_task("dyck2"))
    w = initialise(cell.shapes, 0, range(2))
    ids = torch.tensor([[[0, 1, 2, 3, 0, 2, 3, 1]]])
    other = ids.clone()
    other[..., 5:] = torch.tensor([1, 0, 2])
    one, two = (cell.scores(w, strings, inputs_of(cell, 2, 1, 8)) for strings in (ids, other))
    assert (one - two)[:, :, :5].abs().max().item() <= 1e-15
    assert (one - two)[:, :, 5:].abs().min().item() > 0


def test_rotated_vectors_meet_at_an_angle_that_is_their_distance():
    """Su et al. 2021, equation 16: the product of q at i and k at j is that of q at i + 40 and k at j + 40."""
    noise = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 6, 8, generator=noise, dtype=torch.float64)
    at = torch.arange(6.0, dtype=torch.float64)
    here, later = (rotate(q, at + more) @ rotate(k, at + more).T for more in (0, 40))
    assert (here - later).abs().max().item() <= 1e-12
    assert (here - q @ k.T).abs().max().item() > 0.1


@every_control
def test_controls_have_as_many_parameters_as_the_stack_lstm(model):
    """Within half of what one more unit in every feedforward half costs, for every task whose answers are sets."""
    for task in all_tasks().values():
        if task.asks_sets:
            cell = find_baseline(model).cell(task)
            wanted = find_baseline("stack-lstm").cell(task).num_parameters
            assert abs(cell.num_parameters - wanted) <= cell.blocks * (2 * cell.width + 1) / 2, task.name


@every_control
def test_controls_are_trained_by_a_recipe_that_is_marked_as_ours(model):
    baseline, task = find_baseline(model), find_task("dyck1")
    recipe = baseline.recipe_for(task)
    assert (baseline.paper, recipe.inferred) == (None, ("learning_rate",))
    losses = train(baseline.cell(task), recipe, first_rows("dyck1", 60), range(2)).losses
    assert losses[-1].mean() < 0.9 * losses[0, :10].mean()


def test_heads_that_hidden_units_cannot_be_shared_among_are_refused():
    with pytest.raises(UsageError, match="takes hidden units by multiples of 4, not 6"):
        find_baseline("transformer-none").cell(find_task("dyck2"), BlockSizes(hidden=6))
