"""The models of Bernardy 2018 against their equations, their numbers of parameters, and their initial laws."""

import re
from dataclasses import replace

import pytest
import torch
from scipy.stats import kstest, truncnorm, uniform

from helpers.agreement import assert_agrees, assert_steps_agree, inputs_of
from helpers.equations.bernardy2018 import configuration
from helpers.paths import ROOT
from marnn_bench.baselines.cells.parameters import count_parameters, initialise
from marnn_bench.baselines.models.bernardy2018 import BASELINES, StackSizes, russ
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.tasks.registry import find_task

KINDS = {
    "bernardy-gru-40": ("gru",), "bernardy-lstm-40": ("lstm",), "bernardy-gru-160": ("gru",),
    "bernardy-lstm-160": ("lstm",), "russ": (), "bernardy-gru-gru": ("gru", "gru"),
    "bernardy-lstm-lstm": ("lstm", "lstm"), "bernardy-lstm-gru": ("lstm", "gru"),
    "bernardy-gru-lstm": ("gru", "lstm"), "bernardy-lstm-russ": ("lstm",), "bernardy-gru-russ": ("gru",),
}  # fmt: skip


def small(model: str, **changes: object):
    """The model with few units."""
    baseline = find_baseline(model)
    sizes = {"hidden": 4, "embedding": 3, "memory_cells": 5} | changes
    sizes = {name: size for name, size in sizes.items() if name in baseline.default_sizes.as_json()}
    return baseline.build(6, 5, replace(baseline.default_sizes, **sizes))


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("model", KINDS)
def test_every_configuration_is_its_equations(model, dropout):
    cell = small(model, dropout=dropout)
    assert_agrees(cell, configuration(KINDS[model], 5 if "russ" in model else 0, getattr(cell, "dropout", 0)))
    assert_steps_agree(cell)


def test_there_are_the_eleven_configurations_of_section_2_4():
    assert [baseline.name for baseline in BASELINES][:11] == [*KINDS]


def test_a_russ_named_by_a_depth_has_a_stack_of_it_and_is_the_same_else():
    task = find_task("dyck5")
    whole = find_baseline("russ")
    for depth in (2, 4, 6, 8):
        lower = find_baseline(f"russ-{depth}")
        assert lower.sizes_for(task) == replace(whole.sizes_for(task), memory_cells=depth)
        assert lower.recipe_for(task) == whole.recipe_for(task)


@pytest.mark.parametrize(
    ("model", "count"),
    [
        ("bernardy-gru-40", 3 * (40 + 12) * 40),
        ("bernardy-lstm-40", 4 * (40 + 12) * 40 + 4 * 40),
        ("bernardy-gru-160", 3 * (160 + 12) * 160),
        ("bernardy-lstm-160", 4 * (160 + 12) * 160 + 4 * 160),
        ("russ", 6 * 12 + 3),
        ("bernardy-gru-gru", 3 * (40 + 12) * 40 + 3 * (40 + 40) * 40),
        ("bernardy-lstm-lstm", 4 * (40 + 12) * 40 + 4 * 40 + 4 * (40 + 40) * 40 + 4 * 40),
        ("bernardy-lstm-gru", 4 * (40 + 12) * 40 + 4 * 40 + 3 * (40 + 40) * 40),
        ("bernardy-gru-lstm", 3 * (40 + 12) * 40 + 4 * (40 + 40) * 40 + 4 * 40),
        ("bernardy-lstm-russ", 4 * (40 + 12) * 40 + 4 * 40 + 6 * 40 + 3),
        ("bernardy-gru-russ", 3 * (40 + 12) * 40 + 6 * 40 + 3),
    ],
)
def test_layers_have_as_many_parameters_as_section_2_says(model, count):
    shapes = find_baseline(model).cell(find_task("dyck5")).shapes
    of_layers = {name: of for name, of in shapes.items() if name not in ("embedding", "output")}
    assert count_parameters(of_layers) == count
    page = (ROOT / "docs" / "models" / "bernardy2018.md").read_text()
    assert re.search(rf"`{model}` .*\| {count:,} \|", page)


def test_a_stack_may_be_deeper_than_in_training():
    """Section 2.3: parameters do not depend on the depth; a stack as deep as strings are long drops nothing."""
    shallow, deep, deeper = (russ(6, 5, StackSizes(memory_cells=cells, embedding=3)) for cells in (2, 9, 20))
    w, inputs = initialise(shallow.shapes, 0, [0]), inputs_of(shallow, 1, 1, 9)
    ids = torch.tensor([[[0, 1, 2, 3, 4, 5, 0, 1, 2]]])
    assert torch.equal(deep.scores(w, ids, inputs), deeper.scores(w, ids, inputs))
    assert not torch.equal(shallow.scores(w, ids, inputs), deep.scores(w, ids, inputs))


def test_dropout_drops_its_share_and_keeps_the_mean():
    cell = small("bernardy-lstm-gru", dropout=0.1)
    inputs = inputs_of(cell, 4, 200, 5)
    kept = torch.cat([torch.cat(cell._kept(inputs.at(clock)), -1).flatten() for clock in range(5)])
    assert set(kept.tolist()) == {0.0, 1 / 0.9}
    assert (kept == 0).double().mean().item() == pytest.approx(0.1, abs=0.005)
    assert cell._kept(inputs._replace(training=False).at(0)) == [1.0] * 4


def test_dropout_without_noise_is_refused():
    cell = small("bernardy-gru-40", dropout=0.1)
    w = initialise(cell.shapes, 0, [0])
    with pytest.raises(TypeError, match=r"give the step Cell\.noise standard Gumbel numbers"):
        cell.scores(w, torch.zeros(1, 1, 2, dtype=torch.int64), inputs_of(cell, 1, 1, 2)._replace(noise=None))


def test_parameters_begin_as_in_the_authors_library():
    cell = find_baseline("bernardy-lstm-russ").cell(find_task("dyck5"))
    w = initialise(cell.shapes, 0, range(30))
    recurrent = torch.stack(w.tensors["layer1/hidden.weight"].detach().chunk(4, -1))
    products = recurrent @ recurrent.transpose(-1, -2)
    assert (products - torch.eye(40, dtype=torch.float64)).abs().max().item() <= 1e-12
    assert w.tensors["layer1/input.bias"][7, 0].unflatten(0, (4, 40))[:, 0].tolist() == [0, 1, 0, 0]
    bound = (6 / (12 + 40)) ** 0.5
    laws = {
        "layer1/input.weight": uniform(-bound, 2 * bound),
        "embedding.weight": uniform(-0.05, 0.1),
        "action.bias": truncnorm(-2, 2, scale=0.1),
        "output.bias": truncnorm(-2, 2, scale=0.1),
    }
    for name, law in laws.items():
        assert kstest(w.tensors[name].detach().flatten(), law.cdf).pvalue > 1e-4, name


def test_orthogonal_maps_point_everywhere_alike():
    """Haar measure: the first entry of a 3 x 3 rotation or reflection is uniform in [-1, 1] (Archimedes)."""
    cell = small("bernardy-lstm-40", hidden=3)
    w = initialise(cell.shapes, 0, range(600))
    for entry in (0, 1, 2):
        numbers = w.tensors["layer1/hidden.weight"][:, entry, entry].detach()
        assert kstest(numbers, uniform(-1, 2).cdf).pvalue > 1e-4
