"""The noise of weights: what it changes, by how much, and that it is gone after the update."""

from dataclasses import replace

import pytest
import torch

from marnn_bench.baselines import find_baseline, train
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.course import finite_course
from marnn_bench.baselines.models.mali2019 import RECIPE
from marnn_bench.baselines.rules.regulariser import WeightNoise
from marnn_bench.baselines.training.loop import Training
from marnn_bench.store.read import made_train
from marnn_bench.tasks.registry import find_task

TASK = find_task("dyck1-recognition")
NETWORKS = ("nspda-2", "nspda-3", "nnpda-2", "nnpda", "second-order-rnn")


def noise_of(cell, parameters, share, update=1, runs=range(200), seed=0):
    return WeightNoise(share, cell.matrices, seed, runs).of(update, parameters)


@pytest.mark.parametrize("name", NETWORKS)
def test_a_share_of_the_matrices_moves_by_a_multiple_of_their_root_mean_square(name):
    """The same multiple in all of a tensor, which is a standard Gaussian number in each run."""
    cell = find_baseline(name).cell(TASK)
    parameters = initialise(cell.shapes, 0, range(200))
    noise = noise_of(cell, parameters, 0.3)
    assert noise.keys() == cell.matrices.keys()
    for tensor, size in cell.matrices.items():
        moved = noise[tensor].reshape(200, -1, size)
        weights = parameters.tensors[tensor].detach().reshape(200, -1, size)
        count = weights.shape[1]
        assert (moved.amax(2) == moved.amin(2)).all()
        multiples = moved[..., 0] / weights.square().mean(2).sqrt()
        chosen = multiples != 0
        assert (chosen.sum(1) == max(1, round(0.3 * count))).all()
        gaussian = multiples.sum(1) / chosen.sum(1)
        assert torch.allclose(multiples, chosen * gaussian[:, None], rtol=1e-12)
        assert abs(gaussian.mean()) < 4 / 200**0.5 and 0.8 < gaussian.std() < 1.2
        assert (chosen.double().mean(0) > 0).all(), "each matrix is chosen in some run"


def test_it_depends_on_seed_run_and_update_alone():
    cell = find_baseline("nspda-3").cell(TASK)
    parameters = initialise(cell.shapes, 0, range(4))
    all_runs = noise_of(cell, parameters, 0.2, runs=range(4))["weights.weight"]
    one = parameters.each(lambda tensor: tensor[2:3])
    assert torch.equal(noise_of(cell, one, 0.2, runs=[2])["weights.weight"][0], all_runs[2])
    for other in ({"update": 2}, {"seed": 1}):
        assert not torch.equal(
            noise_of(cell, parameters, 0.2, runs=range(4), **other)["weights.weight"], all_runs
        )


@pytest.mark.parametrize("name", NETWORKS)
def test_an_update_goes_from_the_weights_by_the_gradient_beside_them(name):
    examples = made_train(TASK.name).take(range(20))
    cell = find_baseline(name).cell(TASK)
    recipe = replace(RECIPE, epochs=1, optimiser="sgd", learning_rate=0.5, selection="last", weight_noise=0.2)
    course = finite_course(examples, replace(recipe, balanced=False))
    before = initialise(cell.shapes, 0, [0])
    after = train(cell, recipe, course, [0]).parameters.tensors
    beside = Training(cell, replace(recipe, weight_noise=None), course, [0])
    noise = noise_of(cell, before, 0.2, runs=[0])
    shifted = {name: tensor.detach() + noise.get(name, 0) for name, tensor in before.tensors.items()}
    beside.set_numbers(
        {name: tensor.numpy() for name, tensor in shifted.items()}, torch.ones(1).bool().numpy()
    )
    while beside.done < beside.total:
        beside.update()
    for tensor, of in beside.result().parameters.tensors.items():
        moved = of - shifted[tensor]
        assert torch.allclose(after[tensor], before.tensors[tensor].detach() + moved, rtol=0, atol=1e-12), (
            tensor
        )


def test_in_two_stages_it_begins_with_the_second():
    examples = made_train(TASK.name).take(range(100))
    cell = find_baseline("nspda-3").cell(TASK)
    recipe = replace(RECIPE, epochs=2, order="two stages", selection="last")
    plain, noisy = (
        train(cell, replace(recipe, weight_noise=share), examples, range(2)).losses for share in (None, 0.2)
    )
    assert torch.equal(plain[0], noisy[0]) and not torch.equal(plain[1], noisy[1])
