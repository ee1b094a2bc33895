"""The program for a GPU: it compiles for one, and its threads compute the bits that the lanes of a CPU do."""

from dataclasses import replace

import pytest

from helpers.compiled import COMPILED, compiled_cell
from helpers.short_trainings import assert_equal, trained
from helpers.threads import ThreadsOnCpu
from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.engine.codegen.source import LANES, lanes_of, source_for_gpu
from marnn_bench.baselines.engine.gpu import GpuProgram, compile_for_gpu
from marnn_bench.baselines.engine.program import Program
from marnn_bench.baselines.recipes import SUZGUN2019, Clipping
from marnn_bench.tasks.registry import find_task

ADAM_IN_PAIRS = replace(SUZGUN2019, batch=2)
SGD = replace(SUZGUN2019, optimiser="sgd", loss="cross-entropy", learning_rate=0.1)
CHOICES = replace(
    SUZGUN2019,
    learns="next symbols",
    loss="cross-entropy",
    optimiser="rmsprop",
    clipping=Clipping(0.01, "gradients"),
)


def cell_of(name: str) -> Cell:
    return compiled_cell(name, find_task("dyck2"))


MODELS = [name for name in COMPILED if lanes_of(cell_of(name)) == LANES]
"""Those whose runs lie side by side on a CPU, too."""


def models(*fast: str) -> pytest.MarkDecorator:
    """All of them; those not named are slow to compile and differ little from these."""
    return pytest.mark.parametrize(
        "name",
        [pytest.param(name, marks=[] if name in fast else pytest.mark.slow) for name in MODELS],
    )


@models(
    "rnn",
    "lstm",
    "stack-rnn-joulin-mikolov",
    "stack-rnn-gumbel",
    "stack-lstm-temperature",
    "baby-ntm",
    "russ",
    "neural-deque-lstm",
)
def test_threads_compute_the_bits_of_lanes(name):
    cell = cell_of(name)
    lanes = trained(Program(cell), cell, SUZGUN2019)
    assert len({*lanes["right"].tolist()}) > 1
    assert_equal(trained(ThreadsOnCpu(cell), cell, SUZGUN2019), lanes)


@pytest.mark.parametrize(
    "recipe",
    [ADAM_IN_PAIRS, SGD, CHOICES],
    ids=["batch of 2", "sgd, cross-entropy", "choices, rmsprop, clipped"],
)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_they_do_by_every_recipe_and_in_both_precisions(recipe, precision):
    cell = cell_of("stack-rnn-gumbel")
    threads, lanes = ThreadsOnCpu(cell, precision), Program(cell, precision)
    assert_equal(trained(threads, cell, recipe), trained(lanes, cell, recipe))


MOST_SPILLED = {
    "rnn": 300,
    "lstm": 3_000,
    "stack-rnn-joulin-mikolov": 1_200,
    **dict.fromkeys(("stack-rnn", "stack-rnn-temperature", "stack-rnn-gumbel"), 600),
    "bernardy-lstm-gru": 6_000,
    "deep-lstm-2": 9_000,
    "state-space-negative": 5_000,
}
"""Bytes; the other models spill nothing."""


@models("rnn", "stack-rnn-gumbel", "neural-deque-lstm")
def test_every_model_compiles_for_an_h200(name):
    pytest.importorskip("cuda.core", reason="needs the extra `gpu`")
    kernels = compile_for_gpu(source_for_gpu(cell_of(name))).kernels
    assert set(kernels) == {"marnn_sizes", "marnn_train_threads", "marnn_measure_threads"}
    assert kernels["marnn_train_threads"].registers <= 255
    assert kernels["marnn_train_threads"].spilled <= MOST_SPILLED.get(name, 0)


@pytest.mark.gpu
def test_a_gpu_computes_the_bits_of_the_cpu():
    pytest.importorskip("cuda.core", reason="needs the extra `gpu`")
    cell = cell_of("stack-rnn-gumbel")
    assert_equal(trained(GpuProgram(cell), cell, SUZGUN2019), trained(Program(cell), cell, SUZGUN2019))
