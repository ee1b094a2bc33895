"""Cells: a model as one function of parameters, state, symbol and what else a step needs."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from marnn_bench.baselines.cells.controllers import State
from marnn_bench.baselines.cells.inputs import StepInputs, StringInputs
from marnn_bench.baselines.cells.lazy import Tensor, torch
from marnn_bench.baselines.cells.parameters import Parameters, Shapes, count_parameters


@dataclass(frozen=True)
class Cell(ABC):
    """A model without its parameters.

    Every tensor leads with [run, batch, ...] and every parameter with [run, ...], so that any number of runs is
    computed by one program, each by its own mathematics.

    symbols:  how many symbols it may be given
    columns:  how many numbers it answers with after each
    """

    symbols: int
    columns: int
    distribution: ClassVar[bool] = False
    """Whether what it answers with is a distribution over the columns, as of a softmax."""

    @property
    @abstractmethod
    def shapes(self) -> Shapes:
        """Its parameters, in the order in which they are drawn; `input` and `output` are used below."""

    @property
    def num_parameters(self) -> int:
        """Number of parameters of one run."""
        return count_parameters(self.shapes)

    @property
    def noise(self) -> int:
        """How many standard Gumbel numbers a step takes."""
        return 0

    @property
    def matrices(self) -> Mapping[str, int]:
        """Of parameters of higher order, by name, how many numbers each of their matrices has."""
        return {}

    @abstractmethod
    def initial_state(self, w: Parameters, batch: int, steps: int | None = None) -> State:
        """The state before the first symbol; `steps` is the length of the strings, where it is known."""

    def encode(self, w: Parameters, ids: Tensor) -> Tensor:
        """What a step is given of these symbols: [run (or 1 for all), batch] -> [run, batch, ...]"""
        return w["input"].of_symbols(ids)

    @abstractmethod
    def step(self, w: Parameters, state: State, x: Tensor, inputs: StepInputs) -> tuple[State, Tensor]:
        """The state after one more symbol, which is x encoded, and what the output is decoded from, [run, batch, ...]:
        hidden units, what was read from memory, or both.
        """

    def decode(self, w: Parameters, features: Tensor) -> Tensor:
        """y = sigmoid(W_y h + b_y): [run, batch, features] -> [run, batch, columns]"""
        return torch.sigmoid(w["output"](features))

    def scores(self, w: Parameters, ids: Tensor, inputs: StringInputs) -> Tensor:
        """The outputs after every symbol of strings of one length.

        ids [run (or 1 for all), batch, steps] -> [run, batch, steps, columns]

        Neither encoding nor decoding depends on the order of the symbols: both are done for all steps at once.
        """
        return self.decode(w, self.features(w, ids, inputs)).view(w.runs, *ids.shape[1:], self.columns)

    def predictions(self, w: Parameters, ids: Tensor, inputs: StringInputs) -> Sequence[Tensor]:
        """What is learned from, one as much as another: the outputs, as of `scores`, and before them those of inner steps."""
        return [self.scores(w, ids, inputs)]

    def features(self, w: Parameters, ids: Tensor, inputs: StringInputs) -> Tensor:
        """What the outputs of all steps are decoded from: [run, batch * steps, features]"""
        runs, batch, steps = w.runs, *ids.shape[1:]
        state = self.initial_state(w, batch, steps)
        features = []
        for clock, x in enumerate(self.encode(w, ids.flatten(1)).view(runs, batch, steps, -1).unbind(2)):
            state, of_step = self.step(w, state, x, inputs.at(clock))
            features.append(of_step)
        return torch.stack(features, 2).flatten(1, 2)
