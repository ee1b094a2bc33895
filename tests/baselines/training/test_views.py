"""Trainings of every view: stopped anywhere they end in the same bytes, and an evaluation finds what training measured."""

import json
import os
import signal
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.caches import own_cache
from helpers.command_line import marnn
from marnn_bench import evaluate
from marnn_bench.baselines.baseline import Baseline
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.recipes import Halving
from marnn_bench.baselines.training.experiment import Experiment
from marnn_bench.baselines.training.folder import CHECKPOINT, CURVES, MODEL, TRAINING
from marnn_bench.generators.window import Window
from marnn_bench.task import Task
from marnn_bench.tasks.registry import find_task


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A cache for this file alone."""
    with own_cache(tmp_path_factory.mktemp("cache")):
        yield


def small(name: str, train: int | None, test: int = 20) -> Task:
    """A task with few rows; an endless train split stays so without rows."""
    task = find_task(name)
    rows = {split: test for split, asked in task.splits.items() if split != "train" and asked.rows != "all"}
    return task.with_splits({**rows, **({"train": train} if train else {})})


def baseline(name: str, **changed: object) -> Baseline:
    """A baseline whose recipe is changed."""
    found = find_baseline(name)
    return replace(found, recipe=replace(found.recipe, **changed), recipes={})


PLAIN_JOULIN = {"stream": None, "clipping": None, "curriculum": None, "restarts": 1}
HALVED = {**PLAIN_JOULIN, "schedule": Halving(1, 1.0), "learning_rate": 4.0, "epochs": 4}
CASES = {
    "test accuracy": (lambda: baseline("bernardy-lstm-40", batch=8), small("dyck5", 40), 2, {}),
    "targets": (lambda: baseline("deep-lstm-1"), small("sequence-reversal", None), 2, {"hidden": 6}),
    "recognition": (lambda: baseline("stack-rnn-gumbel", batch=4), small("dyck1-recognition", 30), 2, {}),
    "halving": (
        lambda: baseline("joulin-srcn", batch=4, **HALVED),
        small("anbn--lm", None),
        4,
        {"hidden": 5},
    ),
}


def experiment(case: str, engine: str = "auto") -> Experiment:
    model, task, epochs, sizes = CASES[case]
    return Experiment.from_paper(model(), task, runs=2).with_overrides(epochs=epochs, engine=engine, **sizes)


def content(out: Path) -> dict[str, object]:
    """All files, but for the seconds that the training took."""
    training = json.loads((out / TRAINING).read_text())
    del training["wall_s"]
    return {TRAINING: training} | {name: (out / name).read_bytes() for name in (MODEL, CHECKPOINT, CURVES)}


class _Interrupter:
    """Ctrl-C in the midst of the updates of these numbers, counted from 1."""

    def __init__(self, *updates: int) -> None:
        self._updates, self._done = updates, 0

    def update(self, more: int) -> None:
        self._done += 1
        if self._done in self._updates:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("case", CASES)
def test_a_training_that_is_stopped_twice_ends_in_the_same_bytes(case, tmp_path):
    rows = {"test accuracy": 40}.get(case, 12)
    experiment(case, "reference").train_into(tmp_path / "whole", rows=rows)
    for interrupted in (1, 3):
        with pytest.raises(KeyboardInterrupt):
            experiment(case, "reference").train_into(
                tmp_path / "parts",
                rows=rows,
                watch=lambda left, at=interrupted: nullcontext(_Interrupter(at)),
            )
    experiment(case, "reference").train_into(tmp_path / "parts", rows=rows)
    assert content(tmp_path / "parts") == content(tmp_path / "whole")


def test_what_was_selected_is_recorded_for_each_run(tmp_path):
    found = experiment("test accuracy").train_into(tmp_path, rows=40)["selected"]
    assert found["by"] == "test accuracy"
    for run, epoch in enumerate(found["epochs"]):
        measured = found["measured"]["test accuracy"][run]
        assert len(measured) == 2
        assert found["test accuracy"][run] == max(measured) == measured[epoch - 1]
    honest = found["by_validation"]
    for run, epoch in enumerate(honest["epochs"]):
        losses = found["measured"]["validation loss"][run]
        assert honest["validation loss"][run] == min(losses) == losses[epoch - 1]
        assert honest["test accuracy"][run] == found["measured"]["test accuracy"][run][epoch - 1]


def test_an_evaluation_finds_the_loss_of_the_validation(tmp_path):
    """Language modelling: cross-entropy is both. The strings are those held out, the last tenth of train."""
    task = small("dyck2--lm", 100)
    model = baseline("joulin-srcn", batch=5, **{**HALVED, "schedule": None, "learning_rate": 0.5})
    training = Experiment.from_paper(model, task, 1).with_overrides(epochs=3, engine="compiled", hidden=5)
    measured = training.train_into(tmp_path / "mine")["selected"]["validation loss"]
    (answers,) = evaluate(tmp_path / "mine", task, "train").predictions
    of_last_ten = answers.predicted[answers.offsets[90] :]
    assert -of_last_ten.mean() == pytest.approx(measured[0], abs=1e-9)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_an_evaluation_finds_the_train_accuracy_of_a_recognition(tmp_path, engine):
    task = small("dyck1-recognition", 60)
    training = Experiment.from_paper(baseline("lstm"), task, 1).with_overrides(epochs=4, engine=engine)
    (accuracy,) = training.train_into(tmp_path / "mine")["train_accuracy"]
    assert 0 < accuracy < 1
    assert evaluate(tmp_path / "mine", task, "train").metric("accuracy") == pytest.approx(accuracy, abs=1e-12)


def test_an_evaluation_finds_the_train_accuracy_of_a_transduction(tmp_path):
    """It feeds what the model writes, training the right target: both are right until the first error."""
    task = small("sequence-copy", 12)
    task = task.with_splits({"train": 12}, windows={"train": Window(1, 2)})
    recipe = {"batch": 1, "optimiser": "adam", "learning_rate": 0.02, "clipping": None}
    training = Experiment.from_paper(baseline("deep-lstm-1", **recipe), task, 1)
    training = training.with_overrides(epochs=12, hidden=8)
    (accuracy,) = training.train_into(tmp_path / "mine", rows=12)["train_accuracy"]
    assert 0 < accuracy < 1
    assert evaluate(tmp_path / "mine", task, "train").metric("sequence_accuracy") == pytest.approx(accuracy)


def test_what_a_model_cannot_answer_is_refused_before_any_work(tmp_path):
    arguments = ("--rows", 20, "--out", "mine")
    sigmoid = marnn("train", "stack-rnn", "--task", "dyck2--lm", *arguments, cwd=tmp_path)
    assert sigmoid.error.startswith("dyck2--lm asks for distributions, and stack-rnn answers with sigmoid")
    softmax = marnn("train", "russ", "--task", "dyck1-recognition", *arguments, cwd=tmp_path)
    assert softmax.error.startswith("russ answers with a distribution, which over the one column of")
    assert [*tmp_path.iterdir()] == []


def test_a_trained_softmax_is_evaluated_by_a_threshold(tmp_path):
    """Its model file says that its scores are probabilities: beside the sets there is a mass on symbols that cannot come."""
    task = small("dyck5", 40)
    training = Experiment.from_paper(baseline("russ", batch=8), task, 1).with_overrides(epochs=1)
    training.train_into(tmp_path / "mine")
    assert 'scores = "probabilities"' in (tmp_path / "mine" / MODEL).read_text()
    assert 0 < evaluate(tmp_path / "mine", task, "test_long").metric("illegal_mass") < 1
