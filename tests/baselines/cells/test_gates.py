"""Gates against section 3.4 of Suzgun et al. 2019 written out, values and gradients, and against the laws they have."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from helpers.equations.suzgun2019 import gumbel_softmax, softmax, softmax_temp
from marnn_bench.baselines.cells.gates import GumbelSoftmax, HardAtEvaluation, Softmax, TemperatureSoftmax
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.noise import UpdateNoise

GATES = [(Softmax(), softmax), (TemperatureSoftmax(), softmax_temp), (GumbelSoftmax(), gumbel_softmax)]


def inputs(temperature: float, noise: Tensor | None, training: bool = True) -> StepInputs:
    return StepInputs(torch.tensor(temperature, dtype=torch.float64), noise, 0, training)


@pytest.mark.parametrize(("gate", "literal"), GATES)
@settings(max_examples=30)
@given(actions=st.integers(2, 5), runs=st.integers(1, 3), tau=st.floats(0.5, 2), seed=st.integers(0, 9))
def test_weights_are_those_of_the_paper(gate, literal, actions, runs, tau, seed):
    drawn = torch.Generator().manual_seed(seed)
    scores, noise = torch.randn(2, runs, 2, actions, generator=drawn, dtype=torch.float64)
    scores.requires_grad_()
    shaped = scores.view(runs, 2, 1, 1, 1, actions)
    ours = gate(shaped, inputs(tau, noise)).view_as(scores)
    theirs = torch.stack(
        [torch.stack([literal(scores[r, b], tau, noise[r, b]) for b in range(2)]) for r in range(runs)]
    )
    assert (ours - theirs).abs().max().item() <= 1e-12
    by_run = StepInputs(torch.full((runs, 1, 1), tau, dtype=torch.float64), noise, 0, True)
    assert torch.equal(gate(shaped, by_run).view_as(scores), ours)
    into = torch.randn(ours.shape, generator=drawn, dtype=torch.float64)
    (our_gradient,) = torch.autograd.grad((into * ours).sum(), scores, retain_graph=True)
    (their_gradient,) = torch.autograd.grad((into * theirs).sum(), scores)
    assert (our_gradient - their_gradient).abs().max().item() <= 1e-12


def test_softmax_with_temperature_does_not_overflow():
    weights = TemperatureSoftmax()(torch.tensor([800.0, 0.0], dtype=torch.float64), inputs(0.5, None))
    assert weights.tolist() == [1.0, 0.0]


def test_a_hard_gate_decides_at_evaluation_alone():
    gate, scores = HardAtEvaluation(Softmax()), torch.tensor([[1.0, 3.0, 3.0], [2.0, 1.0, 0.0]])
    assert torch.equal(gate(scores, inputs(1.0, None)), torch.softmax(scores, -1))
    assert gate(scores, inputs(1.0, None, training=False)).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert HardAtEvaluation(GumbelSoftmax()).noisy


def test_gumbel_softmax_without_noise_is_refused():
    with pytest.raises(TypeError, match="takes noise"):
        GumbelSoftmax()(torch.zeros(2), inputs(1.0, None))


def test_the_largest_of_noisy_scores_is_distributed_as_their_softmax():
    """The Gumbel-max law (Jang et al. 2016): 20,000 draws, five standard deviations."""
    scores = torch.tensor([0.5, 2.0, -1.0, 0.0], dtype=torch.float64)
    noise = torch.from_numpy(UpdateNoise(0, [0]).of(1, 1, 20_000, 4))[0, 0]
    chosen = GumbelSoftmax()(scores.expand(20_000, 4), inputs(0.5, noise)).argmax(-1)
    p = torch.softmax(scores, 0)
    found = torch.bincount(chosen, minlength=4) / 20_000
    assert ((found - p).abs() <= 5 * (p * (1 - p) / 20_000).sqrt()).all()
