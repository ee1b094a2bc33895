"""A training that is under way, whatever executes it: what is done with it, and what it gives."""

from collections.abc import Mapping
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from marnn_bench.baselines.cells.lazy import Tensor
from marnn_bench.baselines.cells.parameters import Parameters

LOSSES_SO_FAR: Final = "losses"
PARAMETERS: Final = "parameters/"
OPTIMISER: Final = "optimiser/"
"""The tensors of a state: LOSSES_SO_FAR; PARAMETERS + name; OPTIMISER + the optimiser's word for it + / + name."""


class TrainingResult(NamedTuple):
    """What comes out of a training.

    parameters:  [run, ...]
    losses:      [epoch, update, run]  of every update, before the update
    """

    parameters: Parameters
    losses: Tensor


class OngoingTraining(Protocol):
    """Runs that are trained side by side, some updates at a time.

    done:   updates so far
    total:  updates in all
    unit:   what these two count, if it is not updates
    """

    done: int
    total: int
    unit: ClassVar[str]

    @property
    def strings_left(self) -> int:
        """How many strings are still to be learned from, over all epochs."""

    def update(self) -> int:
        """Do the next update, or some: how many strings were learned from."""

    def result(self) -> TrainingResult:
        """What the updates so far give, on the CPU; the losses of those to come are anything."""

    def accuracy(self) -> list[float] | None:
        """The share of the strings that each run has all right; None where strings are not right or wrong."""

    def selected(self) -> dict[str, Any] | None:
        """Which epochs were selected, and by what; None where the last parameters are kept."""

    def state(self) -> dict[str, Tensor]:
        """All that updates change."""

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the `state` of a training that was begun with the same arguments."""
