"""Declared parameters: their laws, and what is drawn."""

import pytest
import torch
from scipy.stats import kstest, uniform

from marnn_bench.baselines.cells.initial import Constant, Glorot, Uniform
from marnn_bench.baselines.cells.parameters import (
    AffineShape,
    TensorShape,
    count_parameters,
    initialise,
    linear,
)

SHAPES = {
    "plain": linear(6, 5),
    "pop": AffineShape(6, 1, Glorot(), Constant(-1.0)),
    "unbiased": linear(6, 5, bias=False),
    "h0": TensorShape((1, 8), Uniform(0.5)),
    "transition": TensorShape((4, 3, 5), Glorot()),
}


def test_parameters_are_what_was_declared():
    w = initialise(SHAPES, seed=1, runs=range(400))
    assert {name: tuple(tensor.shape[1:]) for name, tensor in w.tensors.items()} == {
        "plain.weight": (6, 5), "plain.bias": (1, 5), "pop.weight": (6, 1), "pop.bias": (1, 1),
        "unbiased.weight": (6, 5), "h0": (1, 8), "transition": (4, 3, 5),
    }  # fmt: skip
    assert count_parameters(SHAPES) == 35 + 7 + 30 + 8 + 60
    assert (w.tensors["pop.bias"] == -1).all()
    bounds = {"plain.weight": 6**-0.5, "plain.bias": 6**-0.5, "unbiased.weight": 6**-0.5, "h0": 0.5}
    bounds |= {"pop.weight": (6 / 7) ** 0.5, "transition": (6 / 8) ** 0.5}
    for name, bound in bounds.items():
        numbers = w.tensors[name].detach().flatten()
        assert kstest(numbers, uniform(-bound, 2 * bound).cdf).pvalue > 1e-4, name


def test_a_declaration_does_not_change_what_is_drawn_before_it():
    shorter = {name: SHAPES[name] for name in ("plain", "pop")}
    few, all_ = initialise(shorter, 3, [7]), initialise(SHAPES, 3, [7])
    for name, tensor in few.tensors.items():
        assert torch.equal(tensor, all_.tensors[name])


@pytest.mark.parametrize("name", ["plain", "unbiased"])
def test_a_map_of_symbols_is_the_map_of_their_one_hot_vectors(name):
    w, ids = initialise(SHAPES, 0, range(3)), torch.tensor([[5, 0, 2, 2]])
    one_hot = torch.nn.functional.one_hot(ids, 6).double().expand(3, -1, -1)
    assert (w[name].of_symbols(ids) - w[name](one_hot)).abs().max().item() <= 1e-15
    layer = torch.nn.functional.linear(one_hot[1], w[name].weight[1].T)
    bias = 0 if w[name].bias is None else w[name].bias[1, 0]
    assert (w[name](one_hot)[1] - layer - bias).abs().max().item() <= 1e-15
