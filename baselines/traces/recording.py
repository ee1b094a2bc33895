"""A string through a trained model: what it did with its memory after each symbol, what that held then, what it answered."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import singledispatch
from math import isnan
from typing import Any, Generic, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.cells.inputs import StepInputs
from marnn_bench.baselines.cells.intervals import Line, NeuralMemory
from marnn_bench.baselines.cells.memories import Content, Memory, Superposition
from marnn_bench.baselines.cells.noise import PrefixNoise
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.joint import InputIds, prefix_symbols
from marnn_bench.baselines.training.checkpoint import TrainedRun
from marnn_bench.errors import UsageError

Numbers = NDArray[np.float64]

SUM = 1e-6
"""So near to 1 is the sum of a distribution, whatever the precision that a model computes in."""


@dataclass(frozen=True)
class MemoryTrace:
    """One memory, or one end of a memory that has two.

    name:     "" if there is no other
    actions:  what can be done with it
    weights:  [step, action]
    cells:    [step, cell, number]  what it holds after each step; of an interval memory the strengths of its items, from the
                                    end on; NaN where there is no cell yet
    head:     the cell that is read first
    strengths: whether the cells are strengths of items
    """

    name: str
    actions: tuple[str, ...]
    weights: Numbers
    cells: Numbers
    head: int
    strengths: bool = False

    @property
    def read(self) -> Numbers:
        """The numbers of the cell that is read first: [step, number]"""
        return self.cells[:, self.head]

    def strongest(self, step: int) -> str:
        """The action of the greatest weight, and that."""
        action = int(self.weights[step].argmax())
        return f"{self.actions[action]} {self.weights[step, action]:.2f}"


@dataclass(frozen=True)
class Trace:
    """What a run of a model did with a string.

    symbols:   the string
    memories:  of a model without one: none
    features:  [step, feature]  what its answers are decoded from: hidden units, what is read from memory, or both
    columns:   what it answers with scores for
    scores:    [step, column]
    """

    symbols: tuple[str, ...]
    memories: tuple[MemoryTrace, ...]
    features: Numbers
    columns: tuple[str, ...]
    scores: Numbers

    @property
    def distribution(self) -> bool:
        """Whether the scores of each step are probabilities that sum to one."""
        return bool((np.abs(self.scores.sum(1) - 1) < SUM).all()) and len(self.columns) > 1

    def as_json(self) -> dict[str, Any]:
        """Lists in the place of arrays, None where there is no cell."""
        fields = asdict(self)
        fields["memories"] = [
            {name: _listed(value) for name, value in memory.items()} for memory in fields["memories"]
        ]
        return {name: _listed(value) for name, value in fields.items()}


class Recorder(Generic[Content]):
    """In the place of a memory, which it is asked for all else: notes the weights of each update, and what is held after it."""

    def __init__(self, memory: Memory[Content]) -> None:
        self.memory = memory
        self.updates: list[tuple[Tensor, Content]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.memory, name)

    def update(self, memory: Content, weights: Tensor, written: Tensor) -> Content:
        content = self.memory.update(memory, weights, written)
        self.updates.append((weights, content))
        return content


class Steps(NamedTuple):
    """What `record_steps` saw; see `Trace`."""

    memories: tuple[MemoryTrace, ...]
    features: Numbers
    scores: Numbers


def record(run: TrainedRun, number: int, symbols: Sequence[str]) -> Trace:
    """Give a run of a trained model, of this number, a string, behind START where its strings begin so.

    UsageError if it has a symbol that the model does not know.
    """
    trained, cell, parameters = run
    learned = trained.task
    inputs = InputIds(learned.view, learned.alphabet, learned.columns)
    fed = _places(prefix_symbols(learned.view, learned.alphabet, learned.columns), symbols)
    begin = inputs.begin(1)
    ids = np.concatenate([*([begin] if inputs.has_start else []), *map(inputs.of, fed)])
    noise = PrefixNoise(trained.seed, number, 1, cell.noise)
    memories, features, scores = record_steps(cell, parameters, ids, noise, trained.temperature)
    shown = ("START", *symbols) if inputs.has_start else tuple(symbols)
    return Trace(shown, memories, features, learned.columns, scores)


def record_steps(
    cell: Cell, w: Parameters, ids: NDArray[np.int64], noise: PrefixNoise, temperature: float = 1.0
) -> Steps:
    """Give one run of a cell a string, by torch, as at evaluation: ids [step]"""
    memory = getattr(cell, "memory", None)
    recorder = Recorder(memory) if isinstance(memory, Memory) else None
    if recorder:
        cell = replace(cell, memory=recorder)  # type: ignore[call-arg]
    features, scores = [], []
    with torch.inference_mode():
        state = cell.initial_state(w, 1)
        for clock, symbol in enumerate(ids[:, None]):
            drawn = torch.from_numpy(noise.after(symbol))[None] if cell.noise else None
            inputs = StepInputs(torch.tensor(temperature, dtype=torch.float64), drawn, clock, training=False)
            state, feature = cell.step(w, state, cell.encode(w, torch.from_numpy(symbol)[None]), inputs)
            features.append(feature[0, 0])
            scores.append(cell.decode(w, feature)[0, 0])
    memories = tuple(memory_traces(recorder.memory, recorder.updates)) if recorder else ()
    return Steps(memories, _stacked(features), _stacked(scores))


def _places(known: Sequence[str], symbols: Sequence[str]) -> NDArray[np.int64]:
    """The places of these symbols among those that are known: [step, 1]"""
    if not symbols:
        raise UsageError("The string is empty: give some symbols, with spaces between them.")
    if unknown := [symbol for symbol in symbols if symbol not in known]:
        raise UsageError(f"The model does not know {unknown[0]!r}; its symbols are {' '.join(known)}.")
    return np.array([[known.index(symbol)] for symbol in symbols])


@singledispatch
def memory_traces(memory: Memory[Any], updates: Sequence[tuple[Tensor, Any]]) -> Iterator[MemoryTrace]:
    """What the updates of a memory, weights and content, say of each of its memories or ends; of an unknown kind nothing."""
    return iter(())


@memory_traces.register
def _(memory: Superposition, updates: Sequence[tuple[Tensor, Tensor]]) -> Iterator[MemoryTrace]:
    weights = _stacked([of_step[0, 0, 0, :, 0] for of_step, _ in updates])  # [step, memory, action]
    first = max(0, memory.head - len(updates))
    beyond = memory.head + memory.depth + len(updates)
    cells = _padded([content[0, 0, first:beyond] for _, content in updates])  # [step, cell, memory, number]
    for number in range(memory.count):
        name = f"{number + 1}" if memory.count > 1 else ""
        yield MemoryTrace(name, memory.actions, weights[:, number], cells[:, :, number], memory.head - first)


@memory_traces.register
def _(memory: NeuralMemory, updates: Sequence[tuple[Tensor, Line]]) -> Iterator[MemoryTrace]:
    weights = _stacked([of_step[0, 0] for of_step, _ in updates])  # [step, end, (push, pop)]
    lines = [torch.relu(line.highs - line.lows)[0, 0, :, None] for _, line in updates]
    for end, name in enumerate(memory.pops):
        from_end = [line.flip(0) for line in lines] if name == "top" else lines
        of_end = name if len(memory.pops) > 1 else ""
        yield MemoryTrace(of_end, memory.actions, weights[:, end], _padded(from_end), 0, strengths=True)


def _stacked(tensors: Sequence[Tensor]) -> Numbers:
    stacked: Numbers = torch.stack([*tensors]).numpy()
    return stacked


def _padded(contents: Sequence[Tensor]) -> Numbers:
    """Contents [cell, ...] of which each may have more cells than those before: [step, cell, ...], NaN where there is none."""
    padded: Numbers = pad_sequence([*contents], batch_first=True, padding_value=torch.nan).numpy()
    return padded


def _listed(value: Any) -> Any:
    """Arrays as lists, and None for NaN."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list):
        return [_listed(entry) for entry in value]
    return None if isinstance(value, float) and isnan(value) else value
