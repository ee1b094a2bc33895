"""A training on a stream: its strings, and that a run depends on nothing but itself."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from marnn_bench.baselines.cells.memories import Stack
from marnn_bench.baselines.models.joulin2015 import RECIPE, MemorySizes, with_memory
from marnn_bench.baselines.recipes import Curriculum, Halving, Stream
from marnn_bench.baselines.stream.choice import stream_training
from marnn_bench.baselines.stream.strings import Streamed, streamed, training_strings, validation_strings
from marnn_bench.errors import UsageError
from marnn_bench.examples import SetExamples
from marnn_bench.fresh import fresh_strings
from marnn_bench.streams import as_stream
from marnn_bench.tasks.registry import find_task

TASK = find_task("anbn")
STREAM = Stream(steps=6, strings=12, emptied=5, validated=8)
SHORT = replace(
    RECIPE,
    epochs=4,
    stream=STREAM,
    curriculum=Curriculum(2, 2, 4),
    schedule=Halving(1, 0.02),
    learning_rate=0.1,
)
SMALL = with_memory(Stack, 2, 3, MemorySizes(5, 2))


def begun(runs=range(3), engine="compiled", recipe=SHORT, threads=1):
    return stream_training(engine, SMALL, recipe, TASK, runs, 7, "cpu", threads, lambda said: None)


def finished(training):
    while training.done < training.total:
        training.update()
    return training.result()


def same(one, other, runs=slice(None)) -> bool:
    """Whether results are equal to the bit; NaN is NaN. Of the first these runs."""
    tensors = zip(one.parameters.tensors.values(), other.parameters.tensors.values(), strict=True)
    pairs = [(one.losses[..., runs], other.losses), *((a[runs], b) for a, b in tensors)]
    return all(
        torch.equal(a.contiguous().view(torch.int64), b.contiguous().view(torch.int64)) for a, b in pairs
    )


# -- strings


@pytest.mark.parametrize("name", ["anbn", "anbncn", "unary-addition", "memorization"])
def test_a_stream_is_that_by_which_models_are_asked(name):
    """Fed is the same; asked too, where END stands for the first symbol of the next string; emptied as often."""
    task = find_task(name)
    strings = fresh_strings(task, "train", 3, 0, 20)
    places, first = streamed(task, strings, replace(STREAM, emptied=5))
    examples = SetExamples(task, "train", strings, task.view.answers(task.language, strings), "")
    other = as_stream(examples, 5)
    assert places.ids.tolist() == other.inputs[1:].tolist()
    end = len(task.columns) - 1
    first_of_next = np.append(strings.ids[strings.offsets[1:-1]], strings.ids[0])
    said = places.answers.copy()
    assert (said == end).nonzero()[0].tolist() == (strings.offsets[1:] - 1).tolist()
    said[said == end] = first_of_next
    assert said.tolist() == other.targets[1:].tolist()
    assert places.emptied.tolist() == [1, *other.resets[2:].tolist()]
    assert places.emptied[first[[0, 5, 10, 15]]].all()
    assert other.rows[1:][first[1:-1]].tolist() == [*range(19)]
    assert (places.answers[first[1:-1]] == end).all()


def test_addition_is_learned_from_behind_the_equals_sign():
    task = find_task("binary-addition")
    strings = fresh_strings(task, "train", 0, 0, 50)
    places, offsets = streamed(task, strings, replace(STREAM, answers_only=True)).places, strings.offsets
    for text, begin, end in zip(strings.texts(task.language.alphabet), offsets, offsets[1:], strict=False):
        asked = places.answers[begin:end] >= 0
        symbols = text.split()
        behind = [i > symbols.index("=") for i in range(1, len(symbols) + 1)]
        assert asked.tolist() == [now and i < len(symbols) for i, now in enumerate(behind, 1)]


def lengths(strings: Streamed) -> np.ndarray:
    """Of all: END is asked for at the end of each."""
    ends = np.flatnonzero(strings.places.answers == strings.places.answers[-1])
    assert (strings.first[1:-1] == ends[:-1]).all()
    return np.diff(ends, prepend=-1)


def test_no_two_epochs_have_the_same_strings_and_sizes_follow_the_curriculum():
    recipe = replace(RECIPE, stream=replace(STREAM, strings=200))
    sizes = [lengths(training_strings(TASK, recipe, epoch)) // 2 for epoch in (0, 3, 14, 15)]
    assert [(of.min(), of.max()) for of in sizes] == [(2, 2), (2, 5), (2, 14), (2, 14)]
    validations = [lengths(validation_strings(TASK, recipe, epoch)) // 2 for epoch in (0, 1)]
    assert {*np.concatenate(validations)} <= {*range(2, 20)}
    assert validation_strings(TASK, recipe, 0).places.emptied.sum() == 1
    drawn = [tuple(of[:8]) for of in (*sizes[2:], *validations)]
    assert len({*drawn}) == 4


def test_what_cannot_be_a_stream_is_refused():
    with pytest.raises(UsageError, match="dyck2 does not ask for END"):
        streamed(find_task("dyck2"), fresh_strings(TASK, "train", 0, 0, 3), STREAM)
    with pytest.raises(UsageError, match="leave out --device"):
        stream_training("auto", SMALL, SHORT, TASK, [0], 0, "cuda", 1, print)


# -- runs


def test_a_run_does_not_depend_on_packing_threads_and_pieces():
    expected = begun(range(11))
    result = finished(expected)
    pieces = begun(range(11), threads=2)
    for count in (1, 4, 7) * 4:
        pieces.do(count)
    assert same(result, pieces.result())
    assert same(result, finished(begun([9, 2])), [9, 2])


def test_a_training_goes_on_from_its_state_to_the_bit():
    expected = finished(begun())
    for stop in (1, 5, 12, 13, 35, 48):
        first, resumed = begun(), begun()
        while first.done < stop:
            first.do(min(stop - first.done, 12 - first.done % 12))
        resumed.restore({name: tensor.clone() for name, tensor in first.state().items()})
        assert resumed.strings_left == first.strings_left == 48 - stop
        assert same(expected, finished(resumed))


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_run_that_is_lost_ends_alone(engine):
    recipe = replace(SHORT, epochs=2, stream=replace(STREAM, steps=3, strings=4, validated=2))
    expected, harmed = finished(begun(engine=engine, recipe=recipe)), begun(engine=engine, recipe=recipe)
    lost = harmed._rule.parameters().each(lambda tensor: torch.full_like(tensor, torch.nan))
    harmed._rule.take(lost, [False, True, False])
    result = finished(harmed)
    assert harmed.factors.tolist() == [1, 0, 1]
    assert result.losses[:, 0, 1].isnan().all()
    assert harmed.selected()["best_run"] != 1
    for run in (0, 2):
        assert torch.equal(result.losses[..., run], expected.losses[..., run])
        for name, tensor in expected.parameters.tensors.items():
            assert torch.equal(result.parameters.tensors[name][run], tensor[run])


def test_the_best_parameters_are_those_of_the_epoch_of_the_least_validation_loss():
    training = begun()
    seen = []
    for _ in range(4):
        training.do(12)
        seen.append(training.result().parameters)
    selected = training.selected()
    validation = np.array(selected["measured"]["validation loss"]).T
    best = validation.argmin(0)
    assert selected["epochs"] == (best + 1).tolist()
    for run, epoch in enumerate(best):
        for name, tensor in training.result().parameters.tensors.items():
            assert torch.equal(tensor[run], seen[epoch].tensors[name][run])
    assert selected["validation loss"] == validation.min(0).tolist()
    counted = selected["loss on larger strings"]
    assert counted[selected["best_run"]] == min(counted)


def test_both_engines_train_alike():
    recipe = replace(SHORT, epochs=3, stream=replace(STREAM, strings=6, validated=4))
    ours, reference = (begun(range(2), engine, recipe) for engine in ("compiled", "reference"))
    expected, result = finished(reference), finished(ours)
    assert (result.losses - expected.losses).abs().max() < 1e-9
    validated = (training.selected()["validation loss"] for training in (ours, reference))
    assert np.abs(np.subtract(*validated)).max() < 1e-9
    assert ours.factors.tolist() == reference.factors.tolist()
    for name, tensor in expected.parameters.tensors.items():
        assert (result.parameters.tensors[name] - tensor).abs().max() < 1e-9
