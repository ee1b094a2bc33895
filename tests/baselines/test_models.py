"""The baselines of Suzgun et al. 2019 and their training, against the paper's equations written with torch's layers."""

import csv
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.stats import ks_2samp
from torch import Tensor, nn

from helpers.equations import Equations, equations, in_torch_layout
from helpers.examples import first_rows, one_by_one
from helpers.paths import ROOT
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StringInputs
from marnn_bench.baselines.cells.noise import UpdateNoise
from marnn_bench.baselines.cells.parameters import Parameters, initialise, tensor_shapes
from marnn_bench.baselines.models.registry import all_baselines, find_baseline
from marnn_bench.baselines.recipes import SUZGUN2019, Annealing
from marnn_bench.baselines.training.loop import one_thread, train
from marnn_bench.examples import SetExamples
from marnn_bench.tasks.registry import find_task

EXACT = 1e-12

PLAIN = StringInputs(torch.tensor(1.0, dtype=torch.float64))

every_baseline = pytest.mark.parametrize(
    "model", [name for name, baseline in all_baselines().items() if baseline.paper == "suzgun2019"]
)


def worst(difference: Tensor) -> float:
    return difference.detach().abs().max().item()


def worst_difference(module: Equations, w: Parameters, run: int, of: str) -> float:
    """The largest difference between the module's parameters (or their gradients) and those of our run."""
    theirs = module.named()
    assert theirs.keys() == w.tensors.keys()
    return max(
        worst(getattr(theirs[name], of) - in_torch_layout(name, getattr(tensor, of)[run]))
        for name, tensor in w.tensors.items()
    )


def random_string(symbols: int, steps: int) -> Tensor:
    return torch.randint(symbols, (steps,), generator=torch.Generator().manual_seed(steps))


def some_inputs(cell: Cell, runs: int, batch: int, steps: int) -> StringInputs:
    """A temperature that is not 1, and noise if the cell takes any."""
    noise = torch.from_numpy(UpdateNoise(3, range(runs)).of(1, batch, steps, cell.noise))
    return StringInputs(torch.tensor(0.7, dtype=torch.float64), noise if cell.noise else None)


@pytest.mark.parametrize(
    ("task", "counts"),
    [
        ("dyck2", (148, 484, 191, 527, 218)),
        ("dyck3", (182, 566, 225, 609, 252)),
        ("dyck6", (468, 1404, 631, 1567, 670)),
    ],
)
def test_the_models_have_as_many_parameters_as_the_published_code(task, counts):
    for model, count in zip(("rnn", "lstm", "stack-rnn", "stack-lstm", "baby-ntm"), counts, strict=True):
        for gate in ("", "-temperature", "-gumbel") if "-" in model else ("",):
            assert find_baseline(model + gate).cell(find_task(task)).num_parameters == count


def test_every_row_of_the_papers_tables_has_its_model():
    with (ROOT / "leaderboard" / "data" / "suzgun2019.csv").open() as file:
        rows = {row["model"] for row in csv.DictReader(file)}
    ours = [b.published_row for b in all_baselines().values() if b.paper == "suzgun2019"]
    assert len(ours) == 12
    assert set(ours) == rows


@pytest.mark.parametrize("task", ["dyck2", "dyck6", "string-reversal"])
@every_baseline
def test_outputs_and_gradients_are_those_of_the_equations(model, task):
    """In every run, for strings of several lengths at once and for one symbol."""
    cell = find_baseline(model).cell(find_task(task))
    for steps in (1, 2, 17):
        w = initialise(cell.shapes, seed=7, runs=range(2))
        ids = torch.stack([random_string(cell.symbols, steps), random_string(cell.symbols, steps).flip(0)])
        inputs = some_inputs(cell, 2, 2, steps)
        scores = cell.scores(w, ids[None], inputs)
        scores.square().sum().backward()
        for run in range(2):
            module = equations(model, cell).load(w, run)
            noise = [None, None] if inputs.noise is None else inputs.noise[run]
            expected = torch.stack([module(ids[i], 0.7, noise[i]) for i in range(2)])
            expected.square().sum().backward()
            assert worst(scores[run] - expected) <= EXACT
            for p in module.parameters():  # at the last step, nothing reads what is written
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
            for tensor in w.tensors.values():
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
    assert worst(cell.scores(w, ids[None, None], PLAIN)[0, 0] - expected) <= EXACT


@pytest.mark.parametrize("steps", [20, 21])
def test_half_as_many_cells_as_symbols_are_enough(steps):
    """What lies deeper than T/2 cannot come up again before the last read in a string of T; one cell less shows."""
    task, baseline = find_task("dyck2"), find_baseline("stack-rnn")

    def outputs_and_gradients(cells: int) -> tuple[Tensor, Tensor]:
        cell = baseline.cell(task, replace(baseline.default_sizes, memory_cells=cells))
        w = initialise(cell.shapes, seed=5, runs=range(4))
        scores = cell.scores(w, random_string(4, steps)[None, None], PLAIN)
        scores.square().sum().backward()
        return scores.detach(), torch.cat([tensor.grad.flatten() for tensor in w.tensors.values()])

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
        modules = [equations(model, cell).named() for _ in range(300)]
    for name, tensor in ours.tensors.items():
        theirs = torch.stack([module[name] for module in modules])
        assert ks_2samp(tensor.detach().flatten(), theirs.detach().flatten()).pvalue > 1e-4, name


def test_initial_parameters_of_a_run_depend_on_the_seed_and_its_number_alone():
    cell = find_baseline("stack-rnn").cell(find_task("dyck2"))
    many, one = initialise(cell.shapes, seed=1, runs=range(5)), initialise(cell.shapes, seed=1, runs=[3])
    other = initialise(cell.shapes, seed=2, runs=[3])
    for name in tensor_shapes(cell.shapes):
        packed, alone = many.tensors[name], one.tensors[name]
        assert torch.equal(packed[3], alone[0])
        assert not torch.equal(packed[3], packed[2])
        assert not torch.equal(alone, other.tensors[name])


@pytest.mark.parametrize("task", ["dyck2", "dyck6"])
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
        for name, tensor in packed.parameters.tensors.items():
            assert torch.equal(tensor[place], alone.parameters.tensors[name][0])


@pytest.mark.parametrize("task", ["dyck2", "string-reversal"])
@every_baseline
def test_the_recipe_is_a_plain_loop_over_strings_with_adam(model, task):
    """MSE over steps and columns, one update a string, Adam(0.01), as nn modules and torch.optim do it; the temperature
    falls before every string.
    """
    cell, examples = find_baseline(model).cell(find_task(task)), first_rows(task, 6)
    module = equations(model, cell).load(initialise(cell.shapes, 5, [2]), 0)
    adam = torch.optim.Adam(module.parameters(), lr=0.01)
    losses, temperature = [], 1.0
    for _ in range(2):
        for string, answers in zip(examples.strings, answers_of(examples), strict=True):
            temperature = max(0.9, temperature * math.exp(-0.01))
            noise = UpdateNoise(5, [2]).of(len(losses) + 1, 1, len(string), cell.noise)[0, 0]
            ids = torch.from_numpy(string.astype(np.int64))
            loss = nn.functional.mse_loss(module(ids, temperature, torch.from_numpy(noise)), answers)
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
    recipe = replace(SUZGUN2019, epochs=2, annealing=Annealing(rate=0.01, floor=0.9))
    ours = train(cell, recipe, examples, runs=[2], seed=5)
    assert ours.losses.flatten().tolist() == pytest.approx(losses, abs=EXACT)
    assert worst_difference(module, ours.parameters, 0, of="data") <= EXACT


def answers_of(examples: SetExamples) -> list[Tensor]:
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
    (example,) = one_by_one(
        SetExamples(task, "train", strings, task.view.answers(task.language, strings), "")
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
    wanted = torch.cat([example.answers[0, 0] for example in one_by_one(examples)])
    assert losses[-1].mean(0).min().item() < float(wanted.var(0).mean()) / 3
