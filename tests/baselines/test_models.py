"""Every baseline and its training, against its paper's equations written with torch's layers."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.stats import ks_2samp
from torch import Tensor, nn

from helpers.equations import Equations, equations
from marnn_bench.baselines.cells.parameters import Parameters, initialise, leaves
from marnn_bench.baselines.models.registry import all_baselines, find_baseline
from marnn_bench.baselines.recipes import SUZGUN2019
from marnn_bench.baselines.training.loop import one_thread, train, training_examples
from marnn_bench.examples import Examples
from marnn_bench.tasks.registry import find_task

EXACT = 1e-12

every_baseline = pytest.mark.parametrize("model", all_baselines())
"""Ours: a new one is put to these tests by itself."""


def worst(difference: Tensor) -> float:
    return difference.detach().abs().max().item()


def worst_difference(module: Equations, w: Parameters, run: int, of: str) -> float:
    """The largest difference between the module's parameters (or their gradients) and those of our run."""
    theirs = {name: [getattr(p, of) for p in layer] for name, layer in module.layers().items()}
    ours = {name: [getattr(tensor, of)[run] for tensor in affine] for name, affine in w.items()}
    assert theirs.keys() == ours.keys()
    return max(
        worst(a.T - b if a.dim() == 2 else a - b[0])
        for name in ours
        for a, b in zip(theirs[name], ours[name], strict=True)
    )


def first_rows(task_name: str, rows: int) -> Examples:
    task = find_task(task_name)
    draws = np.arange(rows, dtype=np.uint64)
    strings = task.law("train").draw(task.split("train").window, task.key("train"), draws)
    return Examples(task, "train", strings, task.view.answers(task.language, strings), "drawn by hand")


def random_string(symbols: int, steps: int) -> Tensor:
    return torch.randint(symbols, (steps,), generator=torch.Generator().manual_seed(steps))


@pytest.mark.parametrize(
    ("task", "counts"),
    [("dyck2", (148, 484, 191)), ("dyck3", (182, 566, 225)), ("dyck6", (468, 1404, 631))],
)
def test_the_models_have_as_many_parameters_as_the_published_code(task, counts):
    assert (
        tuple(
            find_baseline(model).cell(find_task(task)).num_parameters
            for model in ("rnn", "lstm", "stack-rnn")
        )
        == counts
    )


@pytest.mark.parametrize("task", ["dyck2", "dyck6", "marked-palindrome", "string-reversal"])
@every_baseline
def test_outputs_and_gradients_are_those_of_the_equations(model, task):
    """In every run, for strings of several lengths at once and for one symbol."""
    cell = find_baseline(model).cell(find_task(task))
    for steps in (1, 2, 25):
        w = initialise(cell.shapes, seed=7, runs=range(3))
        ids = torch.stack([random_string(cell.symbols, steps), random_string(cell.symbols, steps).flip(0)])
        scores = cell.scores(w, ids[None])
        scores.square().sum().backward()
        for run in range(3):
            module = equations(model, cell).load(w, run)
            expected = torch.stack([module(string) for string in ids])
            expected.square().sum().backward()
            assert worst(scores[run] - expected) <= EXACT
            for p in module.parameters():  # at the last step, nothing reads what is written
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
            for tensor in leaves(w):
                tensor.grad = torch.zeros_like(tensor) if tensor.grad is None else tensor.grad
            assert worst_difference(module, w, run, of="grad") <= EXACT


@pytest.mark.parametrize(("steps", "cells"), [(14, 5), (9, 1), (220, 104)])
def test_what_is_pushed_past_the_last_cell_is_dropped(steps, cells):
    task = find_task("dyck2")
    baseline = find_baseline("stack-rnn")
    cell = baseline.cell(task, replace(baseline.default_sizes, memory_cells=cells))
    w = initialise(cell.shapes, seed=3, runs=[0])
    ids = random_string(4, steps)
    expected = equations("stack-rnn", cell).load(w, 0)(ids)
    assert worst(cell.scores(w, ids[None, None])[0, 0] - expected) <= EXACT


@pytest.mark.parametrize("steps", [20, 21])
def test_half_as_many_cells_as_symbols_are_enough(steps):
    """What lies deeper than T/2 cannot come up again before the last read in a string of T; one cell less shows."""
    task, baseline = find_task("dyck2"), find_baseline("stack-rnn")

    def outputs_and_gradients(cells: int) -> tuple[Tensor, Tensor]:
        cell = baseline.cell(task, replace(baseline.default_sizes, memory_cells=cells))
        w = initialise(cell.shapes, seed=5, runs=range(4))
        scores = cell.scores(w, random_string(4, steps)[None, None])
        scores.square().sum().backward()
        return scores.detach(), torch.cat([tensor.grad.flatten() for tensor in leaves(w)])

    full, full_gradients = outputs_and_gradients(104)
    half, half_gradients = outputs_and_gradients(steps // 2)
    less, less_gradients = outputs_and_gradients(steps // 2 - 1)
    assert torch.equal(full, half)
    assert worst(full_gradients - half_gradients) <= 1e-15
    assert worst(full - less) > 1e-9
    assert worst(full_gradients - less_gradients) > 1e-9


@every_baseline
def test_initial_parameters_follow_the_laws_of_torch_layers(model):
    """Two-sample Kolmogorov-Smirnov tests of 300 models each; a wrong bound gives p < 1e-20."""
    cell = find_baseline(model).cell(find_task("dyck2"))
    ours = initialise(cell.shapes, seed=0, runs=range(300))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        layers = [equations(model, cell).layers() for _ in range(300)]
    for name, affine in ours.items():
        for part, tensor in enumerate(affine):
            theirs = torch.stack([layer[name][part] for layer in layers])
            assert ks_2samp(tensor.detach().flatten(), theirs.detach().flatten()).pvalue > 1e-4, (name, part)


def test_initial_parameters_of_a_run_depend_on_the_seed_and_its_number_alone():
    cell = find_baseline("stack-rnn").cell(find_task("dyck2"))
    many, one = initialise(cell.shapes, seed=1, runs=range(5)), initialise(cell.shapes, seed=1, runs=[3])
    other = initialise(cell.shapes, seed=2, runs=[3])
    for packed, alone, elsewhere in zip(leaves(many), leaves(one), leaves(other), strict=True):
        assert torch.equal(packed[3], alone[0])
        assert not torch.equal(packed[3], packed[2])
        assert not torch.equal(alone, elsewhere)


@pytest.mark.parametrize("task", ["dyck2", "dyck6", "marked-palindrome"])
@every_baseline
def test_a_run_is_the_same_to_the_bit_alone_and_among_others(model, task):
    """Within 1e-12 would not do: 15,000 updates turn a last bit into another run."""
    cell, examples = find_baseline(model).cell(find_task(task)), first_rows(task, 5)
    alone = train(cell, SUZGUN2019, examples, runs=[17])
    for runs in (range(20), range(40), [17, 3]):
        place = [*runs].index(17)
        packed = train(cell, SUZGUN2019, examples, runs)
        assert packed.losses.shape[2] == len(runs)
        assert torch.equal(packed.losses[:, :, place], alone.losses[:, :, 0])
        for many, one in zip(leaves(packed.parameters), leaves(alone.parameters), strict=True):
            assert torch.equal(many[place], one[0])


@pytest.mark.parametrize("task", ["dyck2", "hom-palindrome", "string-reversal"])
@every_baseline
def test_the_recipe_is_a_plain_loop_over_strings_with_adam(model, task):
    """MSE over steps and columns, one update a string, Adam(0.01), as nn modules and torch.optim do it."""
    cell, examples = find_baseline(model).cell(find_task(task)), first_rows(task, 6)
    module = equations(model, cell).load(initialise(cell.shapes, 5, [2]), 0)
    adam = torch.optim.Adam(module.parameters(), lr=0.01)
    losses = []
    for _ in range(2):
        for string, answers in zip(examples.strings, answers_of(examples), strict=True):
            loss = nn.functional.mse_loss(module(torch.from_numpy(string.astype(np.int64))), answers)
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
    ours = train(cell, replace(SUZGUN2019, epochs=2), examples, runs=[2], seed=5)
    assert ours.losses.flatten().tolist() == pytest.approx(losses, abs=EXACT)
    assert worst_difference(module, ours.parameters, 0, of="data") <= EXACT


def answers_of(examples: Examples) -> list[Tensor]:
    """The k-hot right answers of each string, bit by bit: [steps, columns]"""
    bounds = examples.strings.offsets.tolist()
    columns = range(len(examples.task.columns))
    return [
        torch.tensor(
            [[int(mask) >> i & 1 for i in columns] for mask in examples.answers[a:b]], dtype=torch.float64
        )
        for a, b in pairwise(bounds)
    ]


def test_lessons_ask_for_what_the_paper_prints():
    """Table 1: after ( [ ] ) come (/[/)  (/[/]  (/[/)  (/["""
    task = find_task("dyck2")
    strings = type(first_rows("dyck2", 1).strings).from_texts(task.language.alphabet, ["( [ ] )", ""])
    (example,) = training_examples(
        Examples(task, "train", strings, task.view.answers(task.language, strings), "")
    )
    assert example.ids.tolist() == [[[0, 2, 3, 1]]]
    assert example.answers.tolist() == [[[[1, 1, 1, 0], [1, 0, 1, 1], [1, 1, 1, 0], [1, 0, 1, 0]]]]


def test_training_gives_back_the_threads_it_found():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        with pytest.raises(ZeroDivisionError), one_thread():
            assert torch.get_num_threads() == 1
            raise ZeroDivisionError
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_stack_rnn_learns_dyck1():
    """A counter is enough, and 600 updates are: the loss falls below a third of the best constant answer's."""
    cell, examples = find_baseline("stack-rnn").cell(find_task("dyck1")), first_rows("dyck1", 200)
    losses = train(cell, SUZGUN2019, examples, range(4)).losses
    wanted = torch.cat([example.answers[0, 0] for example in training_examples(examples)])
    assert losses[-1].mean(0).min().item() < float(wanted.var(0).mean()) / 3
