"""Timing, shared by the scripts of this folder."""

import statistics
import time
from collections.abc import Callable, Sequence

from marnn_bench.commands.output import Table


def median_seconds(call: Callable[[], object], repeats: int = 7) -> float:
    """The median processor time of a call, after one that is not counted."""
    call()
    seconds = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def print_table(rows: Sequence[Sequence[str]], headers: Sequence[str]) -> None:
    """A table with its first column to the left, numbers to the right."""
    print(Table(rows, headers, ["left", *["right"] * (len(headers) - 1)]))
