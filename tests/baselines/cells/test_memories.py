"""Memories against their equations written out cell by cell, values and gradients."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from helpers.equations import memories as literal
from marnn_bench.baselines.cells.memories import List, Memory, Ring, Stack
from marnn_bench.baselines.cells.parameters import Parameters

EXACT = 1e-12

small = st.integers(1, 3)

every_kind = st.one_of(
    st.builds(Stack, small, st.integers(1, 7), small, fill=st.sampled_from([0.0, -1.0]), no_op=st.booleans()),
    st.builds(Ring, small, st.integers(1, 7), small),
    st.builds(List, small, st.integers(1, 7), small, fill=st.sampled_from([0.0, -1.0]), no_op=st.booleans()),
)


def parameters_of(runs: int) -> Parameters:
    """Parameters of which nothing but their number is asked."""
    return Parameters({"any": torch.zeros(runs, 1, dtype=torch.float64)})


def literal_step(kind: Memory, cells: literal.Cells, a: Tensor, n: Tensor) -> literal.Cells:
    if isinstance(kind, Stack):
        return literal.stack(cells, a, n, kind.fill)
    return literal.ring(cells, a, n) if isinstance(kind, Ring) else literal.list_(cells, a, n, kind.fill)


def literal_reads(kind: Memory, weights: Tensor, written: Tensor) -> Tensor:
    """What is at HEAD after each step, each memory of each run on its own: [step, run, batch, count, width]"""
    steps, runs, batch, _, count, *_ = weights.shape
    new = written.view(steps, runs, batch, count, kind.width)
    reads = torch.empty_like(new)
    head = kind.cells // 2 if isinstance(kind, List) else 0
    for place in torch.cartesian_prod(*map(torch.arange, (runs, batch, count))).tolist():
        r, b, k = place
        cells = [torch.full((kind.width,), kind.fill, dtype=torch.float64)] * kind.cells
        for t in range(steps):
            cells = literal_step(kind, cells, weights[t, r, b, 0, k, 0], new[t, r, b, k])
            reads[t, r, b, k] = cells[head]
    return reads


@settings(max_examples=40)
@given(kind=every_kind, steps=st.integers(1, 9), runs=small, batch=small, known=st.booleans(), seed=small)
def test_what_is_read_is_what_the_equations_give(kind, steps, runs, batch, known, seed):
    """In every run, string and memory side by side, whether the length of the strings is known or not."""
    noise = torch.Generator().manual_seed(seed)

    def random(*shape: int) -> Tensor:
        return torch.randn(shape, generator=noise, dtype=torch.float64).requires_grad_()

    scores, written = random(steps, runs, batch, kind.scores), random(steps, runs, batch, kind.write_size)
    weights = torch.stack([kind.as_actions(z).softmax(-1) for z in scores])
    memory = kind.initial(parameters_of(runs), batch, steps + 1 if known else None)
    reads = []
    for a, n in zip(weights, written, strict=True):
        memory = kind.update(memory, a, n)
        reads.append(kind.read(memory))
    ours = torch.stack(reads)
    theirs = literal_reads(kind, weights, written).flatten(3)
    assert (ours - theirs).abs().max().item() <= EXACT
    at_reads = torch.randn(ours.shape, generator=noise, dtype=torch.float64)
    gradients = [
        torch.autograd.grad((at_reads * x).sum(), (scores, written), retain_graph=True)
        for x in (ours, theirs)
    ]
    assert max((a - b).abs().max().item() for a, b in zip(*gradients, strict=True)) <= EXACT


@pytest.mark.parametrize(
    ("action", "cells"),
    [
        ("rotate-right", "eabcd"),
        ("rotate-left", "bcdea"),
        ("no-op", "abcde"),
        ("pop-right", "0abcd"),
        ("pop-left", "bcde0"),
    ],
)
def test_a_ring_does_what_the_paper_prints(action, cells):
    """Suzgun et al. 2019, section 3.3: the memory [a, b, c, d, e] after each action, here 1 to 5."""
    ring = Ring(width=1, cells=5)
    chosen = torch.zeros(1, 1, 1, 1, 1, 5, dtype=torch.float64)
    chosen[..., ring.actions.index(action)] = 1
    before = torch.arange(1.0, 6.0, dtype=torch.float64).view(1, 1, 5, 1, 1)
    after = ring.update(before, chosen, torch.zeros(1, 1, 1, dtype=torch.float64))
    assert after.flatten().tolist() == ["0abcde".index(cell) for cell in cells]
    added = ring.update(before, chosen, torch.full((1, 1, 1), 10.0, dtype=torch.float64))
    assert (added - after).flatten().tolist() == [10, 0, 0, 0, 0]


def test_a_stack_is_read_several_cells_deep():
    """Two stacks of numbers, three cells deep, after pushing (1, 10) and (2, 20) on stacks of -1."""
    stacks = Stack(width=1, cells=9, count=2, depth=3, fill=-1.0)
    memory = stacks.initial(parameters_of(1), batch=1)
    assert stacks.read(memory).tolist() == [[[-1.0] * 6]]
    push = torch.tensor([1.0, 0.0], dtype=torch.float64).expand(1, 1, 1, 2, 1, 2)
    for pushed in ([1.0, 10.0], [2.0, 20.0]):
        memory = stacks.update(memory, push, torch.tensor([[pushed]], dtype=torch.float64))
    assert stacks.read(memory).tolist() == [[[2.0, 20.0, 1.0, 10.0, -1.0, -1.0]]]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("steps", [2, 5, 11])
def test_a_ring_needs_no_more_cells_than_strings_have_steps(steps, depth):
    """The reads of all steps and after them, and their gradients, are those of a ring of 104; one cell less shows."""
    weights = torch.rand(
        steps, 1, 1, 1, 1, 1, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64
    )
    written = torch.ones(steps, 1, 1, 1, dtype=torch.float64)

    def reads(cells: int) -> Tensor:
        ring, found = Ring(width=1, cells=cells, depth=depth), []
        memory = ring.initial(parameters_of(1), batch=1)
        for a, n in zip(weights, written, strict=True):
            found.append(ring.read(memory))
            memory = ring.update(memory, a, n)
        return torch.stack([*found, ring.read(memory)])

    kept = Ring(width=1, cells=104, depth=depth).initial(parameters_of(1), 1, steps).shape[2]
    full = reads(104)
    assert kept == steps + depth - 1
    assert (reads(kept) - full).abs().max().item() <= EXACT * full.abs().max().item()
    if kept > depth:
        assert (reads(kept - 1) - full).abs().max().item() > 1e-9


@pytest.mark.parametrize("kind", [Stack, Ring, List])
def test_a_memory_without_the_cells_that_it_reads_is_refused(kind):
    with pytest.raises(ValueError, match="make it larger, or read less"):
        kind(width=1, cells=3, depth=4)


def test_a_ring_that_would_not_begin_with_zeros_is_refused():
    with pytest.raises(ValueError, match="begin with 0, not -1"):
        Ring(width=1, cells=3, fill=-1.0)
