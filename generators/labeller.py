"""What a device that labels strings is asked."""

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from marnn_bench.generators.alphabet import Alphabet
from marnn_bench.generators.strings import Strings


class Labeller(ABC):
    """A device that reads strings and knows after each symbol how they can go on."""

    alphabet: Alphabet

    @abstractmethod
    def next_symbols(self, strings: Strings) -> NDArray[np.uint64]:
        """The next-symbol set after each symbol, END included where the prefix is a member: [symbols]."""

    @abstractmethod
    def first_symbols(self) -> int:
        """The next-symbol set of the empty prefix."""

    def accepts(self, strings: Strings) -> NDArray[np.bool_]:
        """Whether each string is a member, which is one that END can follow: [n]."""
        last = np.full(len(strings), self.first_symbols(), np.uint64)
        filled = strings.lengths > 0
        last[filled] = self.next_symbols(strings)[strings.offsets[1:][filled] - 1]
        return (last >> np.uint64(len(self.alphabet)) & np.uint64(1)).astype(np.bool_)


def previous_values(after: NDArray[np.int32], start: int, strings: Strings) -> NDArray[np.int32]:
    """From what holds after each symbol, what holds before it, which is `start` at the head of a string: [symbols]."""
    before = np.empty_like(after)
    before[1:] = after[:-1]
    before[strings.offsets[:-1][strings.lengths > 0]] = start
    return before
