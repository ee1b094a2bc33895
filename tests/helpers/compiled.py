"""Cells that the compiled engine is tested with."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from marnn_bench.baselines.cells.cell import Cell
from marnn_bench.baselines.models import suzgun2019
from marnn_bench.baselines.models.registry import find_baseline
from marnn_bench.task import Task

SMALL: Final[Mapping[str, Mapping[str, int]]] = {
    "russ": {"embedding": 3, "memory_cells": 7},
    "bernardy-gru-russ": {"hidden": 5, "embedding": 3, "memory_cells": 7},
    "bernardy-lstm-gru": {"hidden": 6, "embedding": 4},
    "deep-lstm-2": {"hidden": 5, "embedding": 4},
    "deep-lstm-4": {"hidden": 6, "embedding": 5},
    "joulin-lstm-2x50": {"hidden": 7},
    "state-space-negative": {},
    "neural-stack-lstm": {"hidden": 5, "memory_width": 3, "embedding": 4},
    "neural-queue-lstm": {"hidden": 5, "memory_width": 3, "embedding": 4},
    "neural-deque-lstm": {"hidden": 5, "memory_width": 3, "embedding": 4},
}
"""Models of other papers, with smaller sizes than these have."""

COMPILED: Final = (*(baseline.name for baseline in suzgun2019.BASELINES), *SMALL)


def compiled_cell(name: str, task: Task) -> Cell:
    """The cell of one of COMPILED."""
    baseline = find_baseline(name)
    return baseline.cell(task, replace(baseline.sizes_for(task), **SMALL.get(name, {})))
