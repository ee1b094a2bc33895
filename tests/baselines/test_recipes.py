"""Recipes: what they name, and what is said of the values that no paper gives."""

import json
from dataclasses import asdict, replace

import pytest
import torch

from helpers.command_line import succeed
from helpers.examples import first_rows
from marnn_bench.baselines import all_baselines, find_baseline, train
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.models.joulin2015 import STREAM
from marnn_bench.baselines.recipes import SUZGUN2019, Annealing, Clipping, Halving, Recipe
from marnn_bench.baselines.training.optimisation import LOSSES, make_optimiser
from marnn_bench.errors import UsageError
from marnn_bench.tasks.registry import find_task


def test_the_temperature_falls_before_every_string():
    """Suzgun et al., published code: tau = max(tau exp(-1e-4), 0.5); half is reached at string 6,932, in epoch 2."""
    tau = 1.0
    for update in range(1, 8_000):
        tau = max(tau * 2.718281828459045**-1e-4, 0.5)
        assert SUZGUN2019.temperature(update) == pytest.approx(tau, rel=1e-11)
    assert SUZGUN2019.temperature(6_931) > 0.5 == SUZGUN2019.temperature(6_932)
    assert replace(SUZGUN2019, annealing=None).temperature(9_999) == 1.0


@pytest.mark.parametrize(
    "changed", [{}, {"annealing": None}, {"annealing": Annealing(0.1, 0.2), "inferred": ("epochs",)}]
)
def test_a_recipe_survives_its_record(changed):
    recipe = replace(SUZGUN2019, **changed)
    assert Recipe.from_json(json.loads(json.dumps(asdict(recipe)))) == recipe


@pytest.mark.parametrize("model", all_baselines())
def test_the_recipes_of_a_baseline_survive_their_records(model):
    """On every task, and all of them can be carried out."""
    baseline = find_baseline(model)
    for recipe in (baseline.recipe, *baseline.recipes.values()):
        assert Recipe.from_json(json.loads(json.dumps(asdict(recipe)))) == recipe
        recipe.require_procedure(model)


def test_losses_are_those_of_torch():
    scores = torch.rand(3, 1, 7, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    scores = scores / scores.sum(-1, keepdim=True)
    right = torch.arange(7).remainder(4)
    answers = torch.nn.functional.one_hot(right, 4).double()[None, None]
    for run in range(3):
        nll = torch.nn.functional.nll_loss(scores[run, 0].log(), right)
        mse = torch.nn.functional.mse_loss(scores[run, 0], answers[0, 0])
        assert LOSSES["cross-entropy"](scores, answers)[run].item() == pytest.approx(nll.item(), rel=1e-14)
        assert LOSSES["squared error"](scores, answers)[run].item() == pytest.approx(mse.item(), rel=1e-14)
        bce = torch.nn.functional.binary_cross_entropy(scores[run, 0], answers[0, 0])
        assert LOSSES["binary cross-entropy"](scores, answers)[run].item() == pytest.approx(
            bce.item(), rel=1e-14
        )
    assert LOSSES["cross-entropy"](answers, answers).tolist() == [0.0]
    assert LOSSES["binary cross-entropy"](answers, answers).tolist() == [0.0]


def test_stochastic_gradient_descent_steps_against_the_gradient():
    w = Parameters({"x": torch.ones(1, 2, dtype=torch.float64, requires_grad=True)})
    w.tensors["x"].grad = torch.tensor([[3.0, -1.0]], dtype=torch.float64)
    make_optimiser(replace(SUZGUN2019, optimiser="sgd", learning_rate=0.5), w).step()
    assert w.tensors["x"].tolist() == [[-0.5, 1.5]]


def test_a_recipe_of_another_loss_and_optimiser_is_carried_out():
    """Cross-entropy and gradient descent, as a plain loop over one run: string reversal, whose answers are one-hot."""
    recipe = replace(SUZGUN2019, epochs=1, loss="cross-entropy", optimiser="sgd", learning_rate=0.1)
    cell = find_baseline("rnn").cell(find_task("string-reversal"))
    losses = train(cell, recipe, first_rows("string-reversal", 60), range(2)).losses[0]
    assert losses[-20:].mean() < 0.8 * losses[:20].mean()


def test_six_kinds_of_brackets_are_learned_at_a_rate_that_is_called_inferred(tmp_path):
    of_paper = [baseline for baseline in all_baselines().values() if baseline.paper == "suzgun2019"]
    assert len(of_paper) == 12
    for baseline in of_paper:
        recipe = baseline.recipe_for(find_task("dyck6"))
        assert (recipe.learning_rate, recipe.inferred) == (0.003, ("learning_rate",))
        assert baseline.recipe_for(find_task("dyck2")) == SUZGUN2019
    arguments = ("train", "rnn", "--rows", 5, "--epochs", 1, "--runs", 1, "--task")
    said = succeed(*arguments, "dyck6", "--out", "six", cwd=tmp_path)
    assert "learning_rate 0.003 is inferred, ours: the paper gives none for dyck6\n" in said
    assert "0.01" not in said
    training = json.loads((tmp_path / "six" / "training.json").read_text())
    assert training["recipe"]["inferred"] == ["learning_rate"]
    assert "learning_rate" not in training["deviations"]
    said = succeed(*arguments, "dyck6", "--learning-rate", 0.01, "--out", "given", cwd=tmp_path)
    assert "inferred, ours" not in said
    training = json.loads((tmp_path / "given" / "training.json").read_text())
    assert training["recipe"]["inferred"] == []
    assert training["deviations"].keys() == {"rows", "epochs", "learning_rate"}
    assert "inferred" not in succeed(*arguments, "dyck2", "--out", "two", cwd=tmp_path)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"clipping": Clipping(1.0, "errors")}, "The clipping of errors .* clip gradients"),
        ({"schedule": Halving(1, 0.1)}, "The schedule of .* select by it, too."),
        ({"patience": 3}, "The patience of .* select by validation loss."),
        ({"selection": "validation loss"}, "anneals .* can only be last."),
        ({"stream": STREAM}, "The learns sets of .* Leave it at next symbols."),
        ({"stream": STREAM, "learns": "next symbols"}, "The optimiser adam of .* Leave it at sgd."),
    ],
)
def test_what_does_not_go_together_in_a_recipe_is_refused(changed, said):
    with pytest.raises(UsageError, match=said):
        replace(SUZGUN2019, **changed).require_procedure("mine")
