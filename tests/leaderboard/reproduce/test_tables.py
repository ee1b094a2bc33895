"""Which tables can be reproduced, against the published ones."""

import csv
from itertools import product

import pytest

from helpers.paths import ROOT
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.errors import UsageError
from marnn_bench.leaderboard.published import published_rows
from marnn_bench.leaderboard.reproduce.entries import Options, experiment_of
from marnn_bench.leaderboard.reproduce.reproduction import Reproduction
from marnn_bench.leaderboard.reproduce.tables import REPRODUCTIONS, find_reproduction
from marnn_bench.tasks.registry import find_task

WITH_ROWS = [
    reproduction
    for reproduction in REPRODUCTIONS
    if any(row.source == reproduction.source for task in reproduction.tasks for row in published_rows(task))
]


@pytest.mark.parametrize("reproduction", WITH_ROWS, ids=lambda it: it.name)
def test_a_table_has_the_rows_of_the_published_one_in_their_order(reproduction: Reproduction) -> None:
    printed = [
        (task, row.model)
        for task in reproduction.tasks
        for row in published_rows(task)
        if (row.source, row.metric) == (reproduction.source, find_task(task).headline)
    ]
    ours = [(entry.task, find_baseline(entry.model).published_row) for entry in reproduction.entries()]
    assert ours == printed


def test_every_published_table_can_be_reproduced() -> None:
    for path in (ROOT / "leaderboard" / "data").glob("*.csv"):
        with path.open() as file:
            tables = {row["table"] for row in csv.DictReader(file)}
        names = {f"{path.stem}-{table.lower().replace(' ', '')}" for table in tables}
        assert names <= {reproduction.name for reproduction in WITH_ROWS}


def test_every_entry_has_a_folder_of_its_own() -> None:
    for reproduction in REPRODUCTIONS:
        places = [entry.place for entry in reproduction.entries()]
        assert len({*places}) == len(places)


def test_one_name_may_have_two_presets_in_two_folders() -> None:
    names = [(reproduction.name, reproduction.preset) for reproduction in REPRODUCTIONS]
    assert len({*names}) == len({reproduction.folder for reproduction in REPRODUCTIONS}) == len(names)
    for name, preset in names:
        assert find_reproduction(name, preset).preset == preset
    assert find_reproduction("grefenstette2015-figure2a").preset == "paper"
    laptop = find_reproduction("grefenstette2015-figure2a", "laptop")
    for entry in laptop.entries():
        baseline, task = find_baseline(entry.model), find_task(entry.task)
        assert len(task.language.alphabet) == 16
        assert baseline.cell(task).num_parameters < 30_000
    assert find_reproduction("bernardy2018-no-end").preset == "laptop"  # the only one


def test_what_is_asked_and_printed_is_there() -> None:
    for reproduction in REPRODUCTIONS:
        for task in map(find_task, reproduction.tasks):
            assert {*reproduction.splits} <= {*task.splits}
        if reproduction.numbers:
            sources = {row.source for task in reproduction.tasks for row in published_rows(task)}
            assert reproduction.numbers in sources


def test_variants_can_be_trained_and_differ() -> None:
    """Each from its model as it is by default, and all of a model from each other."""
    options = Options(runs=1)
    for reproduction in REPRODUCTIONS:
        for model, variants in reproduction.variants.items():
            experiments = [
                experiment_of(reproduction, entry, options)
                for entry in reproduction.entries()
                if (entry.model, entry.task) == (model, reproduction.tasks[0])
            ]
            assert len({(it.sizes, it.recipe) for it in experiments}) == len(variants) > 1
            for experiment in experiments:
                experiment.require_fit()


def test_the_grid_has_every_rate_with_every_number_of_epochs() -> None:
    grid = find_reproduction("suzgun2019-learning-rates")
    asked = {(entry.learning_rate, entry.epochs) for entry in grid.entries()}
    assert asked == {*product((0.001, 0.002, 0.003, 0.005, 0.01, 0.02), (1, 2, 3, 4, 5))}
    assert len([*grid.entries()]) == 6 * 6 * 6 * 5
    for model, task in product(grid.models, grid.tasks):  # the recipe of the tables lies on it
        baseline = find_baseline(model)
        recipe = baseline.recipes.get(task, baseline.recipe)
        assert (recipe.learning_rate, recipe.epochs) in asked


def test_an_unknown_name_is_an_error_that_knows_better() -> None:
    with pytest.raises(UsageError, match=r"Did you mean suzgun2019-table2 or"):
        find_reproduction("suzgun-table2")
    with pytest.raises(UsageError, match=r"`marnn-bench reproduce` lists them"):
        find_reproduction("x")
