"""A compiled run answers as torch's does, and each stream as if it were alone."""

from pathlib import Path

import numpy as np
import pytest

from helpers.compiled import COMPILED, compiled_cell
from marnn_bench.asking.protocol import ModelTask
from marnn_bench.baselines.cells.controllers import RNN
from marnn_bench.baselines.cells.gates import HardAtEvaluation, Softmax
from marnn_bench.baselines.cells.memories import List, Ring, Stack
from marnn_bench.baselines.cells.parameters import initialise
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.engine.streams import CompiledStreams
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.models.suzgun2019 import MemoryCell
from marnn_bench.baselines.training.experiment import Experiment
from marnn_bench.baselines.training.trained_model import ReferenceStreams, TrainedModel
from marnn_bench.tasks.registry import find_task

DYCK6 = find_task("dyck6")
SEED, RUN, TEMPERATURE = 5, 1, 0.6
STEPS, STREAMS = 130, 21
"""More symbols than a memory has cells; streams that fill no whole number of blocks."""

CELLS = {name: compiled_cell(name, DYCK6) for name in COMPILED} | {
    "deep stack": MemoryCell(12, 12, RNN(8), Stack(2, 9, 2, depth=3, fill=-1, no_op=True), Softmax()),
    "deep ring": MemoryCell(12, 12, RNN(8), Ring(2, 9, 2, depth=3), Softmax()),
    "list": MemoryCell(12, 12, RNN(8), List(2, 9, 2), Softmax()),
    "filled list": MemoryCell(12, 12, RNN(8), List(2, 9, 2, fill=-1), Softmax()),
    "hard": MemoryCell(12, 12, RNN(8), Stack(2, 104), HardAtEvaluation(Softmax())),
    "large": find_baseline("stack-lstm").cell(
        DYCK6, find_baseline("stack-lstm").default_sizes.__class__(45, 2, 104)
    ),
}


def symbols(steps: int = STEPS, streams: int = STREAMS):
    return np.random.default_rng(0).integers(0, 12, (steps, streams))


def scores(streams, ids):
    streams.begin(ids.shape[1])
    return np.stack([streams.step(step) for step in ids])


@pytest.mark.parametrize("name", CELLS)
def test_a_compiled_run_answers_as_torch_does(name):
    cell, ids = CELLS[name], symbols()
    parameters = initialise(cell.shapes, 0, [0]).each(lambda tensor: 3 * tensor.detach())
    expected = scores(ReferenceStreams(cell, parameters, SEED, RUN, TEMPERATURE), ids)
    arrays = {name: tensor.numpy() for name, tensor in parameters.tensors.items()}
    streams = CompiledStreams(Program(cell), arrays, SEED, RUN, TEMPERATURE)
    found = scores(streams, ids)
    assert expected.std() > 0.01
    assert np.abs(found - expected).max() < 1e-12
    assert (scores(streams, ids) == found).all(), "each time from an empty memory"
    assert (scores(streams, ids[:, 17:18]) == found[:, 17:18]).all(), "a stream alone"


@pytest.mark.parametrize("ids", [np.arange(12), np.array([12]), np.array([-1])])
def test_symbols_that_are_none_and_more_than_there_are_streams_are_refused(ids):
    cell = CELLS["rnn"]
    arrays = {
        name: tensor.detach().numpy() for name, tensor in initialise(cell.shapes, 0, [0]).tensors.items()
    }
    streams = CompiledStreams(Program(cell), arrays, SEED, RUN, TEMPERATURE)
    streams.begin(3)
    with pytest.raises(ValueError, match="up to 8 symbols are given, each from 0 to 11"):
        streams.step(ids)
    assert streams.step(np.array([0, 1, 2], np.int32)).shape == (3, 12)


def test_a_folder_answers_by_torch_where_there_is_no_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    task = find_task("dyck2")
    experiment = Experiment.from_paper(find_baseline("stack-rnn-gumbel"), task, 2).with_overrides(
        epochs=1, engine="compiled"
    )
    experiment.train_into(tmp_path / "trained", rows=20)
    ids = symbols() % 4
    answers = []
    for compiler in (None, "no-such-compiler"):
        if compiler:
            monkeypatch.setenv("CC", compiler)
        model = TrainedModel(tmp_path / "trained")
        model.load(ModelTask(task.name, tuple(task.language.alphabet), task.columns, task.view.name, 1))
        model.reset(STREAMS)
        answers.append(np.stack([model.step(step) for step in ids]))
    assert (answers[0] != answers[1]).any()  # last bits: two programs
    assert np.abs(answers[0] - answers[1]).max() < 1e-12
