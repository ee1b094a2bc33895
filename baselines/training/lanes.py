"""How many runs are computed at once, chosen so that the number changes no run.

Vector instructions take several numbers at a time, and what is left over goes through other code; matrix products look
at how their operands are aligned in memory. Either can change the last bit of a number, which thousands of updates
amplify. So runs are always computed in whole blocks, and the extra ones are discarded; they cost next to nothing.
"""

from collections.abc import Iterable
from typing import Final

LANES: Final = 16
"""Lanes of a block: torch's loops take 16 numbers of 8 bytes at a time, and a cache line is 64 bytes."""


def round_up(lanes: int) -> int:
    """As many lanes, in whole blocks.

    >>> round_up(1), round_up(16), round_up(100)
    (16, 16, 112)
    """
    return -(-lanes // LANES) * LANES


def whole_blocks(runs: Iterable[int]) -> list[int]:
    """The runs of all blocks 0-15, 16-31, ... in which these are, so that a run has the same place in its block always.

    >>> whole_blocks([17]) == [*range(16, 32)]
    True
    """
    blocks = sorted({run // LANES for run in runs})
    return [block * LANES + lane for block in blocks for lane in range(LANES)]
