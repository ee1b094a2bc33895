"""The content of a split: its rows, as strings, as columns, and as a digest."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
import pyarrow as pa

from marnn_bench.generators.strings import Strings
from marnn_bench.recognition import RecognitionRows, recognition_rows
from marnn_bench.store.columns import recognition_batch, to_batch
from marnn_bench.store.digest import BLOCK_ROWS, block_digest, split_digest
from marnn_bench.store.rows import Rows, choose_rows
from marnn_bench.task import Task
from marnn_bench.views import Recognition


@dataclass(frozen=True, eq=False)
class Content:
    """The rows of a split, which are chosen when they are first needed."""

    task: Task
    split: str

    def __len__(self) -> int:
        wanted = self.task.split(self.split)
        if (
            isinstance(wanted.rows, int)
            and not wanted.per_size
            and not isinstance(self.task.view, Recognition)
        ):
            return wanted.rows
        return len(self._rows)

    def strings(self, first: int, last: int) -> Strings:
        """The strings of rows first..last-1."""
        if isinstance(self._rows, Rows):
            return self._rows.strings(first, last)
        return self._rows.strings.take(np.arange(first, last))

    def batch(self, first: int, last: int) -> pa.RecordBatch:
        """Rows first..last-1 as columns."""
        if isinstance(self._rows, Rows):
            return to_batch(self.task, self.split, self._rows.strings(first, last))
        return recognition_batch(self.task, self.split, self._rows, first, last)

    def digest(self) -> str:
        """The digest of the split, nothing written."""
        starts = range(0, len(self), BLOCK_ROWS)
        return split_digest(block_digest(self.batch(s, min(s + BLOCK_ROWS, len(self)))) for s in starts)

    @property
    def repetition_rate(self) -> float:
        """The share of draws that gave a string already there."""
        return self._rows.repetition_rate if isinstance(self._rows, Rows) else 0.0

    @property
    def judged(self) -> RecognitionRows | None:
        """The rows with their labels, in the recognition view."""
        return None if isinstance(self._rows, Rows) else self._rows

    @cached_property
    def _rows(self) -> Rows | RecognitionRows:
        task, split, view = self.task, self.split, self.task.view
        earlier = [content.strings(0, len(content)) for content in self._earlier()]
        if not isinstance(view, Recognition):
            return choose_rows(task, split, earlier)
        rows = task.row_count(split)
        law, window, key = task.law(split), task.split(split).window, task.key(split)
        members = rows - rows // 2
        return recognition_rows(task.language, law, window, key, members, rows // 2, view.negatives, earlier)

    def _earlier(self) -> Iterator["Content"]:
        """The splits before this one that could share strings with it; a string is in one of them only."""
        wanted, splits = self.task.split(self.split), self.task.splits
        if wanted.overlaps or not wanted.distinct:
            return
        for name in islice(splits, [*splits].index(self.split)):
            other = splits[name]
            apart = other.window.high < wanted.window.low or wanted.window.high < other.window.low
            if other.distinct and not other.overlaps and not apart:
                yield Content(self.task, name)


def contents(task: Task) -> dict[str, Content]:
    """The contents of all splits that are not endless."""
    return {name: Content(task, name) for name, split in task.splits.items() if split.rows != "fresh"}


def total_rows(task: Task) -> int:
    """How many rows these have together."""
    return sum(map(len, contents(task).values()))
