"""The networks of Mali et al. 2019 against their equations, their hints, and runs whose products overflow."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from helpers.agreement import EXACT, assert_agrees, assert_steps_agree, inputs_of, one_run
from helpers.command_line import marnn
from helpers.equations.mali2019 import (
    multiplicative_rnn,
    nnpda,
    nspda,
    peephole_lstm,
    second_order_rnn,
)
from helpers.gradients import by_program, by_reference, farthest, random_string
from helpers.paths import ROOT
from marnn_bench.baselines.automata.discrete_stack import DiscreteStack
from marnn_bench.baselines.automata.extraction import extract
from marnn_bench.baselines.automata.higher_order import SecondOrderRNN
from marnn_bench.baselines.automata.machine import every_string
from marnn_bench.baselines.automata.stack_cells import NNPDA, NSPDA
from marnn_bench.baselines.cells.controllers import (
    MultiplicativeGRU,
    MultiplicativeLSTM,
    MultiplicativeRNN,
    PeepholeLSTM,
)
from marnn_bench.baselines.cells.intervals import NeuralStack
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.course import Course
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.lessons import lessons_of
from marnn_bench.baselines.models.mali2019 import BASELINES, RECIPE
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.models.suzgun2019 import VanillaCell
from marnn_bench.baselines.training.loop import Training
from marnn_bench.errors import UsageError
from marnn_bench.examples import RecognitionExamples
from marnn_bench.generators.strings import Strings
from marnn_bench.tasks.registry import find_task

DYCK1 = find_task("dyck1-recognition")


@pytest.mark.parametrize(
    "controller, equations",
    [
        (SecondOrderRNN(4), second_order_rnn(4)),
        (PeepholeLSTM(3), peephole_lstm),
        (MultiplicativeRNN(4), multiplicative_rnn),
    ],
)
def test_networks_without_a_stack_are_their_equations(controller, equations):
    assert_agrees(VanillaCell(4, 2, controller), equations)


@pytest.mark.parametrize("controller", [MultiplicativeLSTM(3), MultiplicativeGRU(3), SecondOrderRNN(3)])
def test_their_steps_agree(controller):
    assert_steps_agree(VanillaCell(4, 2, controller))


def test_the_nnpda_is_its_equations_and_its_gradient_is_exact():
    """Of a stack that is kept as a list of strengths."""
    assert_agrees(NNPDA(3, 2, 3, 3, NeuralStack(3)), nnpda(3))


@pytest.mark.parametrize("predictions", [1, 3])
@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize("quantised", [True, False])
def test_the_nspda_is_its_equations(quantised, end, predictions):
    cell = NSPDA(3, 2, 4, 3, DiscreteStack(3), quantised=quantised, end=end, predictions_a_step=predictions)
    w = initialise(cell.shapes, 4, range(3))
    ids = torch.randint(3, (1, 5, 12), generator=torch.Generator().manual_seed(1))
    ours, literal = cell.scores(w, ids, inputs_of(cell, 3, 5, 12)), nspda(4, quantised, end, predictions)
    theirs = torch.stack(
        [torch.stack([literal(one_run(w, run), s, None) for s in ids[0]]) for run in range(3)]
    )
    assert (ours - theirs).abs().max().item() <= EXACT


@pytest.mark.parametrize("order", [2, 3])
def test_networks_with_a_stack_go_step_by_step(order):
    assert_steps_agree(NSPDA(3, 2, 4, order, DiscreteStack(3)))
    assert_steps_agree(NNPDA(3, 2, 4, order, NeuralStack(3)))


def test_all_predictions_of_a_step_are_learned_from_and_the_last_is_the_answer():
    """The first of the first step is that of a network with one prediction a step."""
    cell = NSPDA(3, 2, 4, 3, DiscreteStack(3), quantised=False, predictions_a_step=3)
    w = initialise(cell.shapes, 4, range(2))
    ids, inputs = torch.randint(3, (1, 5, 6)), inputs_of(cell, 2, 5, 6)
    predictions = cell.predictions(w, ids, inputs)
    assert len(predictions) == 3
    assert torch.equal(predictions[-1], cell.scores(w, ids, inputs))
    plain = replace(cell, predictions_a_step=1).scores(w, ids, inputs)
    assert torch.equal(predictions[0][:, :, 0], plain[:, :, 0])
    assert not torch.equal(predictions[1][:, :, 0], plain[:, :, 0])


def test_a_transition_that_is_hinted_at_is_made_once():
    """START and the parentheses of dyck1: all that a balanced string needs, so that all predictions of a step are the same."""
    baseline = find_baseline("nspda-3-refined+moves")
    cell = baseline.cell(DYCK1)
    w, ids = initialise(cell.shapes, 0, range(3)), torch.tensor([[[0, 1, 2, 1, 1, 2, 2]]])
    first, *others = cell.predictions(w, ids, inputs_of(cell, 3, 1, 7))
    assert len(others) == 2 and all(torch.equal(first, other) for other in others)
    unhinted = replace(find_baseline("nspda-3-refined").cell(DYCK1), quantised=False)
    first, *others = unhinted.predictions(w, ids, inputs_of(cell, 3, 1, 7))
    assert not all(torch.equal(first, other) for other in others)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_extracted_of_a_network_that_is_refined_accepts_as_it_answers(seed):
    """Of whole states, on all strings of up to five symbols, whatever the weights are."""
    cell, alphabet = find_baseline("nspda-3-refined").cell(DYCK1), DYCK1.language.alphabet
    w = initialise(cell.shapes, seed, [0])
    for name, tensor in w.tensors.items():
        tensor.data *= 8 if name.startswith("output") else 4
    machine, strings = extract(cell, w, alphabet, longest=5), every_string(len(alphabet), 5)
    for row, expected in enumerate(machine.accepts(strings).tolist()):
        ids = torch.tensor([[[0, *(1 + strings.ids[slice(*strings.offsets[row : row + 2])])]]])
        answer = cell.scores(w, ids, inputs_of(cell, 1, *ids.shape[1:]))[0, 0, -1, 0].item()
        assert (answer >= 1 / 2) == expected


@pytest.mark.parametrize("name", ["nspda-2+program", "nspda-3+program"])
def test_a_programmed_network_is_a_baseline_that_learns_nothing_and_errs_nowhere(name, tmp_path):
    trained = marnn(
        "train",
        name,
        "--task",
        "dyck1-recognition",
        "--runs",
        "2",
        "--out",
        "known",
        "--format",
        "json",
        cwd=tmp_path,
    )
    training = json.loads(trained.out)
    assert training["recipe"]["epochs"] == 0 and training["final_loss"] == [None, None]
    assert training["train_accuracy"] == [1.0, 1.0] and training["diverged"] == []
    outcome = marnn("eval", "known", "--split", "test_60", "--format", "json", cwd=tmp_path)
    (run, other) = json.loads(outcome.out)["runs"]
    assert run["metrics"]["balanced_accuracy"]["value"] == other["metrics"]["balanced_accuracy"]["value"] == 1


SLOW = ("mali-rnn", "mali-lstm", "mali-gru", "mali-mi-rnn", "mali-mi-gru", "mali-lstm-p", "nnpda-2")


@pytest.mark.parametrize(
    "baseline",
    [
        pytest.param(it, marks=pytest.mark.slow if it.name in SLOW else (), id=it.name)
        for it in BASELINES
        if not it.name.startswith("nspda")
    ],
)
def test_the_compiled_engine_has_the_gradients_of_the_reference(baseline):
    cell = baseline.cell(DYCK1, replace(baseline.default_sizes, hidden=4))
    program = Program(cell)
    for length in (1, 2, 9, 33):
        string = random_string(cell, length)
        assert farthest(by_program(program, cell, string, 3), by_reference(cell, string, 3)) < EXACT


def test_a_discrete_stack_runs_in_the_reference():
    with pytest.raises(NotCompiledError, match="DiscreteStack is not compiled"):
        Program(find_baseline("nspda-3").cell(DYCK1))


def test_errors_go_back_through_quantised_states_and_whole_actions():
    cell = find_baseline("nspda-3").cell(DYCK1)
    w, ids = initialise(cell.shapes, 0, range(4)), torch.tensor([[[0, 1, 2, 1, 1, 2]]])
    cell.scores(w, ids, inputs_of(cell, 4, 1, 6))[:, :, -1].sum().backward()
    gradient = w.tensors["weights.weight"].grad.view(4, 4, 4, 6, 7)
    assert bool(gradient[..., :-1].any())
    assert bool(gradient[..., -1].any()), "of the actions"


def test_numbers_of_parameters_are_those_of_the_docstrings():
    d, n = 3, 6  # START ( )
    t, output = 1 + d, n + 1
    counts = {
        "nspda-3": (n * n + n) * (d + 1) * t + n + output,
        "nspda-2": (n * n + n) * (d + 1 + t) + n + output,
        "nnpda": (n * n + n) * d * t + n + output,
        "nnpda-2": (n * n + n) * (d + t) + n + output,
        "second-order-rnn": 12**2 * d + 12 + 13,
    }
    page = (ROOT / "docs" / "models" / "mali2019.md").read_text()
    for name, count in counts.items():
        assert find_baseline(name).cell(DYCK1).num_parameters == count
        assert f"{count:,}" in page


def course(*texts: str) -> Course:
    """Strings of parentheses, and whether they are balanced."""
    strings = Strings.from_texts(DYCK1.language.alphabet, texts)
    label = DYCK1.language.accepts(strings)
    nothing = np.zeros(len(label), np.int64)
    lessons = lessons_of(
        RecognitionExamples(DYCK1, "train", strings, label, nothing.astype(np.uint8), nothing, "")
    )
    return Course(1, lambda epoch: lessons, len(lessons))


@pytest.mark.parametrize("name", ["nspda-2", "nspda-3", "nspda-3-soft", "nnpda", "second-order-rnn"])
def test_a_run_whose_products_overflow_ends_and_the_others_go_on(name):
    """Preactivations beyond the largest number: a sigmoid, or a threshold, would make 0 or 1 of them."""
    recipe = replace(RECIPE, epochs=3, batch=2, selection="last")
    trainings = []
    for scale in (1.0, 1e308):
        training = Training(
            find_baseline(name).cell(DYCK1), recipe, course("( )", "( (", "( ( ) )", ") ("), range(2)
        )
        numbers = training.numbers()
        for array in numbers.values():
            array[1] = np.where(array[1] == 0, 0, np.sign(array[1]) * scale) if scale > 1 else array[1]
        training.set_numbers(numbers, np.array([False, True]))
        while training.done < training.total:
            training.update()
        trainings.append(training)
    usual, overflown = (training.result().losses for training in trainings)
    assert bool(usual.isfinite().all())
    assert bool(overflown[..., 0].eq(usual[..., 0]).all())
    assert not bool(overflown[0, :, 1].isfinite().all())
    assert trainings[1].factors.tolist() == [1, 0]


def test_actions_are_a_hint_in_all_states():
    cell = find_baseline("nspda-3+actions").cell(DYCK1)
    actions = initialise(cell.shapes, 0, range(2)).tensors["weights.weight"].view(2, 4, 4, 6, 7)[..., -1]
    opening, closing = 1, 2
    assert bool((actions[:, opening, [0, 2, 3]] == 1.5).all())
    assert bool((actions[:, closing, 1 + opening] == -1.5).all())


def test_hints_change_nothing_else():
    """Neither other weights nor the random numbers that these take."""
    plain, hinted = (
        initialise(find_baseline(name).cell(DYCK1).shapes, 7, range(3)).tensors
        for name in ("nspda-3", "nspda-3+moves")
    )
    same = plain["weights.weight"] == hinted["weights.weight"]
    assert plain.keys() == hinted.keys()
    assert bool((plain["output.weight"] == hinted["output.weight"]).all())
    assert int((~same).sum()) == 3 * (4 * 7 + 6)  # a push on each of three tops, a pop, and START


@pytest.mark.parametrize(
    "name, task, message",
    [
        ("nspda-3+nothing", "dyck1-recognition", "There is no hint 'nothing'"),
        ("nspda-3+moves", "palindrome-recognition", "no deterministic real-time automaton"),
        ("nspda-3+moves", "shuffle2--recognition", "2 counters"),
        ("nspda-3+moves", "anbncn--recognition", "2 counters"),
        ("nspda-3+moves", "dyck1", "dyck1--recognition"),
        ("nspda-2+dead", "dyck1-recognition", "third order"),
    ],
)
def test_what_cannot_be_hinted_at_is_refused(name, task, message):
    with pytest.raises(UsageError, match=message):
        find_baseline(name).cell(find_task(task))


def test_a_network_smaller_than_its_automaton_is_refused():
    baseline = find_baseline("nspda-3+moves")
    with pytest.raises(UsageError, match="takes 5 state neurons, and the network has 4: --hidden 5"):
        baseline.cell(find_task("anbncbmam-recognition"), replace(baseline.default_sizes, hidden=4))
