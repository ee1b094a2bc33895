"""Joint sequences: how models are given a source and its target (Grefenstette et al. 2015, section 4).

    START a1 ... ak ||| b1 ... bm

The symbols of source and target are told apart, also where they are spelled alike: "separate word-to-index mappings are used
for source and target vocabularies".
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from marnn_bench.task import Task
from marnn_bench.views import SEPARATOR, Transduce

START: Final = 0
"""The id of the paper's start-of-sequence symbol."""

Symbol = tuple[str, str]
"""What a symbol is part of ("", "source", "target"), and how it is spelled."""


def input_symbols(task: Task) -> tuple[Symbol, ...]:
    """What a model is given the strings of a task in: in a transduction START, source, separator, target; else the alphabet."""
    if not isinstance(task.view, Transduce):
        return tuple(("", symbol) for symbol in task.language.alphabet)
    source = (("source", symbol) for symbol in task.language.alphabet)
    target = (("target", symbol) for symbol in task.view.outputs(task.language))
    return ("", "START"), *source, ("", SEPARATOR), *target


def joint_ids(task: Task, prefix: Sequence[str]) -> NDArray[np.int64]:
    """What a model is given of source ||| target so far: ids of `input_symbols`, START first.

    >>> from marnn_bench.tasks.registry import find_task
    >>> joint_ids(find_task("svo-sov"), ["si1", "vi28", "|||", "so1"]).tolist()
    [0, 2, 62, 101, 103]
    """
    place = {symbol: i for i, symbol in enumerate(input_symbols(task))}
    separator = list(prefix).index(SEPARATOR) if SEPARATOR in prefix else len(prefix)
    sides = ["source"] * separator + [""] + ["target"] * len(prefix)
    ids = [place[side, symbol] for side, symbol in zip(sides, prefix, strict=False)]
    return np.array([START, *ids], np.int64)
