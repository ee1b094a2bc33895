"""What a step needs beyond the state and the symbol."""

from typing import NamedTuple

from marnn_bench.baselines.cells.lazy import Tensor


class StepInputs(NamedTuple):
    """Inputs of one step.

    temperature:  of the gates: one number, [], or one for each run, [run, 1, 1]
    noise:        [run, batch, Cell.noise]  independent standard Gumbel numbers; None where the cell takes none
    clock:        how many symbols of the string came before
    training:     whether this step is learned from; gates that decide at evaluation ask that
    """

    temperature: Tensor
    noise: Tensor | None
    clock: int
    training: bool


class StringInputs(NamedTuple):
    """The inputs of all steps of strings of one length; `noise` is [run, batch, steps, Cell.noise]."""

    temperature: Tensor
    noise: Tensor | None = None
    training: bool = True

    def at(self, clock: int) -> StepInputs:
        """Those of one step."""
        noise = None if self.noise is None else self.noise[:, :, clock]
        return StepInputs(self.temperature, noise, clock, self.training)
