"""Updates by several strings, on another device, and with a run that is lost."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from helpers.command_line import marnn
from helpers.equations import equations
from helpers.examples import first_rows, one_by_one
from marnn_bench.baselines.cells.noise import UpdateNoise
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.lessons import lessons_of
from marnn_bench.baselines.model_file import baseline_of_file
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.training.batches import training_batches
from marnn_bench.baselines.training.folder import diverged
from marnn_bench.baselines.training.loop import train

PLAIN = replace(SUZGUN2019, epochs=2, annealing=None)


@pytest.mark.parametrize("batch", [1, 4, 100])
def test_a_batch_is_some_consecutive_strings_whose_symbols_count_alike(batch):
    examples = first_rows("dyck2", 10)
    batches = [*training_batches(lessons_of(examples), 4, batch)]
    assert [b.ids.shape[1] for b in batches] == {1: [1] * 10, 4: [4, 4, 2], 100: [10]}[batch]
    strings = iter(examples.strings)
    for ids, answers, weights in batches:
        for row in range(ids.shape[1]):
            string = next(strings)
            assert ids[0, row, : len(string)].tolist() == string.tolist()
            if weights is not None:
                expected = torch.zeros(ids.shape[2], dtype=torch.float64)
                expected[: len(string)] = 1 / int((weights > 0).sum())
                assert weights[0, row].tolist() == pytest.approx(expected.tolist(), rel=1e-15)
                assert not answers[0, row, len(string) :].any()
    assert next(strings, None) is None


@pytest.mark.parametrize("optimiser", ["adam", "sgd"])
@pytest.mark.parametrize("model", ["stack-rnn", "lstm", "baby-ntm-gumbel", "stack-rnn-joulin-mikolov"])
def test_a_batch_of_four_is_a_plain_loop_over_four_strings(model, optimiser):
    """Mean squared error of all their symbols; a step against its gradient, which sgd shows."""
    examples = first_rows("dyck2", 6)
    cell = find_baseline(model).cell(examples.task)
    module = equations(model, cell).load(initialise(cell.shapes, 5, [2]), 0)
    step = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}[optimiser](module.parameters(), lr=0.05)
    listed, losses = one_by_one(examples), []
    for first in (0, 4, 0, 4):
        strings = listed[first : first + 4]
        longest = max(string.ids.shape[2] for string in strings)
        noise = torch.from_numpy(
            UpdateNoise(5, [2]).of(len(losses) + 1, len(strings), longest, cell.noise)[0]
        )
        errors = []
        for (ids, answers, _), of_string in zip(strings, noise, strict=True):
            scores = module(ids[0, 0], 1.0, of_string[: ids.shape[2]])
            errors.append((scores - answers[0, 0]).square())
        loss = torch.cat(errors).mean()
        step.zero_grad()
        loss.backward()
        step.step()
        losses.append(loss.item())
    recipe = replace(PLAIN, learning_rate=0.05, batch=4, optimiser=optimiser)
    ours = train(cell, recipe, examples, runs=[2], seed=5)
    assert ours.losses.shape == (2, 2, 1)
    assert ours.losses.flatten().tolist() == pytest.approx(losses, abs=1e-12)
    trained = equations(model, cell).load(ours.parameters, 0).named()
    for name, tensor in module.named().items():
        assert (tensor - trained[name]).abs().max().item() <= 1e-12


@pytest.mark.parametrize("loss", ["squared error", "cross-entropy"])
def test_the_loss_of_a_batch_is_the_mean_over_its_symbols(loss):
    """Before any update: of one batch of all strings, and of the strings one by one at a rate that changes nothing."""
    examples = first_rows("string-reversal", 8)
    cell = find_baseline("rnn").cell(examples.task)
    still = replace(PLAIN, epochs=1, learning_rate=0.0, loss=loss, optimiser="sgd")
    together, alone = (train(cell, replace(still, batch=n), examples, range(3)).losses for n in (8, 1))
    assert together.shape[1] == 1
    lengths = torch.from_numpy(examples.strings.lengths).double()
    by_length = (alone * lengths[:, None]).sum(1) / lengths.sum()
    assert torch.allclose(together.mean(1), by_length, rtol=1e-13, atol=0)


ROOT_CELL = """\
from dataclasses import dataclass
import torch
from marnn_bench.baselines import Cell
from marnn_bench.baselines.cells.initial import Uniform
from marnn_bench.baselines.cells.parameters import TensorShape, linear

@dataclass(frozen=True)
class RootCell(Cell):
    @property
    def shapes(self):
        return {"input": linear(self.symbols, self.columns), "a": TensorShape((1, 1), Uniform(0.3))}
    def initial_state(self, w, batch, steps=None):
        return (w.full((batch, 1)),)
    def step(self, w, state, x, inputs):
        return state, w.tensors["a"].sqrt() * torch.sigmoid(x)
    def decode(self, w, features):
        return features

cell = RootCell
"""
"""y = sqrt(a) sigmoid(W x + b): no number once a is below 0, as it is in some runs from the beginning."""


def test_a_run_whose_loss_is_no_number_touches_no_other(tmp_path):
    """The others are trained as by a plain loop over one run, in which none is lost."""
    examples = first_rows("dyck2", 8)
    (tmp_path / "root.py").write_text(ROOT_CELL)
    cell = baseline_of_file(tmp_path / "root.py").cell(examples.task)
    begun = initialise(cell.shapes, 0, range(16))
    trained = train(cell, PLAIN, examples, range(16))
    lost = {entry["run"] for entry in diverged(trained.losses)}
    assert lost >= {run for run in range(16) if begun.tensors["a"][run] < 0}
    assert 0 < len(lost) < 16
    for run in {*range(16)} - lost:
        weight, bias, a = (
            begun.tensors[n][run].detach().clone() for n in ("input.weight", "input.bias", "a")
        )
        tensors = [weight, bias, a]
        adam = torch.optim.Adam([tensor.requires_grad_() for tensor in tensors], lr=0.01)
        for epoch, (update, (ids, answers, _)) in itertools.product(
            range(2), enumerate(one_by_one(examples))
        ):
            scores = a.sqrt() * torch.sigmoid(weight[ids[0, 0]] + bias)
            loss = nn.functional.mse_loss(scores, answers[0, 0])
            adam.zero_grad()
            loss.backward()
            adam.step()
            assert abs(loss.item() - trained.losses[epoch, update, run].item()) <= 1e-12
        assert (trained.parameters.tensors["input.weight"][run] - weight).abs().max().item() <= 1e-12


def test_a_lost_run_is_reported(tmp_path):
    (tmp_path / "root.py").write_text(ROOT_CELL)
    done = marnn(
        "train", "root.py", "--task", "dyck2", "--rows", 8, "--epochs", 1, "--runs", 8, "--out", "mine",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.code == 0, done.err
    training = json.loads((tmp_path / "mine" / "training.json").read_text())
    begun = np.array([entry["run"] for entry in training["diverged"] if entry["update"] == 1])
    assert 0 < len(begun) < 8
    for run in begun:
        assert training["final_loss"][run] is None
        assert f"run {run} diverged: its loss is no finite number at update 1\n" in done.out


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("cuda:99", f"torch {torch.__version__} finds no cuda:99 here. Train with --device cpu."),
        ("gpu", "There is no device 'gpu': it is cpu, cuda, or cuda:1 for the second GPU."),
        ("mps", "There is no device 'mps': it is cpu, cuda, or cuda:1 for the second GPU."),
    ],
)
def test_a_device_that_is_not_there_is_named_before_any_work(tmp_path, device, message):
    refused = marnn("train", "rnn", "--task", "dyck2", "--device", device, "--out", "mine", cwd=tmp_path)
    assert (refused.code, refused.error) == (2, message)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs torch for CUDA")
@pytest.mark.parametrize("model", ["stack-rnn", "baby-ntm-gumbel"])
def test_a_gpu_trains_as_the_cpu_does(model):
    examples = first_rows("dyck2", 6)
    cell = find_baseline(model).cell(examples.task)
    cpu, gpu = (train(cell, PLAIN, examples, range(3), device=device) for device in ("cpu", "cuda"))
    assert (cpu.losses - gpu.losses).abs().max().item() <= 1e-9
