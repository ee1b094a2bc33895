"""The compiled engine trains as the reference does, and its results depend on nothing but seed and run."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.asked import sequence_accuracy
from helpers.compiled import COMPILED, compiled_cell
from helpers.examples import first_rows
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.parameters import linear
from marnn_bench.baselines.engine.choice import compiled_training
from marnn_bench.baselines.engine.codegen.errors import NotCompiledError
from marnn_bench.baselines.engine.compilers import CompilerError
from marnn_bench.baselines.engine.training import CompiledTraining
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.baselines.ongoing import PARAMETERS
from marnn_bench.baselines.recipes import SUZGUN2019, Clipping
from marnn_bench.baselines.training.data import train_rows
from marnn_bench.baselines.training.experiment import Experiment
from marnn_bench.baselines.training.loop import train
from marnn_bench.baselines.training.trained_model import TrainedModel
from marnn_bench.errors import UsageError
from marnn_bench.tasks.registry import find_task

ONCE = replace(SUZGUN2019, epochs=1)


def finished(training: CompiledTraining):
    while training.done < training.total:
        training.update()
    return training.result()


def same(one, other) -> bool:
    """Whether two results are equal to the bit; NaN is NaN."""
    tensors = zip(one.parameters.tensors.values(), other.parameters.tensors.values(), strict=True)
    pairs = [(one.losses, other.losses), *tensors]
    return all(torch.equal(a.view(torch.int64), b.view(torch.int64)) for a, b in pairs)


@pytest.mark.parametrize("name", COMPILED)
def test_a_hundred_updates_give_the_parameters_of_the_reference(name):
    examples = first_rows("dyck2", 100)
    cell = compiled_cell(name, examples.task)
    compiled = finished(CompiledTraining(cell, ONCE, examples, [0, 1], seed=4))
    reference = train(cell, ONCE, examples, [0, 1], seed=4)
    assert (compiled.losses - reference.losses).abs().max() < 1e-9
    for tensor, expected in reference.parameters.tensors.items():
        assert (compiled.parameters.tensors[tensor] - expected).abs().max() < 1e-9


@pytest.mark.parametrize(
    "changed",
    [
        {"optimiser": "sgd"},
        {"optimiser": "rmsprop"},
        {"loss": "cross-entropy"},
        {"loss": "binary cross-entropy"},
        {"random_rate": 0.1},
        {"batch": 7},
        {"clipping": Clipping(0.01, "gradients")},
        {"learns": "next symbols", "batch": 3},
    ],
    ids=str,
)
def test_it_does_so_by_every_kind_of_recipe(changed):
    examples, recipe = first_rows("dyck2", 31), replace(SUZGUN2019, epochs=3, **changed)
    cell = find_baseline("stack-rnn-gumbel").cell(examples.task)
    compiled, reference = (
        finished(CompiledTraining(cell, recipe, examples, [2])),
        train(cell, recipe, examples, [2]),
    )
    assert (compiled.losses - reference.losses).abs().max() < 1e-9
    for tensor, expected in reference.parameters.tensors.items():
        assert (compiled.parameters.tensors[tensor] - expected).abs().max() < 1e-9


def test_it_does_so_where_strings_of_a_batch_are_computed_at_once():
    """Each has noise of its own."""
    examples, recipe = first_rows("dyck2", 31), replace(SUZGUN2019, epochs=3, batch=7)
    baseline = find_baseline("stack-rnn-gumbel")
    cell = baseline.cell(examples.task, replace(baseline.default_sizes, hidden=45))
    compiled = finished(CompiledTraining(cell, recipe, examples, [2]))
    reference = train(cell, recipe, examples, [2])
    for tensor, expected in reference.parameters.tensors.items():
        assert (compiled.parameters.tensors[tensor] - expected).abs().max() < 1e-9


@pytest.fixture(params=["baby-ntm-gumbel", "stack-rnn-large"])
def cell(request):
    """A cell with runs side by side, and one whose columns fill the vectors."""
    baseline = find_baseline(request.param.removesuffix("-large"))
    hidden = 45 if request.param.endswith("-large") else 8
    return baseline.cell(first_rows("dyck2", 1).task, replace(baseline.default_sizes, hidden=hidden))


def test_results_do_not_depend_on_packing_threads_and_chunks(cell):
    examples = first_rows("dyck2", 40)
    expected = finished(CompiledTraining(cell, ONCE, examples, range(19), threads=1))
    by_hand = CompiledTraining(cell, ONCE, examples, range(19), threads=3)
    for count in (1, 2, 30, 7):
        by_hand.do(count)
    assert same(expected, by_hand.result())
    for runs in ([0], [18], [18, 3]):
        alone = finished(CompiledTraining(cell, ONCE, examples, runs))
        assert torch.equal(alone.losses, expected.losses[:, :, runs])
        for name, tensor in alone.parameters.tensors.items():
            assert torch.equal(tensor, expected.parameters.tensors[name][runs])


def test_a_training_goes_on_from_its_state_to_the_bit(cell):
    examples = first_rows("dyck2", 20)
    recipe = replace(ONCE, epochs=2, batch=3)
    expected = CompiledTraining(cell, recipe, examples, range(9))
    left = []
    while expected.done < expected.total:
        left.append(expected.strings_left)
        expected.do(1)
    assert left == [40, 37, 34, 31, 28, 25, 22, 20, 17, 14, 11, 8, 5, 2]
    for stop in (1, 7, 13):
        begun = CompiledTraining(cell, recipe, examples, range(9))
        begun.do(stop)
        resumed = CompiledTraining(cell, recipe, examples, range(9))
        resumed.restore(begun.state())
        assert resumed.strings_left == begun.strings_left
        assert same(finished(resumed), expected.result())


HARD = """
from marnn_bench.baselines.cells.gates import GumbelSoftmax, HardAtEvaluation
from marnn_bench.baselines.models.suzgun2019 import RNN, MemoryCell, Stack

def cell(symbols, columns):
    gate = HardAtEvaluation(GumbelSoftmax())
    return MemoryCell(symbols, columns, RNN(8), Stack(1, 104), gate)
"""


@pytest.mark.parametrize("name", ["lstm", "stack-rnn-gumbel", "baby-ntm-temperature", "hard.py"])
def test_the_train_accuracy_is_what_the_trained_model_answers(tmp_path, monkeypatch, name):
    """The model of the folder is asked by torch. One of these decides at evaluation."""
    monkeypatch.setenv("MARNN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("hard.py").write_text(HARD)
    Path("trained").mkdir()
    task = find_task("dyck1")
    source, examples = train_rows(task, rows=60)
    experiment = Experiment.from_paper(find_baseline(name), task, runs=5)
    experiment = experiment.with_overrides(epochs=12, engine="compiled")
    shares = experiment.train(source, examples, Path("trained"))["train_accuracy"]
    model = TrainedModel(Path("trained"))
    assert shares == [sequence_accuracy(model, examples, run) for run in range(5)]
    assert max(shares) > 0


def test_a_run_that_is_lost_touches_no_other(cell):
    examples = first_rows("dyck2", 12)
    expected = finished(CompiledTraining(cell, ONCE, examples, range(10)))
    training = CompiledTraining(cell, ONCE, examples, range(10))
    state = training.state()
    state[PARAMETERS + "hidden.weight"][3, 0, 0] = torch.nan
    training.restore(state)
    result = finished(training)
    others = [run for run in range(10) if run != 3]
    assert result.losses[:, :, 3].isnan().all()
    assert torch.equal(result.losses[:, :, others], expected.losses[:, :, others])
    for name, tensor in result.parameters.tensors.items():
        assert torch.equal(tensor[others], expected.parameters.tensors[name][others])


@dataclass(frozen=True)
class Sorting(Cell):
    """With an operation that is not compiled."""

    refused: str = "sort"

    @property
    def shapes(self):
        return {"input": linear(self.symbols, 5), "output": linear(5, self.columns)}

    def initial_state(self, w, batch, steps=None):
        return (w.full((batch, 5)),)

    def step(self, w, state, x, inputs):
        (h,) = state
        if self.refused == "clock":
            h = torch.tanh(h + x) * (0.5 if inputs.clock % 2 else 1.0)
        elif self.refused == "shapes":
            h = torch.cat([h, x], -1)[:, :, -5 - h.shape[2] :]
        elif self.refused == "numbers":
            h = torch.tanh(h + x) if bool(x.sum() > 0) else h
        else:
            h = torch.tanh(h + x).sort(-1).values
        return (h,), h[:, :, -5:]


@pytest.mark.parametrize(
    "refused, named", [("sort", "sort"), ("clock", "clock"), ("shapes", "shapes"), ("numbers", "Sorting")]
)
def test_what_cannot_be_compiled_is_refused_by_name_and_left_to_the_reference(refused, named):
    examples, told = first_rows("dyck2", 3), []
    what = Sorting(4, 4, refused), ONCE, examples, [0], 0
    with pytest.raises(NotCompiledError, match=named):
        compiled_training("compiled", *what, "cpu", None, told.append)
    assert compiled_training("auto", *what, "cpu", None, told.append) is None
    assert len(told) == 1 and told[0].startswith("Engine: reference. ") and named in told[0]
    assert compiled_training("reference", *what, "cpu", None, told.append) is None
    assert len(told) == 1


def test_a_gpu_is_tried_only_if_the_compiled_engine_is_asked_for():
    """There is no hundredth one."""
    examples, told = first_rows("dyck2", 3), []
    what = find_baseline("rnn").cell(examples.task), ONCE, examples, [0], 0, "cuda:99", None, told.append
    with pytest.raises(CompilerError, match=r"There is no (cuda:99|CUDA) here"):
        compiled_training("compiled", *what)
    assert compiled_training("auto", *what) is None
    assert told == [
        "Engine: reference. On a GPU the compiled engine is not tried yet: ask for it by --engine compiled."
    ]


def test_without_strings_there_is_nothing_to_learn():
    examples = first_rows("dyck2", 3)
    cell = find_baseline("rnn").cell(examples.task)
    with pytest.raises(UsageError, match="nothing to learn"):
        CompiledTraining(cell, ONCE, examples.take(np.zeros(3, bool)), [0])
