"""RTRL is the gradient of back-propagation, UORO is on average, over all signs."""

import json
from dataclasses import replace

import pytest
import torch

from helpers.command_line import marnn, succeed
from helpers.examples import first_rows
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.lessons import lessons_of
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.models.suzgun2019 import VanillaCell
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.rules.rules import BPTT, RTRL, UORO
from marnn_bench.baselines.rules.signs import UpdateSigns
from marnn_bench.baselines.rules.unrolled import Unrolled
from marnn_bench.baselines.training.batches import training_batch
from marnn_bench.baselines.training.loop import train
from marnn_bench.baselines.training.optimisation import LOSSES
from marnn_bench.errors import UsageError

MODELS = ("rnn", "lstm", "stack-rnn", "baby-ntm", "joulin-stack-rnn", "neural-stack-lstm", "state-space")


def chain_of(cell, steps=None, batch=2, runs=(0, 3), loss="squared error"):
    lessons = lessons_of(first_rows("dyck2", batch))
    given = training_batch(lessons, cell.columns)
    if steps:
        given = given._replace(ids=given.ids[:, :, :steps], answers=given.answers[:, :, :steps], weights=None)
    parameters = initialise(cell.shapes, 7, runs)
    inputs = StringInputs(torch.tensor(1.0, dtype=torch.float64))
    return Unrolled(cell, parameters, given, inputs, LOSSES[loss]), parameters, given, inputs


def backwards(cell, parameters, given, inputs, loss="squared error"):
    """The gradient by the whole string at once, as trainings take it."""
    losses = LOSSES[loss](cell.scores(parameters, given.ids, inputs), given.answers, given.weights)
    losses.sum().backward()
    return losses.detach(), torch.cat([t.grad.flatten(1) for t in parameters.tensors.values()], 1)


def small(model, size=4):
    baseline = find_baseline(model)
    task = first_rows("dyck2", 1).task
    sizes = baseline.sizes_for(task)
    changed = {
        name: size for name in ("hidden", "memory_width", "embedding", "memories") if hasattr(sizes, name)
    }
    return baseline.cell(task, type(sizes)(**{**sizes.as_json(), **changed}))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("rule", [BPTT(), BPTT(1000), RTRL()], ids=str)
def test_the_gradient_is_that_of_back_propagation(model, rule):
    cell = small(model)
    chain, *given = chain_of(cell, steps=9)
    losses, gradient = rule.gradient(chain)
    of_whole, expected = backwards(cell, *given)
    assert torch.allclose(losses, of_whole, rtol=1e-12, atol=0)
    assert (gradient - expected).abs().max() <= 1e-12 * max(1, expected.abs().max())


class AllSigns:
    """In each run others: the bits of its number."""

    def __init__(self, runs):
        self.runs, self.used = torch.arange(runs)[:, None], 0

    def __call__(self, t, n):
        bits = self.used + torch.arange(n)
        self.used += n
        return 1.0 - 2.0 * (self.runs >> bits & 1).double()


@pytest.mark.parametrize(
    ("model", "hidden", "steps", "bits"),
    [("rnn", 2, 5, 10), ("lstm", 1, 5, 10), ("stack-rnn", 1, 4, 14), ("neural-stack-lstm", 1, 2, 11)],
)
def test_uoro_is_the_gradient_of_back_propagation_on_average_over_all_signs(model, hidden, steps, bits):
    """As many runs of the same parameters as there are signs."""
    cell = small(model, hidden)
    chain, *given = chain_of(cell, steps, batch=1, runs=(0,) * 2**bits)
    signs = AllSigns(2**bits)
    losses, gradient = UORO(signs).gradient(chain)
    assert signs.used == bits
    of_whole, expected = backwards(cell, *given)
    assert torch.allclose(losses, of_whole, rtol=1e-12, atol=0)
    assert gradient.std(0).max() > 1e-4
    assert (gradient.mean(0) - expected[0]).abs().max() <= 1e-12


@pytest.mark.parametrize("stretch", [1, 2, 4])
def test_truncated_errors_stay_within_their_stretch(stretch):
    """The gradients of strings that begin where a stretch does, from the state that is there, added up."""
    chain, *_ = chain_of(small("stack-rnn"), steps=9)
    w, expected = chain.parameters, torch.zeros_like(chain.parameters)
    s = chain.start(w)
    for first in range(1, 10, stretch):
        here = w.clone().requires_grad_()
        s, total = s.detach(), 0
        for t in range(first, min(first + stretch, 10)):
            s, loss = chain.step(t, here, s)
            total = total + loss.sum()
        expected += torch.autograd.grad(total, here)[0]
    assert torch.allclose(BPTT(stretch).gradient(chain)[1], expected, rtol=1e-12, atol=1e-16)


def test_trainings_by_rtrl_and_by_back_propagation_are_the_same():
    recipe, examples = replace(SUZGUN2019, epochs=1, batch=3), first_rows("dyck2", 12)
    trained = [
        train(small("stack-rnn"), replace(recipe, rule=rule), examples, range(2)) for rule in ("rtrl", "bptt")
    ]
    assert torch.allclose(trained[0].losses, trained[1].losses, rtol=1e-9)
    for name, tensor in trained[0].parameters.tensors.items():
        assert torch.allclose(tensor, trained[1].parameters.tensors[name], rtol=1e-7, atol=1e-9)


def test_a_run_by_uoro_depends_on_its_number_alone():
    recipe, examples = replace(SUZGUN2019, epochs=1, rule="uoro"), first_rows("dyck2", 5)
    beside = train(small("lstm"), recipe, examples, [4, 1, 7]).parameters.tensors
    alone = train(small("lstm"), recipe, examples, [1]).parameters.tensors
    other = train(small("lstm"), recipe, examples, [1], seed=1).parameters.tensors
    assert all(torch.equal(tensor[1], alone[name][0]) for name, tensor in beside.items())
    assert any(not torch.equal(tensor[0], alone[name][0]) for name, tensor in other.items())


def test_signs_are_as_often_1_as_minus_1():
    """4 updates x 30 steps x 100 signs of two runs: within 5 deviations."""
    signs = UpdateSigns(0, [0, 1])
    drawn = torch.cat([signs.of(update)(step, 100) for update in range(4) for step in range(30)], 1)
    assert set(drawn.unique().tolist()) == {-1.0, 1.0}
    assert drawn.sum(1).abs().max() < 5 * 12_000**0.5
    assert (drawn[0] * drawn[1]).sum().abs() < 5 * 12_000**0.5


def test_a_state_of_whole_numbers_is_refused():
    class Counting(VanillaCell):
        def initial_state(self, w, batch, steps=None):
            return (*super().initial_state(w, batch, steps), torch.zeros(w.runs, batch, 1, dtype=torch.int64))

    rnn = small("rnn")
    chain, *_ = chain_of(Counting(rnn.symbols, rnn.columns, rnn.controller))
    with pytest.raises(UsageError, match=r"Counting has whole numbers.*learn by bptt"):
        RTRL().gradient(chain)


def test_the_command_takes_a_rule(tmp_path):
    asked = "train", "rnn", "--task", "dyck1", "--rows", 20, "--runs", 1, "--out", "rnn", "--overwrite"
    succeed(*asked, "--rule", "uoro", cwd=tmp_path)
    recipe = json.loads((tmp_path / "rnn" / "training.json").read_text())["recipe"]
    assert (recipe["rule"], recipe["steps_back"]) == ("uoro", None)
    refused = marnn(*asked, "--rule", "rtrl", "--steps-back", 3, cwd=tmp_path)
    assert refused.code == 2
    assert "rtrl, which takes no steps back" in refused.error
    refused = marnn(*asked, "--rule", "rtrl", "--engine", "compiled", cwd=tmp_path)
    assert "back-propagation through whole strings alone" in refused.error
