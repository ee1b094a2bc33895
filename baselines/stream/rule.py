"""The rule by which a run learns from a stream, whatever executes it.

After every symbol that is asked for, a step of gradient descent on its cross-entropy alone, propagated back through the last
`steps` symbols, but no further than to where the state began anew. As in the authors' program the steps of the past are not
computed again: errors go back through the numbers that were computed then, by the parameters as they are now.

In every step back the errors of the state, which is hidden units that are carried over and the cells of a memory, and of the
weights of a memory's actions are clipped at the bound of `Clipping`. Their program clips those of scores of actions, and of hidden
units before and behind their nonlinearity, too.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from marnn_bench.baselines.cells.lazy import Tensor
from marnn_bench.baselines.cells.parameters import Parameters
from marnn_bench.baselines.engine.program import Places
from marnn_bench.baselines.recipes import Stream


class Rule(Protocol):
    """Runs that learn from the same stream, each for itself."""

    def learn(self, places: Places, span: range, rates: Sequence[float], sums: NDArray[np.float64]) -> None:
        """Learn from these places, which follow on those before, each run at its rate.

        sums:  of the losses of each run, in nats, to which that of each place is added: [run]

        A run whose rate is 0 stays as it is.
        """

    def losses(self, places: Places) -> NDArray[np.float64]:
        """The mean cross-entropy of each run where something is asked, in nats, as it answers at evaluation: [run]"""

    def strings(self, first: int, wanted: int, stream: Stream) -> int:
        """How many strings, from the one of this number in its epoch on, are to be learned from before a state is kept."""

    def parameters(self) -> Parameters:
        """Of all runs."""

    def take(self, parameters: Parameters, runs: Sequence[bool]) -> None:
        """Go on, in these runs, from these parameters of all runs."""

    def state(self) -> dict[str, Tensor]:
        """What the runs still hold of the symbols before, beside parameters."""

    def restore(self, state: Mapping[str, Tensor]) -> None:
        """Go on from the `state` of a rule that was made with the same arguments."""
