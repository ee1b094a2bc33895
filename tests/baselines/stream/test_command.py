"""Trained on a stream by the command line, stopped and gone on, and evaluated string by string and as a stream."""

import json
import os
import signal
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

import pytest

from helpers.command_line import succeed
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.recipes import Stream
from marnn_bench.baselines.training.experiment import Experiment
from marnn_bench.tasks.registry import find_task

SHORT = ("--runs", 2, "--rows", 40, "--epochs", 2, "--hidden", 6)


def test_what_is_trained_is_asked_string_by_string_and_as_a_stream(tmp_path):
    said = succeed("train", "joulin-stack-rnn", "--task", "anbn", *SHORT, "--out", "mine", cwd=tmp_path)
    training = json.loads((tmp_path / "mine" / "training.json").read_text())
    assert training["engine"] == "compiled"
    assert training["deviations"].keys() == {"stream", "epochs", "hidden"}
    losses, best = training["selected"]["loss on larger strings"], training["selected"]["best_run"]
    assert losses[best] == min(losses)
    assert "selected by validation loss: epochs " in said
    assert f"best run {best}\n" in said
    for options in ((), ("--stream",)):
        succeed("eval", "mine", "--task", "anbn", *options, "--out", "result", "--overwrite", cwd=tmp_path)
        result = json.loads((tmp_path / "result" / "result.json").read_text())
        assert len(result["runs"]) == 2
        assert (result["protocol"]["stream"] is None) is not bool(options)


class Told:
    """What is told of updates; it presses Ctrl-C in the first one."""

    def __init__(self, interrupting: bool) -> None:
        self._interrupting = interrupting

    def update(self, more: int) -> None:
        if self._interrupting:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_training_that_was_stopped_ends_in_the_same_bytes(tmp_path, engine):
    experiment = Experiment.from_paper(find_baseline("joulin-stack-rnn"), find_task("anbn"), runs=1)
    experiment = experiment.with_overrides(epochs=2, hidden=3, engine=engine)
    stream = Stream(steps=5, strings=6, emptied=3, validated=4)
    experiment = replace(experiment, recipe=replace(experiment.recipe, stream=stream))
    told: list[str] = []
    for interrupting in (True, True, False):
        watch = partial(lambda told, strings: nullcontext(told), Told(interrupting))
        with pytest.raises(KeyboardInterrupt) if interrupting else nullcontext():
            experiment.train_into(tmp_path / "stopped", watch=watch, tell=told.append)
    experiment.train_into(tmp_path / "left")
    assert sum(line.endswith(" of 12 strings.") for line in told) == 2
    for name in ("checkpoint.safetensors", "curves.csv", "model.py"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "left" / name).read_bytes()
