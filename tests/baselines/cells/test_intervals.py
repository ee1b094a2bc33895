"""Neural Stack, Queue and DeQue against equations 2 to 11 of Grefenstette et al. 2015 written out, values and gradients."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from helpers.equations import memories as literal
from marnn_bench.baselines.cells.intervals import Line, NeuralDeQue, NeuralMemory, NeuralQueue, NeuralStack
from marnn_bench.baselines.cells.parameters import Parameters

EXACT = 1e-12

KINDS = [NeuralStack, NeuralQueue, NeuralDeQue]

LITERAL = {
    NeuralStack: literal.neural_stack,
    NeuralQueue: literal.neural_queue,
    NeuralDeQue: literal.neural_deque,
}

every_kind = pytest.mark.parametrize("kind", KINDS)
small = st.integers(1, 3)


def empty(memory: NeuralMemory, runs: int, batch: int, dtype: torch.dtype = torch.float64) -> Line:
    return memory.initial(Parameters({"any": torch.zeros(runs, 1, dtype=dtype)}), batch)


def reads(memory: NeuralMemory, signals: Tensor, written: Tensor) -> Tensor:
    """What is read after each step: [step, run, batch, read_size]"""
    line, found = empty(memory, *signals.shape[1:3], signals.dtype), []
    for of_step, values in zip(signals, written, strict=True):
        line = memory.update(line, memory.as_actions(of_step), values)
        found.append(memory.read(line))
    return torch.stack(found)


def literal_reads(memory: NeuralMemory, signals: Tensor, written: Tensor) -> Tensor:
    """The same of each string of each run on its own."""
    steps, runs, batch, _ = signals.shape
    found = torch.empty(steps, runs, batch, memory.read_size, dtype=torch.float64)
    for run in range(runs):
        for string in range(batch):
            push, pop = signals[:, run, string].view(steps, -1, 2).unbind(-1)
            values = written[:, run, string].view(steps, -1, memory.width)
            if push.shape[1] == 1:
                push, pop, values = push[:, 0], pop[:, 0], values[:, 0]
            found[:, run, string] = torch.stack(LITERAL[type(memory)](list(push), list(pop), list(values)))
    return found


@every_kind
@settings(max_examples=25, deadline=None)
@given(
    steps=st.integers(1, 12), runs=small, batch=small, width=small, seed=st.integers(0, 99),
    pushed=st.floats(0.05, 1), popped=st.floats(0.05, 1),
)  # fmt: skip
def test_what_is_read_is_what_the_equations_give(kind, steps, runs, batch, width, seed, pushed, popped):
    """Signals are uniform below `pushed` and `popped`, so that the memory fills in some examples and empties in others."""
    memory, noise = kind(width), torch.Generator().manual_seed(seed)
    scale = torch.tensor([pushed, popped], dtype=torch.float64).repeat(memory.scores // 2)
    signals = torch.rand(steps, runs, batch, memory.scores, generator=noise, dtype=torch.float64) * scale
    written = torch.randn(steps, runs, batch, memory.write_size, generator=noise, dtype=torch.float64)
    signals.requires_grad_(), written.requires_grad_()
    ours, theirs = reads(memory, signals, written), literal_reads(memory, signals, written)
    assert (ours - theirs).abs().max().item() <= EXACT
    at_reads = torch.randn(ours.shape, generator=noise, dtype=torch.float64)
    gradients = [torch.autograd.grad((at_reads * x).sum(), (signals, written)) for x in (ours, theirs)]
    for a, b in zip(*gradients, strict=True):
        assert (a - b).abs().max().item() <= EXACT


@every_kind
@settings(max_examples=25, deadline=None)
@given(data=st.data(), steps=st.integers(1, 12), grid=st.sampled_from([1, 2, 4]))
def test_values_agree_where_ends_and_items_meet_exactly(kind, data, steps, grid):
    """Signals are whole, halves or quarters: every maximum and minimum meets equal arguments."""
    memory = kind(2)
    numbers = st.lists(st.integers(0, grid), min_size=steps * memory.scores, max_size=steps * memory.scores)
    signals = torch.tensor(data.draw(numbers), dtype=torch.float64).view(steps, 1, 1, -1) / grid
    written = torch.arange(1.0, steps * memory.write_size + 1, dtype=torch.float64).view(steps, 1, 1, -1)
    assert torch.equal(reads(memory, signals, written), literal_reads(memory, signals, written))


def test_a_stack_does_what_figure_1_shows():
    """Push .8; pop .1, push .5; pop .9, push .9: r3 = .9 v3 + 0 v2 + .1 v1. The values are 1, 10 and 100."""
    signals = torch.tensor([[0.8, 0.0], [0.5, 0.1], [0.9, 0.9]], dtype=torch.float64).view(3, 1, 1, 2)
    written = torch.tensor([1.0, 10.0, 100.0], dtype=torch.float64).view(3, 1, 1, 1)
    assert reads(NeuralStack(1), signals, written).flatten().tolist() == pytest.approx([0.8, 5.5, 90.1])


@pytest.mark.parametrize(
    ("kind", "order"), [(NeuralStack, [4, 3, 2, 1]), (NeuralQueue, [1, 2, 3, 4]), (NeuralDeQue, [4, 3, 2, 1])]
)
def test_whole_signals_make_a_stack_or_a_queue(kind, order):
    """Push 1, 2, 3, 4, then pop: what is read comes last in, first out, or first in, first out."""
    memory = kind(1)
    ends = memory.scores // 2
    push, pop = torch.tensor([[1.0, 0.0]] + [[0.0, 0.0]] * (ends - 1)).flatten(), torch.zeros(2 * ends)
    pop[1] = 1
    signals = torch.stack([push] * 4 + [pop] * 3).double().view(7, 1, 1, -1)
    written = torch.zeros(7, 1, 1, ends, dtype=torch.float64)
    written[:4, 0, 0, 0] = torch.arange(1.0, 5.0)
    assert reads(memory, signals, written)[3:, 0, 0, 0].tolist() == order


def test_a_deque_is_read_at_both_ends():
    """Pushed at the top: 1, 2; at the bottom: 10, 20."""
    signals = torch.tensor([[1.0, 0, 1, 0]] * 2, dtype=torch.float64).view(2, 1, 1, 4)
    written = torch.tensor([[1.0, 10.0], [2.0, 20.0]], dtype=torch.float64).view(2, 1, 1, 2)
    assert reads(NeuralDeQue(1), signals, written)[-1].flatten().tolist() == [2, 20]


@every_kind
def test_a_line_can_go_on_in_two_ways(kind):
    """No content is changed by an update: what was read before one is read after it."""
    memory, noise = kind(3), torch.Generator().manual_seed(0)
    signals = torch.rand(9, 1, 2, memory.scores, generator=noise, dtype=torch.float64)
    written = torch.randn(9, 1, 2, memory.write_size, generator=noise, dtype=torch.float64)
    line = empty(memory, 1, 2)
    for of_step, values in zip(signals[:7], written[:7], strict=True):
        line = memory.update(line, memory.as_actions(of_step), values)
    before = memory.read(line).clone()
    one, other = (memory.update(line, memory.as_actions(signals[i]), written[i]) for i in (7, 8))
    assert torch.equal(memory.read(line), before)
    assert not torch.equal(memory.read(one), memory.read(other))


class Concatenating(NeuralStack):
    """The same with all values in one tensor, which every step makes anew."""

    def update(self, memory: Line, weights: Tensor, written: Tensor) -> Line:
        after = super().update(memory, weights, written)
        return after._replace(values=(torch.cat(after.values, 2),))


def test_at_most_a_third_of_the_memory_of_the_concatenating_form_is_kept():
    """What the backward pass of 258 steps finds kept, in bytes, for ten strings and values of 256 numbers."""

    def kept(memory: NeuralMemory) -> int:
        noise, storages = torch.Generator().manual_seed(0), {}

        def note(tensor: Tensor) -> Tensor:
            storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
            return tensor

        signals = torch.rand(258, 1, 10, memory.scores, generator=noise).requires_grad_()
        written = torch.randn(258, 1, 10, memory.write_size, generator=noise).requires_grad_()
        with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
            reads(memory, signals, written).square().sum().backward()
        return sum(storages.values())

    assert 3 * kept(NeuralStack(256)) <= kept(Concatenating(256))
