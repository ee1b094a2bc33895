"""What holds for every baseline, whatever its paper: a new one is put to these tests by itself."""

import pytest
import torch

from helpers.agreement import assert_steps_agree, inputs_of
from helpers.paths import ROOT
from marnn_bench.baselines.cells.layers import SoftmaxCell
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.models.registry import all_baselines, find_baseline
from marnn_bench.tasks.registry import find_task

every_baseline = pytest.mark.parametrize("model", all_baselines())


@every_baseline
@pytest.mark.parametrize("task", ["dyck5", "sequence-copy"])
def test_all_at_once_is_one_step_after_the_other(model, task):
    """Of the paper's sizes, for strings of a next-symbol task and joint sequences of a transduction."""
    assert_steps_agree(find_baseline(model).cell(find_task(task)), steps=4, runs=1, batch=2)


@every_baseline
def test_answers_are_distributions_or_numbers_between_0_and_1(model):
    cell = find_baseline(model).cell(find_task("dyck2"))
    w, ids = initialise(cell.shapes, 0, [0]), torch.tensor([[[0, 2, 3, 1, 0]]])
    with torch.no_grad():
        scores = cell.scores(w, ids, inputs_of(cell, 1, 1, 5))
    assert scores.shape == (1, 1, 5, 4)
    assert bool(((scores > 0) & (scores < 1)).all())
    if isinstance(cell, SoftmaxCell):
        assert (scores.sum(-1) - 1).abs().max().item() <= 1e-12


@pytest.mark.parametrize(
    "paper", sorted({baseline.paper or "controls" for baseline in all_baselines().values()})
)
def test_every_paper_has_a_page(paper):
    page = (ROOT / "docs" / "models" / f"{paper}.md").read_text()
    first = next(b for b in all_baselines().values() if (b.paper or "controls") == paper)
    assert f"`{first.name}`" in page
